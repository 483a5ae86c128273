/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Read a profile of "perf export pprof" with npm's pprof-format, and print "WEIGHT FUNCTION" for
 * each function in which samples are: pprof_format.js FILE
 */

const fs = require("fs");
const zlib = require("zlib");
const { Profile } = require("pprof-format");

function byId(list) {
	return new Map(list.map((entry) => [Number(entry.id), entry]));
}

const profile = Profile.decode(zlib.gunzipSync(fs.readFileSync(process.argv[2])));
const locations = byId(profile.location), functions = byId(profile.function), sums = {};
/* The first value of a sample is the number of samples, the second one the weight. */
const WEIGHT = 1;

for (const sample of profile.sample) {
	const { line } = locations.get(Number(sample.locationId[0]));
	const name = profile.stringTable.strings[Number(functions.get(Number(line[0].functionId)).name)];

	sums[name] = (sums[name] || 0) + Number(sample.value[WEIGHT]);
}
for (const [name, sum] of Object.entries(sums))
	console.log(`${sum} ${name}`);
