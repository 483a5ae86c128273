# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/power8-pmu.c
# caught by: power9
# An event is any unit's.
s/event->select == select && event->unit == unit &&/event->select == select \&\&/
