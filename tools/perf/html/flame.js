/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * A graph of sums on a tree: a row for each level, a box for each node, as wide as its sum.
 */

const ROW_HEIGHT = 17;
const FONT = "11px ui-monospace, monospace";
/* The smallest box that is drawn alone, and that has a text, in pixels. */
const BOX_MIN = 0.5;
const TEXT_MIN = 26;

const USER_COLORS = ["#f2c879", "#f0b37e", "#e9d27a", "#d9cf8a", "#c9d68a", "#b5d99c", "#9fd8b2",
	"#98d4c8", "#a6cfdf", "#b9c8ea", "#cbc0ea", "#dfbbe0"];
const KERNEL_COLOR = "#f19b84";
const GROUP_COLOR = "#c3c9d1";
const MATCH_COLOR = "#e05cf0";
const FEWER_COLORS = ["#dbe7fb", "#b9d2f8", "#8fb6f3", "#6799ea"];
const MORE_COLORS = ["#fbe0dc", "#f8bfb6", "#f39588", "#ea6a5c"];
const GONE_COLOR = "#4f8df0";
const NEW_COLOR = "#f2503f";
const EQUAL_COLOR = "#d5d9de";

function colorOfName(name) {
	let hash = 0;

	for (let i = 0; i < name.length; i++)
		hash = (Math.imul(hash, 31) + name.charCodeAt(i)) >>> 0;
	return USER_COLORS[hash % USER_COLORS.length];
}

/* Return the color of a node that grew, from a share to another. */
function colorOfGrowth(before, after) {
	const growth = after - before, part = Math.abs(growth) / Math.max(before, after, 1e-12);

	if (!before)
		return NEW_COLOR;
	if (!after)
		return GONE_COLOR;
	if (part < 0.02)
		return EQUAL_COLOR;
	return (growth > 0 ? MORE_COLORS : FEWER_COLORS)[Math.min(3, Math.floor(part * 5))];
}

class FlameView {
	/*
	 * actions: facts(sums, node) returns the text of the tooltip; say(text) tells a screen
	 * reader; open(frame) shows a function in the sandwich; tip(text, x, y) shows the tooltip
	 */
	constructor(canvas, samples, actions) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.samples = samples;
		this.actions = actions;
		this.up = false;
		this.matches = null;
		this.sums = null;
		this.colors = this.makeColors();
		this.listen();
	}

	/* The color of each function without a comparison. */
	makeColors() {
		const { samples } = this, colors = [], byDso = samples.data.dsos.map(colorOfName);

		for (let frame = 0; frame < samples.data.nrFrames; frame++) {
			const isKernel = "kgH".includes(samples.mode(frame));

			colors.push(isKernel ? KERNEL_COLOR : byDso[samples.data.frame.dso[frame]]);
		}
		return colors;
	}

	/* Show sums. The same ones, after a search or in another direction, stay zoomed. */
	show(sums) {
		const isSame = sums === this.sums;

		this.sums = sums;
		if (isSame)
			this.draw();
		else
			this.reset();
	}

	reset() {
		this.focus = 0;
		this.selected = 0;
		this.row = 0;
		this.left = 0;
		this.right = Math.max(this.sums.width[0], 1e-300);
		this.draw();
	}

	/* Have the box of a node take the whole width. */
	zoom(node) {
		this.focus = node;
		this.selected = node;
		this.left = this.sums.start[node];
		this.right = this.left + Math.max(this.sums.width[node], 1e-300);
		this.reveal(node);
		this.draw();
	}

	rows() {
		return Math.max(1, Math.floor(this.height / ROW_HEIGHT));
	}

	/* Scroll so that the row of a node can be seen. */
	reveal(node) {
		const depth = this.sums.tree.depth[node], rows = this.rows();

		if (depth < this.row)
			this.row = depth;
		else if (depth >= this.row + rows)
			this.row = depth - rows + 1;
	}

	resize() {
		const ratio = window.devicePixelRatio || 1;

		this.width = this.canvas.clientWidth;
		this.height = this.canvas.clientHeight;
		const width = Math.round(this.width * ratio), height = Math.round(this.height * ratio);

		if (this.canvas.width !== width || this.canvas.height !== height) {
			this.canvas.width = width;
			this.canvas.height = height;
		}
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
	}

	y(depth) {
		const row = depth - this.row;

		return this.up ? this.height - (row + 1) * ROW_HEIGHT : row * ROW_HEIGHT;
	}

	/*
	 * Return the boxes on the canvas by color, as x, y and width one after the other, and the
	 * nodes with texts. Boxes of less than a pixel share the pixel.
	 */
	collect() {
		const { tree, start, width } = this.sums, rows = this.rows() + 1;
		const scale = this.width / (this.right - this.left), boxes = new Map(), texts = [];
		const last = new Float64Array(rows + 1).fill(-1), stack = [0];

		while (stack.length) {
			const node = stack.pop(), row = tree.depth[node] - this.row;
			const from = Math.max(0, (start[node] - this.left) * scale);
			const to = Math.min(this.width, (start[node] + width[node] - this.left) * scale);

			if (row >= 0 && Math.ceil(to) > last[row]) {
				const color = this.color(node), x = Math.max(from, last[row]);

				if (!boxes.has(color))
					boxes.set(color, []);
				boxes.get(color).push(x, this.y(tree.depth[node]),
						      Math.max(to - x - (to - x > 3 ? 0.5 : 0), BOX_MIN));
				last[row] = to - from < 1 ? Math.floor(from) + 1 : to;
				if (to - from > TEXT_MIN)
					texts.push(node, from, to - from);
			}
			if (row + 1 < rows)
				this.pushVisible(stack, node, scale);
		}
		return { boxes, texts };
	}

	/* Push the nodes below a node that are on the canvas, the last one first. */
	pushVisible(stack, node, scale) {
		const { tree, start, width } = this.sums, { left, right } = this, from = stack.length;
		const least = BOX_MIN / scale;

		for (let child = tree.first[node]; child; child = tree.next[child]) {
			if (start[child] >= right)
				break;
			if (width[child] >= least && start[child] + width[child] > left)
				stack.push(child);
		}
		for (let i = from, j = stack.length - 1; i < j; i++, j--)
			[stack[i], stack[j]] = [stack[j], stack[i]];
	}

	color(node) {
		const frame = this.sums.tree.frame[node];

		if (frame < 0 || this.samples.isGroup(frame))
			return GROUP_COLOR;
		if (this.matches && this.matches[frame])
			return MATCH_COLOR;
		if (this.sums.all.length > 1)
			return colorOfGrowth(this.sums.share(node, 0), this.sums.share(node, 1));
		return this.colors[frame];
	}

	/* Return the text of a box. Colors alone would not tell what is new and what is gone. */
	label(node) {
		const name = this.samples.name(this.sums.tree.frame[node]);

		if (this.sums.all.length < 2 || !node)
			return name;
		const before = this.sums.share(node, 0), after = this.sums.share(node, 1);

		if (!before || !after)
			return `${before ? "gone" : "new"}: ${name}`;
		return `${signedPercent(after - before)} ${name}`;
	}

	draw() {
		if (!this.sums || !this.canvas.offsetParent)
			return;
		this.resize();
		const { context } = this, style = getComputedStyle(document.documentElement);

		context.fillStyle = style.getPropertyValue("--back");
		context.fillRect(0, 0, this.width, this.height);
		const { boxes, texts } = this.collect();

		for (const [color, list] of boxes) {
			context.fillStyle = color;
			for (let i = 0; i < list.length; i += 3)
				context.fillRect(list[i], list[i + 1], list[i + 2], ROW_HEIGHT - 1);
		}
		this.drawTexts(texts);
		this.drawSelected(style.getPropertyValue("--mark"));
	}

	drawTexts(texts) {
		const { context } = this;

		context.font = FONT;
		context.fillStyle = "#16191d";
		context.textBaseline = "middle";
		const letter = context.measureText("m").width;

		for (let i = 0; i < texts.length; i += 3) {
			const [node, x, width] = [texts[i], texts[i + 1], texts[i + 2]];
			const room = Math.floor((width - 6) / letter);
			let text = this.label(node);

			if (text.length > room)
				text = room > 2 ? `${text.slice(0, room - 1)}\u2026` : "";
			if (text)
				context.fillText(text, x + 3, this.y(this.sums.tree.depth[node]) +
						 ROW_HEIGHT / 2);
		}
	}

	drawSelected(color) {
		const { context, selected } = this, { start, width, tree } = this.sums;
		const scale = this.width / (this.right - this.left);
		const x = Math.max(0, (start[selected] - this.left) * scale);
		const end = Math.min(this.width, (start[selected] + width[selected] - this.left) * scale);

		if (document.activeElement !== this.canvas || tree.depth[selected] < this.row)
			return;
		context.strokeStyle = color;
		context.lineWidth = 2;
		context.strokeRect(x + 1, this.y(tree.depth[selected]) + 1, Math.max(end - x - 2, 1),
				   ROW_HEIGHT - 3);
	}

	/* Return the node at a place of the canvas, or -1. */
	nodeAt(x, y) {
		const { tree, start, width } = this.sums;
		const row = Math.floor((this.up ? this.height - y : y) / ROW_HEIGHT);
		const at = this.left + x / this.width * (this.right - this.left);
		let node = 0;

		for (let depth = row + this.row; depth > 0; depth--) {
			node = tree.first[node];
			while (node && !(at >= start[node] && at < start[node] + width[node]))
				node = tree.next[node];
			if (!node)
				return -1;
		}
		return row + this.row < 0 ? -1 : node;
	}

	/* Move the selection; what the arrow keys mean follows from the direction of the graph. */
	move(key) {
		const { tree, width } = this.sums, outward = this.up ? "ArrowDown" : "ArrowUp";
		let node = this.selected;

		if (key === outward)
			node = tree.caller[node];
		else if (key === "ArrowUp" || key === "ArrowDown")
			node = this.widest(node) || node;
		else
			node = this.sibling(node, key === "ArrowRight" ? 1 : -1);
		if (node === this.selected || !width[node])
			return;
		this.selected = node;
		if (this.isOutside(node))
			this.zoom(tree.caller[node]);
		this.selected = node;
		this.reveal(node);
		this.draw();
		this.actions.say(this.actions.facts(this.sums, node));
	}

	isOutside(node) {
		const { start, width } = this.sums;

		return start[node] >= this.right || start[node] + width[node] <= this.left ||
			width[node] / (this.right - this.left) * this.width < 1;
	}

	widest(node) {
		const { tree, width } = this.sums;
		let found = 0;

		for (let child = tree.first[node]; child; child = tree.next[child]) {
			if (width[child] > (found ? width[found] : 0))
				found = child;
		}
		return found;
	}

	/* Return the next node with samples beside a node, or the node if it is the last one. */
	sibling(node, step) {
		const { tree, width } = this.sums;
		let before = node;

		if (!node)
			return node;
		if (step > 0) {
			for (let at = tree.next[node]; at; at = tree.next[at]) {
				if (width[at])
					return at;
			}
			return node;
		}
		for (let at = tree.first[tree.caller[node]]; at !== node; at = tree.next[at]) {
			if (width[at])
				before = at;
		}
		return before;
	}

	zoomOut() {
		const node = this.focus;

		this.zoom(node ? this.sums.tree.caller[node] : 0);
		this.selected = node;
		this.draw();
	}

	key(event) {
		const actions = {
			"Enter": () => this.zoom(this.selected),
			"Backspace": () => this.zoomOut(),
			"Escape": () => this.reset(),
			"s": () => this.openSelected(),
		};

		if (event.ctrlKey || event.altKey || event.metaKey)
			return;
		if (event.key.startsWith("Arrow"))
			this.move(event.key);
		else if (Object.hasOwn(actions, event.key))
			actions[event.key]();
		else
			return;
		event.preventDefault();
	}

	openSelected() {
		const frame = this.sums.tree.frame[this.selected];

		if (frame >= 0 && !this.samples.isGroup(frame))
			this.actions.open(frame);
	}

	wheel(event) {
		const span = this.right - this.left, whole = this.sums.width[0];

		event.preventDefault();
		if (event.ctrlKey) {
			const part = event.offsetX / this.width, at = this.left + part * span;
			const wide = Math.min(whole, span * Math.exp(event.deltaY / 300));

			this.left = Math.max(0, Math.min(at - part * wide, whole - wide));
			this.right = this.left + wide;
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			const delta = (event.deltaX || event.deltaY) / this.width * span;

			this.left = Math.max(0, Math.min(this.left + delta, whole - span));
			this.right = this.left + span;
		} else {
			const delta = Math.sign(event.deltaY) * (this.up ? -2 : 2);

			this.row = Math.max(0, Math.min(this.row + delta, this.sums.tree.deepest));
		}
		this.schedule();
	}

	/* Draw once before the next frame. */
	schedule() {
		if (this.scheduled)
			return;
		this.scheduled = true;
		requestAnimationFrame(() => {
			this.scheduled = false;
			this.draw();
		});
	}

	listen() {
		const { canvas } = this;

		canvas.addEventListener("click", (event) => {
			const node = this.sums ? this.nodeAt(event.offsetX, event.offsetY) : -1;

			if (node >= 0)
				this.zoom(node);
		});
		canvas.addEventListener("dblclick", () => this.openSelected());
		canvas.addEventListener("mousemove", (event) => {
			const node = this.sums ? this.nodeAt(event.offsetX, event.offsetY) : -1;

			this.actions.tip(node < 0 ? "" : this.actions.facts(this.sums, node),
					 event.clientX, event.clientY);
		});
		canvas.addEventListener("mouseleave", () => this.actions.tip("", 0, 0));
		canvas.addEventListener("keydown", (event) => this.key(event));
		canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
		canvas.addEventListener("focus", () => this.draw());
		canvas.addEventListener("blur", () => this.draw());
	}
}

function percent(share) {
	return `${(100 * share).toFixed(2)}%`;
}

function signedPercent(share) {
	return `${share < 0 ? "" : "+"}${(100 * share).toFixed(2)}%`;
}
