# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode hostile
# The reader gives up what it was not given.
s/if (unlikely((s64)(tail - published) > 0))/if (false)/
