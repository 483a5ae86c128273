# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Two publishers: the slower one takes published back.
s/!ring_advance(&ring->published, &published, end, local)/(__atomic_store_n(\&ring->published.counter, end, __ATOMIC_RELEASE), shim_step(\&ring->published, SHIM_STORE), false)/
