# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode overwrite
# Taken for full though others published meanwhile, what there is to overwrite then.
s/^			if (atomic64_read(&ring->published) != published)$/			if (false)/
