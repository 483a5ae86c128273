/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Trees of call stacks. A node is a function and the node of its caller, whose number is smaller.
 * Node 0 is the root, which is not a function.
 */

/* A tree that grows: each function below each node once. */
class TreeBuilder {
	constructor(room) {
		this.nr = 1;
		this.caller = new Int32Array(Math.max(room, 16));
		this.frame = new Int32Array(Math.max(room, 16));
		this.frame[0] = -1;
		this.slots = new Int32Array(2 ** Math.ceil(Math.log2(this.caller.length * 2)));
	}

	/* Find or make the node of a function below a node. */
	add(caller, frame) {
		const mask = this.slots.length - 1;
		let slot = this.hash(caller, frame) & mask;

		for (; this.slots[slot]; slot = (slot + 1) & mask) {
			const node = this.slots[slot];

			if (this.caller[node] === caller && this.frame[node] === frame)
				return node;
		}
		this.slots[slot] = this.append(caller, frame);
		if (this.nr * 2 > this.slots.length)
			this.rehash();
		return this.nr - 1;
	}

	/* Make a node that add() does not find: the caller knows that there is no such node. */
	append(caller, frame) {
		if (this.nr === this.caller.length) {
			this.caller = this.grown(this.caller);
			this.frame = this.grown(this.frame);
		}
		this.caller[this.nr] = caller;
		this.frame[this.nr] = frame;
		return this.nr++;
	}

	hash(caller, frame) {
		const mixed = Math.imul(caller ^ Math.imul(frame + 1, 0x9e3779b1), 0x85ebca6b);

		return mixed ^ (mixed >>> 15);
	}

	grown(array) {
		const larger = new Int32Array(array.length * 2);

		larger.set(array);
		return larger;
	}

	rehash() {
		this.slots = new Int32Array(this.slots.length * 4);
		const mask = this.slots.length - 1;

		for (let node = 1; node < this.nr; node++) {
			let slot = this.hash(this.caller[node], this.frame[node]) & mask;

			while (this.slots[slot])
				slot = (slot + 1) & mask;
			this.slots[slot] = node;
		}
	}

	finish(rank) {
		return new Tree(this.caller.slice(0, this.nr), this.frame.slice(0, this.nr), rank);
	}
}

/*
 * A tree that does not grow any more. `rank` has the place of each function among all functions,
 * by name; the nodes below a node are in this order.
 */
class Tree {
	constructor(caller, frame, rank) {
		this.nr = caller.length;
		this.caller = caller;
		this.frame = frame;
		this.link(rank);
		this.walk();
		this.findOutermost(rank.length);
	}

	/* Link the nodes below each node, in the order of their ranks. */
	link(rank) {
		const starts = new Int32Array(rank.length + 1), byRank = new Int32Array(this.nr);

		for (let node = 1; node < this.nr; node++)
			starts[rank[this.frame[node]] + 1]++;
		for (let i = 1; i <= rank.length; i++)
			starts[i] += starts[i - 1];
		for (let node = 1; node < this.nr; node++)
			byRank[starts[rank[this.frame[node]]]++] = node;
		this.first = new Int32Array(this.nr);
		this.next = new Int32Array(this.nr);
		for (let i = this.nr - 2; i >= 0; i--) {
			const node = byRank[i], caller = this.caller[node];

			this.next[node] = this.first[caller];
			this.first[caller] = node;
		}
	}

	/* Number the nodes so that a node is followed by all nodes below it. */
	walk() {
		let node = 0, i = 0;

		this.order = new Int32Array(this.nr);
		this.depth = new Int32Array(this.nr);
		for (let at = 1; at < this.nr; at++)
			this.depth[at] = this.depth[this.caller[at]] + 1;
		this.deepest = this.depth.reduce((a, b) => Math.max(a, b), 0);
		while (true) {
			this.order[i++] = node;
			if (this.first[node]) {
				node = this.first[node];
				continue;
			}
			while (node && !this.next[node])
				node = this.caller[node];
			if (!node)
				return;
			node = this.next[node];
		}
	}

	/* Mark the nodes whose function is no caller of itself, to count a sample once. */
	findOutermost(nrFrames) {
		const open = new Int32Array(nrFrames), path = [];

		this.outermost = new Uint8Array(this.nr);
		for (let i = 1; i < this.nr; i++) {
			const node = this.order[i], frame = this.frame[node];

			while (path.length >= this.depth[node])
				open[path.pop()]--;
			this.outermost[node] = !open[frame];
			open[frame]++;
			path.push(frame);
		}
	}

	/* Return the sums of each node and all nodes below it. */
	totals(self) {
		const total = Float64Array.from(self);

		for (let node = this.nr - 1; node > 0; node--)
			total[this.caller[node]] += total[node];
		return total;
	}

	/* Return where each node begins, if nodes are as wide as their totals. */
	layout(total) {
		const start = new Float64Array(this.nr), end = new Float64Array(this.nr);

		for (let i = 1; i < this.nr; i++) {
			const node = this.order[i], caller = this.caller[node];

			start[node] = end[caller];
			end[node] = start[node];
			end[caller] += total[node];
		}
		return start;
	}
}

/*
 * Sums of samples on a tree, one for each recording.
 *
 * shown: index of the recording that gives nodes their widths, or "both" for their mean share
 */
class Sums {
	constructor(tree, selfs, shown) {
		this.tree = tree;
		this.selfs = selfs;
		this.totals = selfs.map((self) => tree.totals(self));
		this.all = this.totals.map((total) => total[0]);
		this.width = shown === "both" && selfs.length > 1 ? this.mean() :
			this.totals[Math.min(Number(shown) || 0, selfs.length - 1)];
		this.start = tree.layout(this.width);
	}

	mean() {
		const width = new Float64Array(this.tree.nr), [before, after] = this.totals;
		const left = this.all[0] ? 0.5 / this.all[0] : 0;
		const right = this.all[1] ? 0.5 / this.all[1] : 0;

		for (let node = 0; node < width.length; node++)
			width[node] = before[node] * left + after[node] * right;
		return width;
	}

	/* Return the share of a node in the latest recording, or in recording i. */
	share(node, i = this.all.length - 1) {
		return this.all[i] ? this.totals[i][node] / this.all[i] : 0;
	}

	/* Return the growth of a node's share since the baseline. */
	growth(node) {
		return this.share(node, 1) - this.share(node, 0);
	}

	/* Return the share of the samples with a function that matches. */
	matchedShare(matches) {
		const covered = new Uint8Array(this.tree.nr), i = this.all.length - 1;
		let sum = 0;

		for (let node = 1; node < this.tree.nr; node++) {
			covered[node] = covered[this.tree.caller[node]];
			if (covered[node] || !matches[this.tree.frame[node]])
				continue;
			covered[node] = 1;
			sum += this.totals[i][node];
		}
		return this.all[i] ? sum / this.all[i] : 0;
	}

	/* Return self and total of each of `nr` functions, for each recording. */
	functions(nr) {
		return this.selfs.map((selfs, i) => {
			const self = new Float64Array(nr), total = new Float64Array(nr);

			for (let node = 1; node < this.tree.nr; node++) {
				const frame = this.tree.frame[node];

				if (frame >= nr)
					continue;
				self[frame] += selfs[node];
				if (this.tree.outermost[node])
					total[frame] += this.totals[i][node];
			}
			return { self, total };
		});
	}
}

/*
 * Make the sums of a tree of callees first. Nodes of level 1 that stand for groups stay there.
 */
function invertSums(sums, rank, shown, withGroups) {
	const { tree } = sums, builder = new TreeBuilder(tree.nr), ends = new Int32Array(tree.nr);
	const last = withGroups ? 1 : 0;

	for (let node = 1; node < tree.nr; node++) {
		let at = 0;

		if (!sums.selfs.some((self) => self[node]))
			continue;
		if (withGroups) {
			let group = node;

			while (tree.depth[group] > 1)
				group = tree.caller[group];
			at = builder.add(0, tree.frame[group]);
		}
		for (let from = node; tree.depth[from] > last; from = tree.caller[from])
			at = builder.add(at, tree.frame[from]);
		ends[node] = at;
	}
	const inverted = builder.finish(rank);

	return new Sums(inverted, moveSelfs(sums.selfs, ends, inverted.nr), shown);
}

function moveSelfs(selfs, ends, nr) {
	return selfs.map((self) => {
		const moved = new Float64Array(nr);

		for (let node = 0; node < self.length; node++)
			moved[ends[node]] += self[node];
		return moved;
	});
}

/* Return the outermost nodes of a function that have samples. */
function nodesOf(sums, frame) {
	const { tree } = sums, nodes = [];

	for (let node = 1; node < tree.nr; node++) {
		if (tree.frame[node] === frame && tree.outermost[node] &&
		    sums.totals.some((total) => total[node]))
			nodes.push(node);
	}
	return nodes;
}

/* Make the sums of the callers of a function, the nearest first. */
function callersOf(sums, frame, rank, shown) {
	const { tree } = sums, builder = new TreeBuilder(256), nodes = nodesOf(sums, frame);
	const ends = nodes.map((node) => {
		let at = 0;

		for (let from = node; from; from = tree.caller[from])
			at = builder.add(at, tree.frame[from]);
		return at;
	});
	const callers = builder.finish(rank);
	const selfs = sums.totals.map((total) => {
		const self = new Float64Array(callers.nr);

		nodes.forEach((node, i) => {
			self[ends[i]] += total[node];
		});
		return self;
	});

	return new Sums(callers, selfs, shown);
}

/* Make the sums of the callees of a function. */
function calleesOf(sums, frame, rank, shown) {
	const { tree } = sums, builder = new TreeBuilder(256), place = new Int32Array(tree.nr);
	const found = [];

	for (let node = 1; node < tree.nr; node++) {
		const caller = tree.caller[node];

		/* Only nodes below the function have a place. */
		if (place[caller])
			place[node] = builder.add(place[caller], tree.frame[node]);
		else if (tree.frame[node] === frame)
			place[node] = builder.add(0, frame);
		if (place[node])
			found.push(node);
	}
	const callees = builder.finish(rank);
	const selfs = sums.selfs.map((self) => {
		const moved = new Float64Array(callees.nr);

		for (const node of found)
			moved[place[node]] += self[node];
		return moved;
	});

	return new Sums(callees, selfs, shown);
}
