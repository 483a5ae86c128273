# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=nehalem
# A branch is filtered by the privilege it begins at.
s/!lbr_takes_privilege(env, env->hflags \& HF_CPL_MASK)) {/!lbr_takes_privilege(env, s->far_user)) {/
