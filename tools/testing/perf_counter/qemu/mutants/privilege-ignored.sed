# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=amd-k8
# The mode bits only say whether to count at all.
s/return env->pmu.user ? c->usr : c->os;/return c->usr || c->os;/
