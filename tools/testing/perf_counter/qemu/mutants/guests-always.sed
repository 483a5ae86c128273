# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/pmu.c
# caught by: bare=amd-k8
# The bits for hosts and guests mean nothing.
s/return env->hflags & HF_GUEST_MASK ? guest : host;/return true;/
