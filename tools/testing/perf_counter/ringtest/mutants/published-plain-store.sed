# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Two publishers: the slower one takes published back.
s/!ring_advance(&ring->published, &published, run_end, local)/(__atomic_store_n(\&ring->published.counter, run_end, __ATOMIC_RELEASE), shim_step(\&ring->published, SHIM_STORE), false)/
