/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * The chosen samples of the recordings, as sums on a tree.
 */

/* The properties of samples that can be chosen, and that can divide a graph. */
const PROPERTIES = ["event", "comm", "thread", "cpu", "cgroup", "reason"];

class Samples {
	constructor(data) {
		this.data = data;
		this.addComms();
		this.labels = this.makeLabels();
		this.rank = rankOf(data.frame.name.length, (frame) => data.names[data.frame.name[frame]]);
		this.tree = new Tree(withRoot(data.stack.caller, 0), withRoot(data.stack.frame, -1),
				     this.rank);
		this.duration = Math.max(0, ...data.recordings.map(lastTime));
	}

	/* Give each sample the number of its command. */
	addComms() {
		for (const recording of this.data.recordings)
			recording.comm = recording.thread.map((thread) => this.data.thread.comm[thread]);
	}

	makeLabels() {
		const { data } = this, { thread } = data;

		return {
			event: (i) => data.events[i],
			comm: (i) => data.comms[i],
			/* Tasks that have ended are -1. */
			thread: (i) => `${data.comms[thread.comm[i]]} ${thread.pid[i] | 0}/${thread.tid[i] | 0}`,
			cpu: (i) => `CPU ${i}`,
			cgroup: (i) => data.cgroups[i] || "unknown",
			reason: (i) => data.reasons[i] || "none",
		};
	}

	/* Return [value, number of samples] of a property, the most frequent first. */
	values(property) {
		const counts = new Map();

		for (const recording of this.data.recordings) {
			for (const value of recording[property])
				counts.set(value, (counts.get(value) || 0) + 1);
		}
		return [...counts].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
	}

	/* Return the numbers of the chosen samples of a recording. */
	choose(recording, chosen) {
		const found = new Int32Array(recording.nr), { time } = recording;
		const wanted = PROPERTIES.filter((property) => chosen[property] >= 0)
			.map((property) => [recording[property], chosen[property]]);
		let nr = 0;

		for (let i = 0; i < recording.nr; i++) {
			let want = time[i] >= chosen.from && time[i] <= chosen.to;

			for (let j = 0; want && j < wanted.length; j++)
				want = wanted[j][0][i] === wanted[j][1];
			found[nr] = i;
			nr += want ? 1 : 0;
		}
		return found.subarray(0, nr);
	}

	/* Return the sums of the chosen samples. */
	sums(chosen) {
		const { data } = this;
		const lists = data.recordings.map((recording) => this.choose(recording, chosen));

		this.nrChosen = lists.reduce((sum, list) => sum + list.length, 0);
		if (chosen.split)
			return this.splitSums(chosen, lists);
		this.groups = [];
		const selfs = lists.map((list, r) => {
			const self = new Float64Array(this.tree.nr), { stack, period } = data.recordings[r];
			const count = chosen.weight === "samples";

			for (const i of list)
				self[stack[i]] += count ? 1 : period[i];
			return self;
		});

		return new Sums(this.tree, selfs, chosen.width);
	}

	/*
	 * Return the sums on a tree whose first level are the values of a property. They have the
	 * numbers behind the functions.
	 */
	splitSums(chosen, lists) {
		const { data, tree } = this, builder = new TreeBuilder(tree.nr);
		const values = this.values(chosen.split).map(([value]) => value);
		const ends = lists.map((list) => new Int32Array(list.length));
		const count = chosen.weight === "samples";

		this.groups = values.map((value) => this.labels[chosen.split](value));
		lists.forEach((list, r) => {
			const recording = data.recordings[r], of = recording[chosen.split];
			const place = new Int32Array(tree.nr);

			groupSamples(values, list, of, (group, from, ordered) => {
				const root = builder.add(0, data.nrFrames + group);

				placeStacks(builder, root, tree, from, (j) => recording.stack[list[ordered[j]]],
					    place, lists.length === 1,
					    (j, at) => { ends[r][ordered[j]] = at; });
			});
		});
		const split = builder.finish(this.rankWithGroups());
		const selfs = lists.map((list, r) => {
			const self = new Float64Array(split.nr), { period } = data.recordings[r];

			for (let j = 0; j < list.length; j++)
				self[ends[r][j]] += count ? 1 : period[list[j]];
			return self;
		});

		return new Sums(split, selfs, chosen.width);
	}

	rankWithGroups() {
		const { nrFrames } = this.data, rank = new Int32Array(nrFrames + this.groups.length);

		rank.set(this.rank);
		for (let group = 0; group < this.groups.length; group++)
			rank[nrFrames + group] = nrFrames + group;
		return rank;
	}

	isGroup(frame) {
		return frame >= this.data.nrFrames;
	}

	name(frame) {
		if (frame < 0)
			return "all";
		if (this.isGroup(frame))
			return this.groups[frame - this.data.nrFrames];
		return this.data.names[this.data.frame.name[frame]];
	}

	dso(frame) {
		return this.data.dsos[this.data.frame.dso[frame]];
	}

	mode(frame) {
		return String.fromCharCode(this.data.frame.mode[frame]);
	}

	/* Return the name of a function with the mode of the CPU. A frame that is not code has none. */
	label(frame) {
		const mode = this.mode(frame);

		return mode === "-" ? this.name(frame) : `[${mode}] ${this.name(frame)}`;
	}

	/* Return "FILE:LINE", or an empty text. */
	source(frame) {
		const { source, line } = this.data.frame;

		return line[frame] ? `${this.data.sources[source[frame]]}:${line[frame]}` : "";
	}
}

function lastTime(recording) {
	let last = 0;

	for (const time of recording.time)
		last = Math.max(last, time);
	return last;
}

function withRoot(column, root) {
	const longer = new Int32Array(column.length + 1);

	longer.set(column, 1);
	longer[0] = root;
	return longer;
}

/* Return the place of each of `nr` things in the order of their texts. */
function rankOf(nr, text) {
	const texts = Array.from({ length: nr }, (_, i) => text(i)), rank = new Int32Array(nr);
	const order = texts.map((_, i) => i).sort((a, b) =>
		texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : a - b);

	order.forEach((thing, place) => {
		rank[thing] = place;
	});
	return rank;
}

/*
 * Divide a list of samples by the value that `of` has of each, and call handle(group, [from, to],
 * ordered) for each group. `ordered` has the places in the list, those of a group together.
 */
function groupSamples(values, list, of, handle) {
	const groups = new Map(values.map((value, group) => [value, group]));
	const ends = new Int32Array(values.length + 1), ordered = new Int32Array(list.length);
	const group = new Int32Array(list.length);

	for (let j = 0; j < list.length; j++) {
		group[j] = groups.get(of[list[j]]);
		ends[group[j] + 1]++;
	}
	for (let i = 1; i <= values.length; i++)
		ends[i] += ends[i - 1];
	for (let j = 0; j < list.length; j++)
		ordered[ends[group[j]]++] = j;
	for (let i = 0, from = 0; i < values.length; from = ends[i++])
		handle(i, [from, ends[i]], ordered);
}

/*
 * Copy the stacks stack(from), stack(from + 1) ... of a tree below a node of another one, and call
 * note(j, node) for each. `place` is all zeros, before and after. `isNew` says that the node has no
 * other nodes below it.
 */
function placeStacks(builder, root, tree, [from, to], stack, place, isNew, note) {
	const used = [], path = [];

	for (let j = from; j < to; j++) {
		let node = stack(j);

		while (node && !place[node]) {
			path.push(node);
			node = tree.caller[node];
		}
		let at = node ? place[node] : root;

		while (path.length) {
			node = path.pop();
			at = isNew ? builder.append(at, tree.frame[node]) :
				builder.add(at, tree.frame[node]);
			place[node] = at;
			used.push(node);
		}
		note(j, at);
	}
	for (const node of used)
		place[node] = 0;
}
