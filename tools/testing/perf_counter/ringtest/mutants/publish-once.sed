# SPDX-License-Identifier: GPL-2.0
# caught by: ringsim --mode shared
# No second look: what others committed while this one published stays unpublished.
s/^	return notify;/	return notify;/
/^	while (published != atomic64_read(&ring->head)) {/,/^	}$/{
s/^	while (/	if (/
s/^			break;/			return notify;/
s/^			continue;/			return notify;/
}
