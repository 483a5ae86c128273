# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# The look at published comes before the question: a publisher in between sees no question.
/^static bool ring_ask/,/^}/{
s/^	ring_raise(&ring->asked, end, local);/	published = atomic64_read_acquire(\&ring->published);\
&/
s/^	published = atomic64_read_acquire(&ring->published);/	;/
}
