// SPDX-License-Identifier: GPL-2.0
/* Numbers with a unit: "10ms", "100M". */
#include <stdlib.h>
#include <string.h>

#include "quantity.h"

bool quantity_parse(const char *text, const struct quantity_unit *units, double *quantity)
{
	double number;
	char *end;

	number = strtod(text, &end);
	if (end == text || !(number > 0 && number < 1e9))
		return false;
	for (; units->name; units++) {
		if (strcmp(end, units->name))
			continue;
		*quantity = number * units->factor;
		return true;
	}
	return false;
}
