# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# No second look: what others committed behind this record while it was published
# stays unpublished.
s/^	if (likely(published == atomic64_read(&ring->head)))/	if (published == end)/
