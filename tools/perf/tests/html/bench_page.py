# SPDX-License-Identifier: GPL-2.0
"""Measure how long a page of "perf report --html" takes to be shown, and to be moved in."""
import statistics
import sys
import time

import chromium

# A frame may take this time, in ms.
FRAME_MAX = 50

# Zoom in and out at some places with the wheel; return the times between frames, in ms.
ZOOM = '''(async () => {
	const view = page.graph, times = [];
	const frame = () => new Promise((done) => requestAnimationFrame(done));
	let last = await frame();

	for (let i = 0; i < 120; i++) {
		const x = view.width * ((i * 37) % 100) / 100;

		view.canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: i % 40 < 25 ? -100 : 160,
			ctrlKey: true, clientX: x, clientY: 400, cancelable: true }));
		const now = await frame();

		times.push(now - last);
		last = now;
	}
	view.reset();
	return times;
})()'''

# Name and expression of other steps, which need not fit a frame; each returns ms.
STEPS = (
    ('draw all', 'page.graph.draw()'),
    ('choose a span', 'page.chooseSpan({ from: 1e8, to: 4e8 })'),
    ('choose all', 'page.chooseSpan(null)'),
    ('search', 'document.getElementById("search").value = "00[0-4]0$"; page.updateSearch()'),
    ('invert', 'document.getElementById("order").value = "inverted"; page.updateView()'),
    ('table', 'page.chooseTab("table")'),
    ('sandwich', 'page.chooseTab("sandwich")'),
    ('split by command', 'document.getElementById("split").value = "comm"; page.update()'),
)


def main():
    begin = time.monotonic()
    with chromium.Page('file://' + sys.argv[1]) as page:
        page.wait_for('page || !document.getElementById("problem").hidden')
        print(f'shown after {time.monotonic() - begin:.1f} s, with the start of the browser')
        print('samples, nodes: ' + page.evaluate(
            '`${page.samples.data.recordings[0].nr} ${page.sums.tree.nr}`'))
        times = sorted(page.evaluate(ZOOM))
        print(f'zoom: median {statistics.median(times):.0f} ms a frame, '
              f'95 % {times[len(times) * 95 // 100]:.0f} ms, all {times[-1]:.0f} ms')
        for name, step in STEPS:
            took = page.evaluate('(() => { const begin = performance.now(); '
                                 f'{step}; return performance.now() - begin; }})()')
            print(f'{name}: {took:.0f} ms')
        problems = page.problems
    if problems:
        sys.exit('\n'.join(problems))
    if statistics.median(times) > FRAME_MAX:
        sys.exit(f'a frame takes more than {FRAME_MAX} ms')


main()
