/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _RINGTEST_LINUX_ARRAY_SIZE_H
#define _RINGTEST_LINUX_ARRAY_SIZE_H

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

#endif /* _RINGTEST_LINUX_ARRAY_SIZE_H */
