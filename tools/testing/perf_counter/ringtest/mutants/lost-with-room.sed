# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Taken for full though the reader made room meanwhile, and others filled it.
s/^			if (overwrite || ring_tail(ring, backward) == given || !--tries)/			if (true)/
