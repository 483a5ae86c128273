# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode hostile
# What the reader wrote into data_head is taken for another writer's.
s/^			if ((s64)(ahead - (u64)atomic64_read(limit)) <= 0)/			if (true)/
