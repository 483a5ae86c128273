/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * The table of functions. A click on a title sorts the rows, a click on a function opens it.
 */

const ROWS_STEP = 200;

class FunctionTable {
	constructor(heads, body, more, samples, open) {
		this.heads = heads;
		this.body = body;
		this.more = more;
		this.samples = samples;
		this.open = open;
		this.limit = ROWS_STEP;
		this.descending = true;
		this.columns = this.makeColumns();
		this.key = this.columns.find((column) => column.title === "Change") || this.columns[0];
		this.makeHeads();
		more.addEventListener("click", () => {
			this.limit += ROWS_STEP;
			this.draw();
		});
	}

	/* A column has a title, a value to sort by, and a text. */
	makeColumns() {
		const { samples } = this, columns = [];
		const number = (title, value, text) => columns.push({ title, value, text, isNumber: true });
		const text = (title, of) => columns.push({ title, value: of, text: of });
		const share = (i, kind) => (frame) => this.all[i] ? this.sums[i][kind][frame] / this.all[i] : 0;
		const names = samples.data.recordings.length > 1 ? ["Baseline ", "New "] : [""];

		names.forEach((name, i) => {
			number(`${name}Self`, share(i, "self"), (x) => percent(share(i, "self")(x)));
			number(`${name}Total`, share(i, "total"), (x) => percent(share(i, "total")(x)));
		});
		if (names.length > 1) {
			const growth = (frame) => share(1, "self")(frame) - share(0, "self")(frame);

			number("Change", (frame) => Math.abs(growth(frame)), (frame) => this.change(growth, frame));
		} else {
			number("Weight", (frame) => this.sums[0].self[frame],
			       (frame) => this.sums[0].self[frame].toLocaleString("en"));
		}
		text("Function", (frame) => samples.label(frame));
		text("File", (frame) => samples.dso(frame));
		text("Source", (frame) => samples.source(frame));
		return columns;
	}

	change(growth, frame) {
		const [before, after] = this.sums.map((sums) => sums.total[frame]);

		if (!before || !after)
			return `${signedPercent(growth(frame))} ${before ? "gone" : "new"}`;
		return signedPercent(growth(frame));
	}

	makeHeads() {
		for (const column of this.columns) {
			const head = document.createElement("th"), button = document.createElement("button");

			head.scope = "col";
			button.type = "button";
			button.textContent = column.title;
			button.addEventListener("click", () => this.sort(column));
			head.append(button);
			this.heads.append(head);
			column.head = head;
		}
	}

	sort(column) {
		this.descending = column === this.key ? !this.descending : Boolean(column.isNumber);
		this.key = column;
		this.order();
		this.draw();
	}

	/* Show the functions of these sums that match; `matches` is null if all do. */
	show(sums, matches) {
		const { nrFrames } = this.samples.data;

		this.all = sums.all;
		this.sums = sums.functions(nrFrames);
		this.frames = [];
		for (let frame = 0; frame < nrFrames; frame++) {
			if ((!matches || matches[frame]) && this.sums.some((x) => x.total[frame]))
				this.frames.push(frame);
		}
		this.limit = ROWS_STEP;
		this.order();
	}

	order() {
		const sign = this.descending ? -1 : 1;
		const values = new Map(this.frames.map((frame) => [frame, this.key.value(frame)]));

		this.frames.sort((a, b) => {
			const x = values.get(a), y = values.get(b);

			return x < y ? -sign : x > y ? sign : a - b;
		});
		for (const column of this.columns) {
			if (column === this.key)
				column.head.setAttribute("aria-sort", this.descending ? "descending" : "ascending");
			else
				column.head.removeAttribute("aria-sort");
		}
	}

	draw() {
		const rows = this.frames.slice(0, this.limit).map((frame) => this.row(frame));

		this.body.replaceChildren(...rows);
		this.more.hidden = this.frames.length <= this.limit;
		this.more.textContent = `More rows (${this.frames.length - this.limit} left)`;
	}

	row(frame) {
		const row = document.createElement("tr");

		for (const column of this.columns) {
			const cell = document.createElement("td");

			if (column.title === "Function") {
				const button = document.createElement("button");

				button.type = "button";
				button.textContent = column.text(frame);
				button.addEventListener("click", () => this.open(frame));
				cell.append(button);
			} else {
				cell.textContent = column.text(frame);
			}
			row.append(cell);
		}
		return row;
	}
}
