# SPDX-License-Identifier: GPL-2.0
# file: target/i386/tcg/system/lbr.c
# caught by: bare=sapphirerapids
# FROM is not hidden by the filter.
s/^        from = UINT64_MAX;/        from = s->far_from;/
