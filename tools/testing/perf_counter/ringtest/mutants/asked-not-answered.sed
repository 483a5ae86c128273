# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# Nobody notifies of a record that was not published yet when that was asked for.
s/^		notify |= ring_answer(.*/		;/
