/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Open pages of "perf report --html" in Debian's Chromium, by Playwright.
 */

const fs = require("fs");
const path = require("path");
const { chromium } = require("playwright-core");

/* The page has been built, or has said why not. */
const READY = 'typeof page !== "undefined" && page || !document.getElementById("problem").hidden';

function findChromium() {
	const names = ["chromium", "chromium-browser"];

	for (const directory of process.env.PATH.split(":")) {
		for (const name of names) {
			if (fs.existsSync(path.join(directory, name)))
				return path.join(directory, name);
		}
	}
	throw new Error("there is no chromium: apt-get install chromium");
}

/* Root and containers cannot have the sandbox of the browser. The pages are made by the tests. */
function launch() {
	return chromium.launch({ executablePath: findChromium(), chromiumSandbox: false });
}

/*
 * Wait until an expression is true; it is looked at before each frame. Playwright's own
 * waitForFunction() needs eval(), which the policy of the pages forbids.
 */
function until(page, expression) {
	return page.evaluate(`new Promise((done) => {
		const look = () => (${expression}) ? done() : requestAnimationFrame(look);

		look();
	})`);
}

/*
 * Open a page in a profile of its own. Return the page; page.problems has its exceptions and its
 * messages about errors, page.requests the addresses that it asked for.
 */
async function open(browser, file, options = {}) {
	const context = await browser.newContext({ viewport: { width: 1200, height: 900 },
		colorScheme: "light", locale: "en-US", ...options });
	const page = await context.newPage();

	context.setDefaultTimeout(60000);
	page.problems = [];
	page.requests = [];
	page.on("pageerror", (error) => page.problems.push(String(error)));
	page.on("console", (message) => {
		if (message.type() === "error")
			page.problems.push(message.text());
	});
	page.on("request", (request) => page.requests.push(request.url()));
	await page.goto(`file://${path.resolve(file)}`);
	if (options.javaScriptEnabled !== false)
		await until(page, READY);
	return page;
}

module.exports = { launch, open, until };
