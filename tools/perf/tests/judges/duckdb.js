/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Run the statements and queries of fleet.rst in DuckDB: duckdb.js DOCUMENT
 *
 * The files of "perf export table" are those of the working directory. Prints the rows of each
 * query, as tests/export-queries does in SQLite.
 */

const fs = require("fs");
const { DuckDBInstance } = require("@duckdb/node-api");

/* Return the literal blocks of a section, or of all of a document. */
function blocks(text) {
	return [...text.matchAll(/::\n\n((?: {2}.*\n)+)/g)].map(([, block]) => block);
}

async function main() {
	const text = fs.readFileSync(process.argv[2], "utf8");
	const [, section] = text.match(/\nDuckDB\n=+\n([^]*?)\n(?:ClickHouse|Questions)\n=+\n/);
	const connection = await (await DuckDBInstance.create(":memory:")).connect();

	for (const block of blocks(section))
		await connection.run(block);
	for (const block of blocks(text).filter((block) => /^ {2}(SELECT|WITH) /.test(block))) {
		const query = block.replaceAll("'cycles'", "'page-faults'")
			.replaceAll("'parse_request'", "'touch_many'");
		const key = [...query.matchAll(/ORDER BY (\w+)/g)].pop()[1];
		const reader = await connection.runAndReadAll(query);

		for (const row of reader.getRowsJson())
			console.log(`${key}:`, row.map((value) => value === null ? "" : value).join(" "));
	}
}

main().catch((error) => {
	console.log(`error: ${error.message}`);
	process.exitCode = 1;
});
