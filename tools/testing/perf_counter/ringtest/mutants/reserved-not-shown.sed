# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode overwrite
# The reader of an overwriting ring is not told what is about to be overwritten.
s/^		ring_show(ring, ring->data_reserved,.*/		if (!(head \& 1023))\n\t&/
