/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * The page: what is chosen, and the views of it. Names come from recordings of others, so they
 * reach the page as textContent only.
 */

const NS = 1e9;

function element(id) {
	return document.getElementById(id);
}

class Page {
	constructor(data) {
		this.samples = new Samples(data);
		this.span = null;
		this.tab = "flame";
		this.matches = null;
		const actions = {
			facts: (sums, node) => this.facts(sums, node),
			say: (text) => { element("live").textContent = text; },
			open: (frame) => this.openFunction(frame),
			tip: (text, x, y) => this.showTip(text, x, y),
		};

		this.graph = new FlameView(element("graph"), this.samples, actions);
		this.callers = new FlameView(element("callers"), this.samples, actions);
		this.callees = new FlameView(element("callees"), this.samples, actions);
		this.callers.up = true;
		this.table = new FunctionTable(element("heads"), element("functions-rows"), element("more"),
					       this.samples, (frame) => this.openFunction(frame));
		this.timeline = new Timeline(element("timeline"), this.samples,
					     (span) => this.chooseSpan(span));
		this.showFacts();
		this.fillSelects();
		this.listen();
		this.update();
	}

	/* Say what the recordings are. */
	showFacts() {
		const { recordings, events } = this.samples.data, names = ["Baseline: ", "New: "];

		recordings.forEach((recording, i) => {
			const line = document.createElement("div");
			const date = recording.date ? new Date(recording.date * 1000).toLocaleString() : "";
			const facts = [recording.command || recording.path, recording.host, recording.release,
				recording.processor, date, events.join(", "), `${recording.nr.toLocaleString("en")} samples`,
				recording.lost ? `${recording.lost.toLocaleString("en")} lost` : ""];

			line.textContent = (recordings.length > 1 ? names[i] : "") +
				facts.filter(Boolean).join(" \u00b7 ");
			element("facts").append(line);
		});
		element("timeline").closest("section").hidden = !this.samples.duration;
		element("width-label").hidden = recordings.length < 2;
		element("legend").textContent = recordings.length > 1 ?
			"Red: a larger share than in the baseline; blue: a smaller one; " +
				"\u201cnew:\u201d and \u201cgone:\u201d are in one recording only." :
			"Red: kernel; other colors: one for each file; violet: found by the search.";
	}

	/* Offer the values of each property, or hide it if all samples have the same. */
	fillSelects() {
		for (const property of PROPERTIES) {
			const select = element(property), values = this.samples.values(property);

			select.parentElement.hidden = values.length < 2;
			/* Periods of different events cannot be added. */
			if (property !== "event")
				select.append(new Option("all", "-1"));
			for (const [value] of values.slice(0, 1000))
				select.append(new Option(this.samples.labels[property](value), String(value)));
			for (const option of element("split").options) {
				if (option.value === property)
					option.hidden = values.length < 2;
			}
		}
	}

	/* Return the choices of the controls. */
	chosen() {
		const chosen = { weight: element("weight").value, split: element("split").value,
			width: element("width").value };

		for (const property of PROPERTIES)
			chosen[property] = element(property).value === "" ? -1 : Number(element(property).value);
		chosen.from = this.span ? this.span.from : -Infinity;
		chosen.to = this.span ? this.span.to : Infinity;
		return chosen;
	}

	/* Sum the chosen samples up, and show them. */
	update() {
		const chosen = this.chosen();

		this.sums = this.samples.sums(chosen);
		this.inverted = null;
		this.timeline.show(chosen, element("rows").value);
		this.updateSearch();
	}

	updateSpan() {
		this.sums = this.samples.sums(this.chosen());
		this.inverted = null;
		this.timeline.setSpan(this.span);
		this.updateSearch();
	}

	/* Show the view whose tab is chosen. */
	updateView() {
		const { rank } = this.sumsRank(), width = element("width").value;

		if (this.tab === "flame") {
			this.graph.up = element("grow").value === "up";
			if (element("order").value === "inverted") {
				this.inverted = this.inverted ||
					invertSums(this.sums, rank, width, this.samples.groups.length > 0);
				this.graph.show(this.inverted);
			} else {
				this.graph.show(this.sums);
			}
		} else if (this.tab === "table") {
			this.table.show(this.sums, this.matches);
			this.table.draw();
		} else {
			this.updateSandwich();
		}
	}

	sumsRank() {
		return { rank: this.samples.groups.length ? this.samples.rankWithGroups() : this.samples.rank };
	}

	/* Mark the functions whose names match the search. */
	updateSearch() {
		const text = element("search").value, share = element("share"), { samples } = this;
		let regex = null;

		element("search").removeAttribute("aria-invalid");
		try {
			regex = text ? new RegExp(text) : null;
		} catch {
			element("search").setAttribute("aria-invalid", "true");
			share.textContent = "not a regular expression";
			return;
		}
		this.matches = regex ? new Uint8Array(samples.data.nrFrames + samples.groups.length) : null;
		for (let frame = 0; regex && frame < samples.data.nrFrames; frame++)
			this.matches[frame] = regex.test(samples.name(frame)) ? 1 : 0;
		share.textContent = regex ? `matched: ${percent(this.sums.matchedShare(this.matches))}` : "";
		for (const view of [this.graph, this.callers, this.callees])
			view.matches = this.matches;
		this.updateView();
	}

	/* Return what is known of a node, as a text for the tooltip and for screen readers. */
	facts(sums, node) {
		const { samples } = this, frame = sums.tree.frame[node], lines = [samples.name(frame)];
		const unit = element("weight").value === "samples" ? " samples" : "";
		const names = sums.all.length > 1 ? ["baseline ", "new "] : [""];

		if (frame >= 0 && !samples.isGroup(frame) && samples.mode(frame) !== "-") {
			const source = samples.source(frame);

			lines.push(`[${samples.mode(frame)}] ${samples.dso(frame)}`);
			if (source)
				lines.push(source);
		}
		names.forEach((name, i) => {
			const amount = (number) => number.toLocaleString("en") + unit;
			const self = sums.selfs[i][node], total = sums.totals[i][node];

			lines.push(`${name}total ${percent(sums.share(node, i))}, ${amount(total)}`);
			lines.push(`${name}self ${percent(sums.all[i] ? self / sums.all[i] : 0)}, ${amount(self)}`);
		});
		if (sums.all.length > 1)
			lines.push(`change ${signedPercent(sums.growth(node))}`);
		return lines.join("\n");
	}

	showTip(text, x, y) {
		const tip = element("tip");

		tip.hidden = !text;
		tip.textContent = text;
		if (!text)
			return;
		const { width, height } = tip.getBoundingClientRect();
		const below = y + 18 + height <= innerHeight;

		tip.style.left = `${Math.max(0, Math.min(x + 14, innerWidth - width - 4))}px`;
		tip.style.top = `${below ? y + 18 : Math.max(0, y - height - 10)}px`;
	}

	openFunction(frame) {
		this.frame = frame;
		element("function").value = this.samples.name(frame);
		this.chooseTab("sandwich");
		this.callees.canvas.focus();
	}

	/* Find the function that was typed: the one with the largest share, if several have the name. */
	typeFunction() {
		const name = element("function").value, { samples } = this;
		const [{ total }] = this.sums.functions(samples.data.nrFrames).slice(-1);
		let found = -1;

		for (let frame = 0; frame < samples.data.nrFrames; frame++) {
			if (samples.name(frame) === name && (found < 0 || total[frame] > total[found]))
				found = frame;
		}
		this.frame = found;
		this.updateSandwich();
	}

	updateSandwich() {
		const { rank } = this.sumsRank(), width = element("width").value, { samples } = this;
		const all = this.sums.functions(samples.data.nrFrames);
		const [{ self, total }] = all.slice(-1), i = all.length - 1;

		if (this.frame === undefined)
			this.frame = total.reduce((best, x, frame) => x > total[best] ? frame : best, 0);
		this.offerFunctions(total);
		const frame = this.frame, share = (x) => percent(this.sums.all[i] ? x / this.sums.all[i] : 0);

		this.callers.show(callersOf(this.sums, frame, rank, width));
		this.callees.show(calleesOf(this.sums, frame, rank, width));
		if (frame < 0 || !samples.data.nrFrames) {
			element("function-facts").textContent = "no function has this name";
			return;
		}
		element("function").value = samples.name(frame);
		element("function-facts").textContent = `${samples.dso(frame)} ${samples.source(frame)} ` +
			`total ${share(total[frame])}, self ${share(self[frame])}`;
	}

	offerFunctions(total) {
		const order = [...total.keys()].sort((a, b) => total[b] - total[a]).slice(0, 200);

		element("functions").replaceChildren(...order.map((frame) => {
			const option = document.createElement("option");

			option.value = this.samples.name(frame);
			return option;
		}));
	}

	chooseSpan(span) {
		this.span = span;
		element("from").value = span ? (span.from / NS).toFixed(6) : "";
		element("to").value = span ? (span.to / NS).toFixed(6) : "";
		this.updateSpan();
		element("span").textContent = span ? `${this.samples.nrChosen.toLocaleString("en")} samples` : "";
	}

	/* Take the span from the two numbers, of which one was typed. */
	typeSpan(typed) {
		const from = Number(element("from").value) * NS, { duration } = this.samples;
		const to = element("to").value === "" ? duration : Number(element("to").value) * NS;

		if (element(typed).value === "" && (from === 0 || to === duration))
			this.chooseSpan(null);
		else if (from <= to)
			this.chooseSpan({ from, to });
		else
			this.chooseSpan(typed === "from" ? { from, to: duration } : { from: 0, to });
	}

	chooseTab(name) {
		this.tab = name;
		for (const tab of document.querySelectorAll("[role=tab]")) {
			const isChosen = tab.id === `tab-${name}`;

			tab.setAttribute("aria-selected", String(isChosen));
			tab.tabIndex = isChosen ? 0 : -1;
			element(tab.getAttribute("aria-controls")).hidden = !isChosen;
		}
		this.updateView();
	}

	redraw() {
		for (const view of [this.graph, this.callers, this.callees, this.timeline])
			view.draw();
	}

	listen() {
		const change = (id, action) => element(id).addEventListener("change", action);

		for (const id of [...PROPERTIES, "weight", "split", "rows", "width"])
			change(id, () => this.update());
		change("order", () => this.updateView());
		change("grow", () => this.updateView());
		change("from", () => this.typeSpan("from"));
		change("to", () => this.typeSpan("to"));
		change("function", () => this.typeFunction());
		element("whole").addEventListener("click", () => this.chooseSpan(null));
		element("reset").addEventListener("click", () => this.graph.reset());
		element("controls").addEventListener("submit", (event) => event.preventDefault());
		element("search").addEventListener("input", () => {
			clearTimeout(this.typing);
			this.typing = setTimeout(() => this.updateSearch(), 150);
		});
		element("theme").addEventListener("click", () => switchTheme(this));
		for (const tab of document.querySelectorAll("[role=tab]"))
			tab.addEventListener("click", () => this.chooseTab(tab.id.slice(4)));
		element("tabs").addEventListener("keydown", (event) => this.tabKey(event));
		document.addEventListener("keydown", (event) => {
			if (event.key !== "/" || event.target.matches("input, select"))
				return;
			element("search").focus();
			event.preventDefault();
		});
		addEventListener("resize", () => this.redraw());
	}

	tabKey(event) {
		const tabs = ["flame", "sandwich", "table"], step = { ArrowLeft: 2, ArrowRight: 1 }[event.key];

		if (!step)
			return;
		this.chooseTab(tabs[(tabs.indexOf(this.tab) + step) % tabs.length]);
		element(`tab-${this.tab}`).focus();
		event.preventDefault();
	}
}

function setTheme(isDark) {
	document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

function switchTheme(page) {
	setTheme(document.documentElement.dataset.theme !== "dark");
	page.redraw();
}

/* The page, for those who look into it with the tools of a browser, and for tests. */
let page = null;

async function start() {
	const dark = matchMedia("(prefers-color-scheme: dark)");

	setTheme(dark.matches);
	dark.addEventListener("change", () => {
		setTheme(dark.matches);
		if (page)
			page.redraw();
	});
	try {
		const data = readData(await unpackData(element("data").textContent));

		element("data").remove();
		element("app").hidden = false;
		page = new Page(data);
	} catch (error) {
		element("problem").hidden = false;
		element("problem").textContent = `The page cannot show its data: ${error}. ` +
			"It needs a browser of 2023 or later.";
	}
}

start();
