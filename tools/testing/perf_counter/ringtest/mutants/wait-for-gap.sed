# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# A commit publishes only what begins with its own record.
s/run_end = published == pos ? end : ring_run_end(ring, published);/run_end = published == pos ? end : published;/
