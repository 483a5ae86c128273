// SPDX-License-Identifier: GPL-2.0
/*
 * Distances between names, counted by hand.
 */
#include "util/suggest.h"
#include "unit.h"

int main(void)
{
	char longest[300];

	check_number(name_distance("", ""), 0, "two empty names are equal");
	check_number(name_distance("", "abc"), 3, "three letters are inserted");
	check_number(name_distance("abc", ""), 3, "three letters are deleted");
	check_number(name_distance("stat", "stat"), 0, "the same name has distance 0");
	check_number(name_distance("STAT", "stat"), 0, "case does not count");
	check_number(name_distance("kitten", "sitting"), 3, "kitten to sitting takes three edits");
	check_number(name_distance("stta", "stat"), 1, "two swapped neighbours are one edit");
	check_number(name_distance("recrod", "record"), 1,
		     "two swapped neighbours in the middle are one edit");
	check_number(name_distance("ca", "abc"), 3, "no letter is moved twice");

	check(name_is_near("stta", "stat"), "stta is near stat");
	check(name_is_near("page-fautls", "page-faults"), "page-fautls is near page-faults");
	check(name_is_near("fault", "page-faults"), "a part is near the whole name");
	check(name_is_near("faults", "faults") < name_is_near("faults", "page-faults"),
	      "a similar name is nearer than a containing one");
	check(!name_is_near("frobnicate", "stat"), "frobnicate is not near stat");
	check(!name_is_near("cs", "branch-instructions"), "two letters are too short for a part");

	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	check(!name_is_near(longest, "stat"), "a name of 299 letters is near nothing");
	return unit_finish();
}
