/* SPDX-License-Identifier: GPL-2.0 */
"use strict";

/*
 * Pictures of a page as numbers. Fonts differ from machine to machine, so a picture is not compared
 * with another one byte by byte, but by the colors of its areas.
 */

/* Decodes pictures in an empty page, because the policy of a page allows no pictures. */
class Pixels {
	constructor(empty) {
		this.empty = empty;
	}

	/* Return the share of each color, as "#rrggbb", of an area of a picture of an element. */
	async shares(element, area) {
		const picture = (await element.screenshot()).toString("base64");

		return this.empty.evaluate(async ([base64, { x, y, width, height }]) => {
			const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
			const image = await createImageBitmap(new Blob([bytes]));
			const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
			const shares = {};

			context.drawImage(image, 0, 0);
			const wide = width || image.width, high = height || image.height;
			const { data } = context.getImageData(x || 0, y || 0, wide, high);

			for (let i = 0; i < data.length; i += 4) {
				const color = "#" + [...data.subarray(i, i + 3)]
					.map((part) => part.toString(16).padStart(2, "0")).join("");

				shares[color] = (shares[color] || 0) + 1 / (wide * high);
			}
			return shares;
		}, [picture, area || {}]);
	}
}

module.exports = { Pixels };
