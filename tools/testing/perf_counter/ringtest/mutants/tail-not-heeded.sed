# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Room is judged by what is published instead of what was read.
s/^		tail = given;/		tail = published;/
