# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# The mark is moved, and the reader is not notified.
/^static __always_inline bool ring_published/,/^}/s/^			return true;/			return false;/
