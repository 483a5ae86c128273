# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode overwrite
# data_reserved is raised by the commit.
s/^		ring_show(ring, ring->data_reserved,.*/		;/
/^static __always_inline bool ring_commit/,/^}/s/^	return ring_publish/	if (ring->overwrite)\
		ring_show(ring, ring->data_reserved, pos + len, \&ring->head, false, local);\
&/
