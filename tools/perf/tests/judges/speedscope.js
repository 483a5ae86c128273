/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Open a file of "perf export speedscope" in speedscope, in Chromium, as a user does; print the
 * first rows of its table of functions as "SELF TOTAL FUNCTION", and its errors: speedscope.js FILE
 */

const path = require("path");
const { launch } = require("../html/browser.js");

async function main() {
	const browser = await launch();

	try {
		const page = await browser.newPage();
		const directory = path.dirname(require.resolve("speedscope/package.json"));

		page.setDefaultTimeout(120000);
		page.on("pageerror", (error) => console.log(`error: ${error}`));
		await page.goto(`file://${directory}/dist/release/index.html`);
		await page.locator("input[type=file]").setInputFiles(process.argv[2]);
		await page.getByText("Sandwich").click();
		const cells = page.getByRole("row").filter({ has: page.getByRole("cell") });

		await cells.first().waitFor();
		for (const row of await cells.all()) {
			const [total, self, ...name] = (await row.textContent()).match(/\d+ \([^)]*\)|.+$/g);

			console.log(self.split(" ")[0], total.split(" ")[0], name.join(""));
		}
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.log(`error: ${error.message}`);
	process.exitCode = 1;
});
