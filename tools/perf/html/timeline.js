/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * The samples by time, a row for each thread or CPU. The darker a cell is, the more samples it has.
 */

const LANE_HEIGHT = 13;
const LANE_TEXT = 180;
const LANES_MAX = 400;
const CELL_WIDTH = 3;
/* Number of parts of the timeline that an arrow key moves the cursor by one of. */
const KEY_STEPS = 100;

class Timeline {
	/* choose(from, to) receives a span in ns, or null for the whole recording. */
	constructor(canvas, samples, choose) {
		this.canvas = canvas;
		this.context = canvas.getContext("2d", { alpha: false });
		this.samples = samples;
		this.choose = choose;
		this.span = null;
		this.cursor = 0;
		this.property = "thread";
		this.chosen = null;
		this.listen();
	}

	show(chosen, property) {
		this.property = property;
		this.chosen = { ...chosen, from: -Infinity, to: Infinity };
		this.lanes = this.samples.values(property).slice(0, LANES_MAX);
		this.heat = null;
		this.draw();
	}

	setSpan(span) {
		this.span = span;
		this.draw();
	}

	/* Count the chosen samples of each cell. A sample of time off the CPU has all of the time. */
	count(cells) {
		const lane = new Map(this.lanes.map(([value], i) => [value, i]));
		const heat = new Float64Array(this.lanes.length * cells);

		for (const recording of this.samples.data.recordings) {
			const { time, period, reason } = recording, of = recording[this.property];

			for (const i of this.samples.choose(recording, this.chosen)) {
				const row = lane.get(of[i]), last = this.cell(time[i], cells);

				if (row === undefined)
					continue;
				const first = reason[i] ? this.cell(time[i] - period[i], cells) : last;

				for (let cell = first; cell <= last; cell++)
					heat[row * cells + cell]++;
			}
		}
		return heat;
	}

	cell(time, cells) {
		const cell = Math.floor(time / (this.samples.duration || 1) * cells);

		return Math.max(0, Math.min(cells - 1, cell));
	}

	draw() {
		const ratio = window.devicePixelRatio || 1, { canvas, context } = this;

		if (!this.chosen || !canvas.offsetParent)
			return;
		const width = canvas.clientWidth, height = Math.max(1, this.lanes.length) * LANE_HEIGHT;

		canvas.style.height = `${height}px`;
		canvas.width = Math.round(width * ratio);
		canvas.height = Math.round(height * ratio);
		context.setTransform(ratio, 0, 0, ratio, 0, 0);
		const cells = Math.max(1, Math.floor((width - LANE_TEXT) / CELL_WIDTH));

		if (!this.heat || this.heat.length !== cells * this.lanes.length)
			this.heat = this.count(cells);
		this.cells = cells;
		this.drawHeat(width, height);
		this.drawSpan(height);
	}

	drawHeat(width, height) {
		const { context, cells } = this, style = getComputedStyle(document.documentElement);
		const most = this.heat.reduce((a, b) => Math.max(a, b), 1);

		context.fillStyle = style.getPropertyValue("--back");
		context.fillRect(0, 0, width, height);
		context.font = FONT;
		context.textBaseline = "middle";
		context.fillStyle = style.getPropertyValue("--text");
		this.lanes.forEach(([value], row) => {
			const text = this.samples.labels[this.property](value);

			context.fillText(text.slice(0, 26), 2, (row + 0.5) * LANE_HEIGHT);
		});
		context.fillStyle = style.getPropertyValue("--mark");
		for (let i = 0; i < this.heat.length; i++) {
			if (!this.heat[i])
				continue;
			context.globalAlpha = 0.2 + 0.8 * Math.sqrt(this.heat[i] / most);
			context.fillRect(LANE_TEXT + i % cells * CELL_WIDTH,
					 Math.floor(i / cells) * LANE_HEIGHT, CELL_WIDTH, LANE_HEIGHT - 1);
		}
		context.globalAlpha = 1;
	}

	drawSpan(height) {
		const { context } = this, style = getComputedStyle(document.documentElement);
		const span = this.dragged || this.span;

		if (span) {
			const x = this.x(span.from), end = this.x(span.to);

			context.globalAlpha = 0.25;
			context.fillStyle = style.getPropertyValue("--text");
			context.fillRect(LANE_TEXT, 0, x - LANE_TEXT, height);
			context.fillRect(end, 0, this.x(this.samples.duration) - end, height);
			context.globalAlpha = 1;
			context.fillRect(x, 0, 1, height);
			context.fillRect(end, 0, 1, height);
		}
		if (document.activeElement === this.canvas) {
			context.fillStyle = style.getPropertyValue("--text");
			context.fillRect(this.x(this.cursor), 0, 2, height);
		}
	}

	x(time) {
		return LANE_TEXT + time / (this.samples.duration || 1) * this.cells * CELL_WIDTH;
	}

	time(x) {
		const part = (x - LANE_TEXT) / (this.cells * CELL_WIDTH);

		return Math.min(1, Math.max(0, part)) * this.samples.duration;
	}

	key(event) {
		const { duration } = this.samples, step = duration / KEY_STEPS, last = this.cursor;

		if (event.key === "Escape") {
			this.choose(null);
		} else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
			const moved = last + (event.key === "ArrowLeft" ? -step : step);

			this.cursor = Math.min(duration, Math.max(0, moved));
			if (event.shiftKey) {
				this.anchor = this.anchor === undefined ? last : this.anchor;
				this.choose(spanOf(this.anchor, this.cursor));
			} else {
				this.anchor = undefined;
				this.draw();
			}
		} else {
			return;
		}
		event.preventDefault();
	}

	listen() {
		const { canvas } = this;
		let start = null;

		canvas.addEventListener("pointerdown", (event) => {
			if (event.offsetX < LANE_TEXT)
				return;
			start = this.time(event.offsetX);
			canvas.setPointerCapture(event.pointerId);
		});
		canvas.addEventListener("pointermove", (event) => {
			if (start === null)
				return;
			this.dragged = spanOf(start, this.time(event.offsetX));
			this.draw();
		});
		canvas.addEventListener("pointerup", (event) => {
			const span = start === null ? null : spanOf(start, this.time(event.offsetX));

			start = null;
			this.dragged = null;
			if (span)
				this.choose(span.from < span.to ? span : null);
		});
		canvas.addEventListener("keydown", (event) => this.key(event));
		canvas.addEventListener("focus", () => this.draw());
		canvas.addEventListener("blur", () => this.draw());
	}
}

function spanOf(a, b) {
	return { from: Math.min(a, b), to: Math.max(a, b) };
}
