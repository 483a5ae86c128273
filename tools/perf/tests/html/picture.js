/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Make a picture of a page of "perf report --html": picture.js PAGE IMAGE [STATEMENT...]
 *
 * The statements, in JavaScript, are executed first. The picture begins with the controls, so that
 * it does not have the names of machine and command.
 */

const { launch, open } = require("./browser.js");

async function main() {
	const [file, image, ...statements] = process.argv.slice(2);
	const browser = await launch();

	try {
		const page = await open(browser, file, { viewport: { width: 1200, height: 620 } });

		await page.evaluate('document.querySelector("header").hidden = true; page.redraw()');
		for (const statement of statements)
			await page.evaluate(statement);
		await page.screenshot({ path: image });
	} finally {
		await browser.close();
	}
}

main();
