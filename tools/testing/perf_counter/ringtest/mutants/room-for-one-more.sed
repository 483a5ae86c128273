# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# A ring is full one slot too late.
s/(u64)head + len - tail > ring->size/(u64)head + len - tail > ring->size + RING_SLOT/
