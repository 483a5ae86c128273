# SPDX-License-Identifier: GPL-2.0
# file: target/i386/machine.c
# caught by: migration
# The youngest entry is not saved.
/VMSTATE_UINT32(env.lbr.top, X86CPU),/d
