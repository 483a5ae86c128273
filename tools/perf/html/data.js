/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * The data of the page: html/page.h describes their form.
 */

async function unpackData(text) {
	const letters = atob(text);
	const bytes = new Uint8Array(letters.length);

	for (let i = 0; i < letters.length; i++)
		bytes[i] = letters.charCodeAt(i);
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* Read a column of numbers that begins at the byte `at`. */
function readColumn(bytes, at, nr, isDelta, Type) {
	const numbers = new Type(nr);
	let last = 0;

	for (let i = 0; i < nr; i++) {
		let number = 0, scale = 1, byte;

		do {
			byte = bytes[at++];
			number += (byte & 127) * scale;
			scale *= 128;
		} while (byte & 128);
		if (isDelta) {
			last += number % 2 ? -(number + 1) / 2 : number / 2;
			number = last;
		}
		numbers[i] = number;
	}
	return numbers;
}

const WIDE_COLUMNS = ["time", "period"];

/* Make the texts, functions, stacks and recordings of the page from its data. */
function readData(bytes) {
	const end = bytes.indexOf(10);
	const data = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
	let recording = -1, at = end + 1;

	data.frame = {};
	data.stack = {};
	data.thread = {};
	for (const [title, nr, size, form] of data.columns) {
		const [group, name] = title.includes(".") ? title.split(".") : ["", title];
		const Type = WIDE_COLUMNS.includes(title) ? Float64Array : Uint32Array;
		const column = readColumn(bytes, at, nr, form === "delta", Type);

		at += size;
		if (title === "time") {
			recording++;
			data.recordings[recording].nr = nr;
		}
		if (group)
			data[group][name] = column;
		else
			data.recordings[recording][name] = column;
	}
	data.nrFrames = data.frame.name.length;
	return data;
}
