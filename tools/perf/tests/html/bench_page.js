/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Measure how long a page of "perf report --html" takes to be shown, and how much CPU time its
 * scripts need in a frame: bench_page.js PAGE
 *
 * The CPU time is the browser's own, from its trace, so that other programs do not change it much.
 */

const { launch, open } = require("./browser.js");

/* The scripts may need this CPU time in a frame, in ms. */
const FRAME_MAX = 50;

/* Move by the wheel: zoom in and out at some places, scroll, move sideways. One step in a frame. */
const MOVES = `(async () => {
	const view = page.graph, frame = () => new Promise((done) => requestAnimationFrame(done));

	for (let i = 0; i < 160; i++) {
		const wheel = i < 120 ? { deltaY: i % 40 < 25 ? -100 : 160, ctrlKey: true } :
			{ deltaY: i % 20 < 10 ? 100 : -100, shiftKey: i % 2 > 0 };

		view.canvas.dispatchEvent(new WheelEvent("wheel", { ...wheel, cancelable: true,
			clientX: view.width * ((i * 37) % 100) / 100, clientY: 400 }));
		await frame();
	}
	view.reset();
})()`;

/* Name and expression of other steps, which need not fit a frame. */
const STEPS = [
	["draw all", "page.graph.draw()"],
	["choose a span", "page.chooseSpan({ from: 1e8, to: 4e8 })"],
	["choose all", "page.chooseSpan(null)"],
	["search", 'document.getElementById("search").value = "00[0-4]0$"; page.updateSearch()'],
	["invert", 'document.getElementById("order").value = "inverted"; page.updateView()'],
	["table", 'page.chooseTab("table")'],
	["sandwich", 'page.chooseTab("sandwich")'],
	["split by command", 'document.getElementById("split").value = "comm"; page.update()'],
];

/* Return the CPU time in ms of the callbacks of each frame during an expression, sorted. */
async function frames(browser, page, expression) {
	await browser.startTracing(page, { categories: ["devtools.timeline"] });
	await page.evaluate(expression);
	const { traceEvents } = JSON.parse(await browser.stopTracing());

	return traceEvents.filter(({ name, ph }) => name === "FireAnimationFrame" && ph === "X")
		.map(({ tdur }) => tdur / 1000).sort((a, b) => a - b);
}

async function main() {
	const begin = Date.now(), browser = await launch();

	try {
		const page = await open(browser, process.argv[2]);

		console.log(`shown after ${((Date.now() - begin) / 1000).toFixed(1)} s, with the start of the browser`);
		console.log("samples, nodes: " + await page.evaluate(
			"`${page.samples.data.recordings[0].nr} ${page.sums.tree.nr}`"));
		const times = await frames(browser, page, MOVES), last = times[times.length - 1];

		console.log(`${times.length} frames: CPU time of scripts: median ` +
			    `${times[times.length >> 1].toFixed(1)} ms, all ${last.toFixed(1)} ms`);
		for (const [name, step] of STEPS) {
			const took = await page.evaluate(`(() => { const begin = performance.now();
				${step}; return performance.now() - begin; })()`);

			console.log(`${name}: ${took.toFixed(0)} ms`);
		}
		if (times.length < 160)
			throw new Error(`the trace has ${times.length} frames of 160`);
		if (last > FRAME_MAX)
			throw new Error(`a frame needs more than ${FRAME_MAX} ms`);
		if (page.problems.length)
			throw new Error(page.problems.join("\n"));
	} finally {
		await browser.close();
	}
}

main().catch((error) => {
	console.error(error.message);
	process.exitCode = 1;
});
