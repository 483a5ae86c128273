# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode sleeping
# A publisher whose exchange of the mark fails leaves it at that, though the mark that
# another has made may be a watermark behind.
/^static noinline bool ring_reached/,/^}/s/^	while (/	if (/
