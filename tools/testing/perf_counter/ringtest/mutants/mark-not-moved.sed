# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# A notification that was asked for leaves the mark where it was: poll() has nothing to
# say to the reader that it wakes.
/^static bool ring_ask/,/^}/s/^	ring_raise(&ring->wake_mark.*/	;/
