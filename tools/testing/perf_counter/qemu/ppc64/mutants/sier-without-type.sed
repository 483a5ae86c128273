# SPDX-License-Identifier: GPL-2.0
# file: target/ppc/pmu-translate.c.inc
# caught by: power9
# SIER does not tell a store from a load.
s/SIER_TYPE(SIER_TYPE_STORE)/SIER_TYPE(SIER_TYPE_LOAD)/
