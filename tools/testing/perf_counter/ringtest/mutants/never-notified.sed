# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# The mark is moved, and the reader is not notified.
/^static noinline bool ring_reached/,/^}/s/^			return true;/			return false;/
