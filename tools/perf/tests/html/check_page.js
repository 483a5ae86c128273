/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Look at pages of "perf report --html" in Chromium, and use them with the mouse and the keys.
 *
 * Usage: check_page.js PLAIN COMPARED WAITING HOSTILE
 *
 * tests/test-html-page makes the pages, whose samples are written down there. Each check prints a
 * line: "ok", or "not ok" and what was seen, and what is checked; tabs are between them.
 */

const { isDeepStrictEqual } = require("util");
const { launch, open, until } = require("./browser.js");
const { Pixels } = require("./pixels.js");

const ROW_HEIGHT = 17;

/*
 * The name of a node's function, the first node of a function that has samples, its place in the
 * canvas, and the names of the functions below the root.
 */
const HELPERS = `
globalThis.name_of = (view, node) => page.samples.name(view.sums.tree.frame[node]);
globalThis.node_of = (view, name) => Array.from(view.sums.tree.order).find((node) =>
	name_of(view, node) === name && view.sums.width[node]);
globalThis.place_of = (view, name) => {
	const node = node_of(view, name), scale = view.width / (view.right - view.left);

	return { x: (view.sums.start[node] + view.sums.width[node] / 2 - view.left) * scale,
		y: view.y(view.sums.tree.depth[node]) + ROW_HEIGHT / 2 };
};
globalThis.top_of = (view) => {
	const { tree, width } = view.sums, names = [];

	for (let node = tree.first[0]; node; node = tree.next[node]) {
		if (width[node])
			names.push(name_of(view, node) + " " + width[node]);
	}
	return names.join(", ");
};
globalThis.text_of = (id) => document.getElementById(id).textContent;
`;

function check(got, expected, what) {
	if (isDeepStrictEqual(got, expected))
		console.log(`ok\t${what}`);
	else
		console.log(`not ok\t${what}\tgot ${JSON.stringify(got)}, expected ${JSON.stringify(expected)}`);
}

/* Check a share of an area of a picture. The borders of boxes are within the tolerance. */
function about(got, expected, what) {
	check(Math.abs((got || 0) - expected) < 0.015 ? expected : got || 0, expected, what);
}

function choose(page, label, option) {
	return page.getByRole("combobox", { name: label, exact: true }).selectOption({ label: option });
}

async function clickOn(page, name) {
	await page.locator("#graph").click({ position: await page.evaluate(`place_of(page.graph, "${name}")`) });
}

async function press(page, ...keys) {
	for (const key of keys)
		await page.keyboard.press(key);
}

async function checkGraph(page) {
	check(await page.evaluate("top_of(page.graph)"), "main 100000", "the graph begins with the callers");
	await clickOn(page, "cold");
	check(await page.evaluate("[name_of(page.graph, page.graph.focus), page.graph.right - page.graph.left]"),
	      ["cold", 20000], "a click has a function take the whole width");
	await press(page, "Backspace");
	check(await page.evaluate("name_of(page.graph, page.graph.focus)"), "main", "Backspace zooms out");
	await press(page, "Escape");
	check(await page.evaluate("[page.graph.focus, page.graph.right]"), [0, 100000], "Escape shows all");
	const seen = [];

	for (const key of ["ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp"]) {
		await press(page, key);
		seen.push((await page.locator("#live").textContent()).split("\n")[0]);
	}
	check(seen, ["main", "walk", "cold", "walk", "hot", "walk"],
	      "the arrow keys move, and say the function to a screen reader");
	await press(page, "Enter");
	check(await page.evaluate("name_of(page.graph, page.graph.focus)"), "walk", "Enter zooms");
	await press(page, "Escape");
	const place = await page.evaluate('place_of(page.graph, "hot")');

	await page.locator("#graph").hover({ position: place });
	check((await page.getByRole("tooltip").textContent()).split("\n"),
	      ["hot", "[.] code.so", "total 60.00%, 60,000", "self 60.00%, 60,000"],
	      "the tooltip has the function, its file, total and self");
	for (const delta of [100, 100, 100, 100, -100])
		await page.mouse.wheel(0, delta);
	await until(page, "page.graph.row === 2");
	check(await page.evaluate("page.graph.row"), 2, "the wheel scrolls, and ends at the deepest row");
	await press(page, "Escape");
}

async function checkInverted(page) {
	await choose(page, "Order", "inverted: callees first");
	check(await page.evaluate("top_of(page.graph)"), "cold 20000, hot 80000",
	      "the inverted graph begins with the sampled functions");
	await choose(page, "Grow", "up (flame)");
	await clickOn(page, "hot");
	check(await page.evaluate("name_of(page.graph, page.graph.focus)"), "hot",
	      "a click hits in a graph that grows up");
	await choose(page, "Grow", "down (icicle)");
	await choose(page, "Order", "callers first");
}

async function checkSearch(page) {
	await clickOn(page, "walk");
	await press(page, "/");
	await page.keyboard.type("^h.t$");
	await page.locator("#share:not(:empty)").waitFor();
	check([await page.locator("#share").textContent(), await page.locator("#search").inputValue()],
	      ["matched: 80.00%", "^h.t$"], "a search has the share of the samples that match");
	await page.getByRole("searchbox", { name: "Search" }).fill("walk|hot");
	await until(page, "page.matches && page.matches.reduce((a, b) => a + b) === 2");
	check(await page.evaluate("name_of(page.graph, page.graph.focus)"), "walk", "a search does not zoom out");
	check(await page.locator("#share").textContent(), "matched: 80.00%", "a stack that matches twice counts once");
	await page.getByRole("searchbox", { name: "Search" }).fill("(");
	await page.locator("#search[aria-invalid]").waitFor();
	check(await page.locator("#share").textContent(), "not a regular expression", "a wrong expression is said");
	await page.getByRole("searchbox", { name: "Search" }).fill("");
	await until(page, 'text_of("share") === ""');
	await page.getByRole("button", { name: "Reset zoom" }).click();
}

async function checkChoices(page) {
	const choices = [["Thread", "eight 8/8", 20000, "a thread"], ["CPU", "CPU 0", 80000, "a CPU"],
		["Cgroup", "/group", 20000, "a control group"], ["Command", "seven", 80000, "a command"]];

	for (const [label, option, sum, what] of choices) {
		await choose(page, label, option);
		check(await page.evaluate("page.sums.all[0]"), sum, `${what} is chosen`);
		await choose(page, label, "all");
	}
	await choose(page, "Weight", "samples");
	check(await page.evaluate("page.sums.all[0]"), 100, "the weight is the number of samples");
	await choose(page, "Weight", "period");
	await choose(page, "Split by", "command");
	check(await page.evaluate("top_of(page.graph)"), "seven 80000, eight 20000", "the graph is split by command");
	await choose(page, "Order", "inverted: callees first");
	check(await page.evaluate(`[top_of(page.graph), Array.from(page.graph.sums.tree.order).filter(
		(node) => page.graph.sums.tree.depth[node] === 2).map((node) => name_of(page.graph, node))]`),
	      ["seven 80000, eight 20000", ["cold", "hot", "hot"]], "a split graph is inverted below its groups");
	await choose(page, "Order", "callers first");
	await choose(page, "Split by", "nothing");
}

/* Choose a part of the timeline with the mouse. */
async function drag(page, from, to) {
	const { width, left } = await page.evaluate("({ width: page.timeline.cells * CELL_WIDTH, left: LANE_TEXT })");
	const box = await page.locator("#timeline").boundingBox();

	await page.mouse.move(box.x + left + from * width, box.y + 5);
	await page.mouse.down();
	await page.mouse.move(box.x + left + to * width, box.y + 5);
	await page.mouse.up();
}

async function checkTimeline(page) {
	await drag(page, 0.80, 1);
	/* Samples 80 to 99 are those of the thread 8; the last one is at the end. */
	check(await page.evaluate('[page.sums.all[0], top_of(page.graph), text_of("span")]'),
	      [20000, "main 20000", "20 samples"], "a span that the mouse chooses redraws the graph");
	await page.getByRole("tab", { name: "Table" }).click();
	check(await page.locator("#functions-rows").getByText("cold").count(), 0, "the table is of the span");
	await page.getByRole("tab", { name: "Sandwich" }).click();
	check(await page.evaluate("page.callers.sums.all[0]"), 20000, "the sandwich is of the span");
	await page.getByRole("tab", { name: "Flame graph" }).click();
	await page.locator("#timeline").focus();
	await press(page, "Escape");
	check(await page.evaluate("page.sums.all[0]"), 100000, "Escape chooses the whole recording");
	await press(page, ...Array(10).fill("Shift+ArrowRight"));
	check(await page.evaluate("page.sums.all[0]"), 10000, "keys choose a span");
	await press(page, ...Array(5).fill("Shift+ArrowLeft"));
	check(await page.evaluate("page.sums.all[0]"), 5000, "keys make a span smaller");
	for (const [name, time] of [["From", "0.0795"], ["to", "0.0895"]]) {
		await page.getByRole("spinbutton", { name, exact: true }).press("Control+a");
		await page.keyboard.type(time);
		await press(page, "Tab");
	}
	check(await page.evaluate("page.sums.all[0]"), 10000, "numbers choose a span");
	await page.getByRole("button", { name: "Whole recording" }).click();
	check(await page.evaluate("page.sums.all[0]"), 100000, "a button chooses the whole recording");
	await choose(page, "Rows", "CPUs");
	check(await page.evaluate("page.timeline.lanes.map(([value]) => page.samples.labels.cpu(value))"),
	      ["CPU 0", "CPU 1"], "the timeline has a row for each CPU");
	check(await page.evaluate("page.timeline.heat.reduce((a, b) => a + b)"), 100, "each sample is in the timeline");
}

/* Return the rows of the table, cells joined by spaces. */
function table(page) {
	return page.evaluate(`Array.from(document.querySelectorAll("#functions-rows tr"), (row) =>
		Array.from(row.cells, (cell) => cell.textContent).join(" ").trim())`);
}

async function order(page) {
	return (await table(page)).map((row) => row.match(/\] ([a-z]+)/)[1]);
}

async function checkTable(page) {
	await page.getByRole("tab", { name: "Table" }).click();
	check(await table(page), ["80.00% 80.00% 80,000 [.] hot code.so", "20.00% 20.00% 20,000 [.] cold code.so",
				  "0.00% 100.00% 0 [.] main code.so", "0.00% 80.00% 0 [.] walk code.so"],
	      "the table has self and total of each function; a recursion counts once");
	const title = page.locator("#heads button").nth(1);

	await title.click();
	check(await order(page), ["main", "walk", "hot", "cold"], "a click on a title sorts the table");
	await title.click();
	check([await order(page), await page.locator("[aria-sort]").getAttribute("aria-sort")],
	      [["cold", "walk", "hot", "main"], "ascending"], "a second click turns the order");
	await page.getByRole("button", { name: "[.] walk" }).click();
	check([await page.getByRole("tab", { selected: true }).textContent(),
	       (await page.locator("#function-facts").textContent()).trim()],
	      ["Sandwich", "code.so  total 80.00%, self 0.00%"], "a click on a function opens the sandwich");
}

async function checkSandwich(page) {
	check(await page.evaluate("[top_of(page.callers), top_of(page.callees)]"), ["walk 80000", "walk 80000"],
	      "the sandwich has the callers and the callees of all calls");
	check(await page.evaluate(`[page.callers, page.callees].map((view) =>
		Array.from(view.sums.tree.order).slice(1)
			.map((node) => name_of(view, node) + " " + view.sums.width[node]).join())`),
	      ["walk 80000,main 80000", "walk 80000,hot 60000,walk 20000,hot 20000"],
	      "callers lead outwards, callees inwards");
	await page.getByRole("combobox", { name: "Function", exact: true }).fill("cold");
	await press(page, "Enter");
	check(await page.evaluate("top_of(page.callees)"), "cold 20000", "a name chooses the function");
	await page.getByRole("combobox", { name: "Function", exact: true }).fill("nothing");
	await press(page, "Enter");
	check(await page.locator("#function-facts").textContent(), "no function has this name",
	      "an unknown name is said");
	await page.getByRole("tab", { name: "Sandwich" }).focus();
	await press(page, "ArrowLeft");
	check(await page.getByRole("tab", { selected: true }).textContent(), "Flame graph",
	      "the arrow keys move from tab to tab");
}

/* Return the share of the row of the graph at a depth that has boxes. */
async function covered(page, pixels, depth) {
	const shares = await pixels.shares(page.locator("#graph"), { y: depth * ROW_HEIGHT + 1, height: 1 });

	return 1 - (shares["#ffffff"] || 0);
}

/* Samples: main, walk, hot: 60 %; main, cold: 20 %; main, walk, walk, hot: 20 %. */
async function checkPictures(page, pixels) {
	const graph = page.locator("#graph"), match = "#e05cf0";
	const row = (depth) => ({ y: depth * ROW_HEIGHT + 1, height: 1 });

	await page.getByRole("button", { name: "Reset zoom" }).click();
	await page.mouse.move(0, 0);
	about(await covered(page, pixels, 3), 0.8, "the picture has boxes as wide as their shares");
	about(await covered(page, pixels, 4), 0.2, "the picture has the deepest box");
	about(await covered(page, pixels, 5), 0, "the picture has no box below it");
	await drag(page, 0.80, 1);
	about(await covered(page, pixels, 4), 1, "the picture of a chosen span has other boxes");
	await page.getByRole("button", { name: "Whole recording" }).click();
	await page.getByRole("searchbox", { name: "Search" }).fill("cold");
	await page.locator("#share:not(:empty)").waitFor();
	about((await pixels.shares(graph, row(2)))[match], 0.2, "the picture marks the boxes that a search finds");
	await page.getByRole("searchbox", { name: "Search" }).fill("");
	await until(page, 'text_of("share") === ""');
	about((await pixels.shares(graph, row(2)))[match], 0, "without a search, no box is marked");
	await choose(page, "Grow", "up (flame)");
	about(await covered(page, pixels, 0), 0, "a graph that grows up begins at the lower end");
	await choose(page, "Grow", "down (icicle)");
}

/* The contrast of two colors as WCAG 2 defines it; 4.5 is enough for texts. */
function contrast(a, b) {
	const light = (color) => color.match(/\d+/g).slice(0, 3).map((part) => part / 255)
		.map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
		.reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
	const [less, more] = [light(a), light(b)].sort((x, y) => x - y);

	return (more + 0.05) / (less + 0.05);
}

async function checkTheme(page, pixels) {
	const back = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
	const colors = [], poor = [];

	for (const scheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: scheme });
		await until(page, `document.documentElement.dataset.theme === "${scheme}"`);
		colors.push(await back());
		for (const id of ["facts", "keys", "legend", "search", "tab-flame"]) {
			const color = await page.evaluate(`getComputedStyle(document.getElementById("${id}")).color`);

			if (contrast(color, await back()) < 4.5)
				poor.push(`${scheme} ${id} ${color}`);
		}
	}
	const shares = await pixels.shares(page.locator("#graph"), { y: 5 * ROW_HEIGHT, height: 30 });

	about(shares["#14181d"], 1, "the graph is dark where it has no boxes");
	await page.getByRole("button", { name: "dark and light" }).click();
	colors.push(await back());
	check(colors, ["rgb(255, 255, 255)", "rgb(20, 24, 29)", "rgb(255, 255, 255)"],
	      "the page follows the colors of the desktop, and its button");
	check(poor, [], "texts stand out from the background, dark and light");
}

/* Check that a screen reader has a name for everything that is used. */
async function checkNames(page) {
	const used = ["button", "combobox", "spinbutton", "searchbox", "textbox", "tab", "application"];
	const session = await page.context().newCDPSession(page);
	const nodes = (await session.send("Accessibility.getFullAXTree")).nodes
		.filter((node) => !node.ignored && used.includes(node.role.value.toLowerCase()));
	const roles = [...new Set(nodes.map((node) => node.role.value.toLowerCase()))].sort();

	check([roles, nodes.filter((node) => !node.name || !node.name.value)],
	      [["application", "button", "combobox", "searchbox", "spinbutton", "tab"], []],
	      "each control and each graph has a name for a screen reader");
}

async function checkCompared(page) {
	check(await page.evaluate(`Array.from(page.graph.sums.tree.order).filter((node) =>
		page.graph.sums.width[node] && node).map((node) => page.graph.label(node))`),
	      ["+0.00% main", "gone: cold", "new: fresh", "-20.00% walk", "-20.00% hot"],
	      "a comparison names what grew, shrank, is new and is gone");
	check(await page.evaluate(`["cold", "fresh", "hot", "main"].map((name) =>
		page.graph.color(node_of(page.graph, name))).map((color) =>
		color === GONE_COLOR ? "gone" : color === NEW_COLOR ? "new" :
		FEWER_COLORS.includes(color) ? "blue" : color === EQUAL_COLOR ? "equal" : color)`),
	      ["gone", "new", "blue", "equal"], "a comparison has the colors of growth");
	await page.locator("#graph").hover({ position: await page.evaluate('place_of(page.graph, "hot")') });
	check((await page.getByRole("tooltip").textContent()).split("\n").slice(2),
	      ["baseline total 60.00%, 60,000", "baseline self 60.00%, 60,000", "new total 40.00%, 4,000",
	       "new self 40.00%, 4,000", "change -20.00%"], "the tooltip has both recordings");
	await page.getByRole("tab", { name: "Table" }).click();
	check((await table(page))[0], "0.00% 0.00% 60.00% 60.00% +60.00% new [.] fresh code.so",
	      "the table of a comparison begins with the largest change");
	check(page.problems, [], "the comparison has no errors");
}

async function checkWaiting(page) {
	check(await page.evaluate("top_of(page.graph)"), "main 60000000",
	      "the weight of time off the CPU is the time");
	check(await page.evaluate(`page.timeline.heat.reduce((cells, x) => cells + (x > 0), 0) /
		page.timeline.cells > 0.55`), true, "the timeline shows all of the time off the CPU");
	await choose(page, "Off-CPU reason", "I/O");
	check(await page.evaluate("top_of(page.graph)"), "main 10000000", "a reason is chosen");
	await choose(page, "Off-CPU reason", "all");
	await choose(page, "Split by", "off-CPU reason");
	check(await page.evaluate("top_of(page.graph)"), "sleeping 50000000, I/O 10000000",
	      "the graph is split by reason");
	check(page.problems, [], "the page of time off the CPU has no errors");
}

const HOSTILE = ["<img src=x onerror=alert(1)></script>", "<script>alert(2)</script>",
	"q\"uo'te`${alert(3)}&lt;", "\\xe2\\x80\\xaetfel\\xe2\\x80\\xac"];

async function checkHostile(page, file) {
	await page.getByRole("tab", { name: "Table" }).click();
	const rows = await table(page);

	check(HOSTILE.filter((name) => !rows.some((row) => row.includes(`[.] ${name} code.so`))), [],
	      "hostile names are shown as they are, with what turns the direction of texts escaped");
	await page.getByRole("tab", { name: "Flame graph" }).click();
	for (const name of HOSTILE) {
		const place = await page.evaluate((text) => globalThis.place_of(eval("page").graph, text), name)
			.catch(() => null);

		if (place)
			await page.locator("#graph").hover({ position: place });
	}
	await choose(page, "CPU", "CPU 4294967295");
	check(await page.evaluate("page.sums.all[0]"), 1000, "a number of 32 bits is not taken for all");
	check([page.problems, page.requests, await page.evaluate("document.images.length")],
	      [[], [`file://${file}`], 0], "hostile names do nothing");
}

async function checkWithoutJavaScript(page) {
	const text = await page.locator("noscript").innerText();

	check([HOSTILE.filter((name) => !text.includes(name)), text.includes("Samples"), page.problems],
	      [[], true, []], "without JavaScript the page has its table");
	check(await page.getByRole("button").count(), 0, "without JavaScript there are no buttons that do nothing");
}

async function main() {
	const [plain, compared, waiting, hostile] = process.argv.slice(2), browser = await launch();
	const openReady = async (file) => {
		const page = await open(browser, file);

		page.on("dialog", (dialog) => {
			page.problems.push(`a dialog: ${dialog.message()}`);
			dialog.dismiss();
		});
		await page.evaluate(HELPERS);
		return page;
	};

	try {
		const page = await openReady(plain);
		const pixels = new Pixels(await (await browser.newContext()).newPage());

		for (const part of [checkGraph, checkInverted, checkSearch, checkChoices, checkTimeline, checkTable,
				    checkSandwich, checkNames, checkPictures, checkTheme])
			await part(page, pixels);
		check([page.problems, page.requests], [[], [`file://${plain}`]],
		      "the page has no errors, and asks for no other file");
		await checkCompared(await openReady(compared));
		await checkWaiting(await openReady(waiting));
		await checkHostile(await openReady(hostile), hostile);
		await checkWithoutJavaScript(await open(browser, hostile, { javaScriptEnabled: false }));
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.error(error);
	process.exitCode = 1;
});
