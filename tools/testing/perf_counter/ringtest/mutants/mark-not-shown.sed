# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Notifies of what is published and not shown yet: the reader sees nothing new, and
# nobody tells it again.
/^bool perf_counter_ring_mark/,/^}/s/^	ring_show(.*/	;/
