# SPDX-License-Identifier: GPL-2.0
"""Look at pages of "perf report --html" in Chromium, and use them with the mouse and the keys.

Usage: check_page.py PAGE COMPARED WAITING HOSTILE

tests/test-html-page makes the pages, whose samples are written down there. Each check prints a
line: "ok", or "not ok" and what was seen, and what is checked; tabs are between them.
"""
import sys

import chromium

READY = 'typeof page !== "undefined" && page || !document.getElementById("problem").hidden'

# The name of a node's function, the first node of a function that has samples, its place in the
# window, the chosen samples, and the names of the functions below the root.
HELPERS = '''
globalThis.name_of = (view, node) => page.samples.name(view.sums.tree.frame[node]);
globalThis.node_of = (view, name) => Array.from(view.sums.tree.order).find((node) =>
	name_of(view, node) === name && view.sums.width[node]);
globalThis.place_of = (view, name) => {
	const node = node_of(view, name), box = view.canvas.getBoundingClientRect();
	const scale = view.width / (view.right - view.left);
	const x = (view.sums.start[node] + view.sums.width[node] / 2 - view.left) * scale;

	return [box.x + x, box.y + view.y(view.sums.tree.depth[node]) + ROW_HEIGHT / 2];
};
globalThis.top_of = (view) => {
	const { tree, width } = view.sums, names = [];

	for (let node = tree.first[0]; node; node = tree.next[node]) {
		if (width[node])
			names.push(`${name_of(view, node)} ${width[node]}`);
	}
	return names.join(", ");
};
globalThis.text_of = (id) => document.getElementById(id).textContent;
globalThis.choose = (id, value) => {
	const control = document.getElementById(id);

	control.value = value;
	control.dispatchEvent(new Event("change"));
};
'''


def check(got, expected, what):
    if got == expected:
        print(f'ok\t{what}')
    else:
        print(f'not ok\t{what}\tgot {got!r}, expected {expected!r}')


def open_page(page, path):
    page.go('file://' + path)
    page.wait_for(READY)
    page.evaluate(HELPERS)


def choose_option(page, label):
    """Choose an option of the controls by its text."""
    page.evaluate(f'''for (const select of document.querySelectorAll("select")) {{
        for (const option of select.options)
            if (option.textContent === {label!r}) choose(select.id, option.value); }}''')


def click_on(page, view, name):
    page.click(*page.evaluate(f'place_of(page.{view}, {name!r})'))


def check_graph(page):
    check(page.evaluate('top_of(page.graph)'), 'main 100000', 'the graph begins with the callers')
    click_on(page, 'graph', 'cold')
    check(page.evaluate('[name_of(page.graph, page.graph.focus), page.graph.right - page.graph.left]'),
          ['cold', 20000], 'a click has a function take the whole width')
    page.key('Backspace')
    check(page.evaluate('name_of(page.graph, page.graph.focus)'), 'main', 'Backspace zooms out')
    page.key('Escape')
    check(page.evaluate('[page.graph.focus, page.graph.right]'), [0, 100000], 'Escape shows all')
    seen = []
    for key in 'ArrowDown', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'ArrowDown', 'ArrowUp':
        page.key(key)
        seen.append(page.evaluate('text_of("live").split("\\n")[0]'))
    check(seen, ['main', 'walk', 'cold', 'walk', 'hot', 'walk'],
          'the arrow keys move, and say the function to a screen reader')
    page.key('Enter')
    check(page.evaluate('name_of(page.graph, page.graph.focus)'), 'walk', 'Enter zooms')
    page.key('Escape')
    page.mouse('mouseMoved', *page.evaluate('place_of(page.graph, "hot")'))
    check(page.evaluate('text_of("tip").split("\\n")'),
          ['hot', '[.] code.so', 'total 60.00%, 60,000', 'self 60.00%, 60,000'],
          'the tooltip has the function, its file, total and self')
    x, y = page.evaluate('place_of(page.graph, "hot")')
    for delta in 1, 1, 1, 1, -1:
        page.mouse('mouseWheel', x, y, deltaX=0, deltaY=100 * delta)
    check(page.evaluate('page.graph.row'), 2, 'the wheel scrolls, and ends at the deepest row')
    page.key('Escape')
    choose_option(page, 'inverted: callees first')
    check(page.evaluate('top_of(page.graph)'), 'cold 20000, hot 80000',
          'the inverted graph begins with the sampled functions')
    choose_option(page, 'up (flame)')
    click_on(page, 'graph', 'hot')
    check(page.evaluate('name_of(page.graph, page.graph.focus)'), 'hot', 'a click hits in a graph that grows up')
    choose_option(page, 'down (icicle)')
    choose_option(page, 'callers first')


def check_search(page):
    click_on(page, 'graph', 'walk')
    page.key('/')
    for letter in '^h.t$':
        page.key(letter)
    page.wait_for('text_of("share") && document.getElementById("search").value === "^h.t$"')
    check(page.evaluate('[text_of("share"), page.graph.color(node_of(page.graph, "hot")) === MATCH_COLOR]'),
          ['matched: 80.00%', True], 'a search has the share of the samples that match')
    page.evaluate('document.getElementById("search").value = "walk|hot"; page.updateSearch()')
    check(page.evaluate('name_of(page.graph, page.graph.focus)'), 'walk', 'a search does not zoom out')
    check(page.evaluate('text_of("share")'), 'matched: 80.00%', 'a stack that matches twice counts once')
    page.evaluate('document.getElementById("search").value = "("; page.updateSearch()')
    check(page.evaluate('text_of("share")'), 'not a regular expression', 'a wrong expression is said')
    page.evaluate('document.getElementById("search").value = ""; page.updateSearch(); page.graph.reset()')


def check_choices(page):
    choose_option(page, 'eight 8/8')
    check(page.evaluate('page.sums.all[0]'), 20000, 'a thread is chosen')
    choose_option(page, 'all')
    choose_option(page, 'CPU 0')
    check(page.evaluate('page.sums.all[0]'), 80000, 'a CPU is chosen')
    choose_option(page, 'all')
    choose_option(page, '/group')
    check(page.evaluate('page.sums.all[0]'), 20000, 'a control group is chosen')
    choose_option(page, 'all')
    choose_option(page, 'samples')
    check(page.evaluate('page.sums.all[0]'), 100, 'the weight is the number of samples')
    choose_option(page, 'period')
    choose_option(page, 'command')
    check(page.evaluate('top_of(page.graph)'), 'seven 80000, eight 20000', 'the graph is split by command')
    choose_option(page, 'inverted: callees first')
    check(page.evaluate('''[top_of(page.graph), Array.from(page.graph.sums.tree.order).filter(
        (node) => page.graph.sums.tree.depth[node] === 2).map((node) => name_of(page.graph, node))]'''),
          ['seven 80000, eight 20000', ['cold', 'hot', 'hot']], 'a split graph is inverted below its groups')
    choose_option(page, 'callers first')
    choose_option(page, 'nothing')


def check_timeline(page):
    width = 'page.timeline.cells * CELL_WIDTH'
    x, y, wide = page.evaluate('''(() => {
        const box = page.timeline.canvas.getBoundingClientRect();
        return [box.x + LANE_TEXT, box.y + 5, %s]; })()''' % width)
    page.drag(x + 0.80 * wide, y, x + wide, y)
    # Samples 80 to 99 are those of the thread 8; the last one is at the end.
    check(page.evaluate('[page.sums.all[0], top_of(page.graph), text_of("span")]'),
          [20000, 'main 20000', '20 samples'], 'a span that the mouse chooses redraws the graph')
    page.evaluate('page.chooseTab("table")')
    check(page.evaluate('text_of("functions-rows").includes("cold")'), False, 'the table is of the span')
    page.evaluate('page.chooseTab("flame"); page.timeline.canvas.focus()')
    page.key('Escape')
    check(page.evaluate('page.sums.all[0]'), 100000, 'Escape chooses the whole recording')
    for _ in range(10):
        page.key('ArrowRight', shift=True)
    check(page.evaluate('page.sums.all[0]'), 10000, 'keys choose a span')
    for _ in range(5):
        page.key('ArrowLeft', shift=True)
    check(page.evaluate('page.sums.all[0]'), 5000, 'keys make a span smaller')
    page.evaluate('choose("from", "0.0795"); choose("to", "0.0895")')
    check(page.evaluate('page.sums.all[0]'), 10000, 'numbers choose a span')
    page.evaluate('document.getElementById("whole").click()')
    check(page.evaluate('page.sums.all[0]'), 100000, 'a button chooses the whole recording')
    choose_option(page, 'CPUs')
    check(page.evaluate('page.timeline.lanes.map(([value]) => page.samples.labels.cpu(value))'),
          ['CPU 0', 'CPU 1'], 'the timeline has a row for each CPU')
    check(page.evaluate('page.timeline.heat.reduce((a, b) => a + b)'), 100, 'each sample is in the timeline')


TABLE = '''Array.from(document.querySelectorAll("#functions-rows tr"),
    (row) => Array.from(row.cells, (cell) => cell.textContent).join(" ")).join("\\n")'''


def check_table(page):
    page.evaluate('document.getElementById("tab-table").click()')
    check(page.evaluate(TABLE), '''80.00% 80.00% 80,000 [.] hot code.so
20.00% 20.00% 20,000 [.] cold code.so
0.00% 100.00% 0 [.] main code.so
0.00% 80.00% 0 [.] walk code.so '''.replace('code.so\n', 'code.so \n'),
          'the table has self and total of each function; a recursion counts once')
    page.evaluate('document.querySelectorAll("#heads button")[1].click()')
    check(page.evaluate(TABLE + '.match(/[.]. [a-z]+/g).join()'), '.] main,.] walk,.] hot,.] cold',
          'a click on a title sorts the table')
    page.evaluate('document.querySelectorAll("#heads button")[1].click()')
    check(page.evaluate('[' + TABLE + '''.match(/[.]. [a-z]+/g).join(),
        document.querySelector("[aria-sort]").ariaSort]'''),
          ['.] cold,.] walk,.] hot,.] main', 'ascending'], 'a second click turns the order')
    page.evaluate('''Array.from(document.querySelectorAll("#functions-rows button")).find(
        (button) => button.textContent === "[.] walk").click()''')
    check(page.evaluate('[page.tab, text_of("function-facts").trim()]'),
          ['sandwich', 'code.so  total 80.00%, self 0.00%'], 'a click on a function opens the sandwich')
    check(page.evaluate('[top_of(page.callers), top_of(page.callees)]'), ['walk 80000', 'walk 80000'],
          'the sandwich has the callers and the callees of all calls')
    check(page.evaluate('''[page.callers, page.callees].map((view) => Array.from(view.sums.tree.order).slice(1)
        .map((node) => `${name_of(view, node)} ${view.sums.width[node]}`).join())'''),
          ['walk 80000,main 80000', 'walk 80000,hot 60000,walk 20000,hot 20000'],
          'callers lead outwards, callees inwards')
    page.evaluate('choose("function", "cold")')
    check(page.evaluate('top_of(page.callees)'), 'cold 20000', 'a name chooses the function')
    page.evaluate('choose("function", "nothing")')
    check(page.evaluate('text_of("function-facts")'), 'no function has this name', 'an unknown name is said')
    page.evaluate('document.getElementById("tab-flame").click()')


def check_theme(page):
    colors = []
    for scheme in 'light', 'dark':
        page.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        page.wait_for(f'document.documentElement.dataset.theme === "{scheme}"')
        colors.append(page.evaluate('getComputedStyle(document.body).backgroundColor'))
    page.evaluate('document.getElementById("theme").click()')
    colors.append(page.evaluate('getComputedStyle(document.body).backgroundColor'))
    check(colors, ['rgb(255, 255, 255)', 'rgb(20, 24, 29)', 'rgb(255, 255, 255)'],
          'the page follows the colors of the desktop, and its button')


def check_names(page):
    """Check that a screen reader has a name for everything that is used."""
    used = ('button', 'combobox', 'spinbutton', 'searchbox', 'textbox', 'tab', 'application')
    nodes = [node for node in page.call('Accessibility.getFullAXTree')['nodes']
             if not node['ignored'] and node['role']['value'].lower() in used]
    check((sorted({node['role']['value'].lower() for node in nodes}),
           [node for node in nodes if not node.get('name', {}).get('value')]),
          (['application', 'button', 'combobox', 'searchbox', 'spinbutton', 'tab'], []),
          'each control and each graph has a name for a screen reader')


def check_compared(page, path):
    open_page(page, path)
    labels = page.evaluate('''Array.from(page.graph.sums.tree.order).filter((node) =>
        page.graph.sums.width[node] && node).map((node) => page.graph.label(node))''')
    check(labels, ['+0.00% main', 'gone: cold', 'new: fresh', '-20.00% walk', '-20.00% hot'],
          'a comparison names what grew, shrank, is new and is gone')
    check(page.evaluate('''["cold", "fresh", "hot", "main"].map((name) =>
        page.graph.color(node_of(page.graph, name))).map((color) =>
        color === GONE_COLOR ? "gone" : color === NEW_COLOR ? "new" :
        FEWER_COLORS.includes(color) ? "blue" : color === EQUAL_COLOR ? "equal" : color)'''),
          ['gone', 'new', 'blue', 'equal'], 'a comparison has the colors of growth')
    check(page.evaluate('page.facts(page.sums, node_of(page.graph, "hot")).split("\\n").slice(2)'),
          ['baseline total 60.00%, 60,000', 'baseline self 60.00%, 60,000', 'new total 40.00%, 4,000',
           'new self 40.00%, 4,000', 'change -20.00%'], 'the tooltip has both recordings')
    page.evaluate('document.getElementById("tab-table").click()')
    check(page.evaluate(TABLE + '.split("\\n")[0]').strip(),
          '0.00% 0.00% 60.00% 60.00% +60.00% new [.] fresh code.so',
          'the table of a comparison begins with the largest change')


def check_waiting(page, path):
    open_page(page, path)
    check(page.evaluate('top_of(page.graph)'), 'main 60000000', 'the weight of time off the CPU is the time')
    check(page.evaluate('''page.timeline.heat.reduce((cells, x) => cells + (x > 0), 0) /
        page.timeline.cells > 0.55'''), True, 'the timeline shows all of the time off the CPU')
    choose_option(page, 'I/O')
    check(page.evaluate('top_of(page.graph)'), 'main 10000000', 'a reason is chosen')
    choose_option(page, 'all')
    choose_option(page, 'off-CPU reason')
    check(page.evaluate('top_of(page.graph)'), 'sleeping 50000000, I/O 10000000',
          'the graph is split by reason')


def main():
    plain, compared, waiting, hostile = sys.argv[1:]
    with chromium.Page('file://' + plain) as page:
        page.call('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': 'light'}])
        open_page(page, plain)
        for part in (check_graph, check_search, check_choices, check_timeline, check_table,
                     check_names, check_theme):
            part(page)
        check((page.problems, page.requests), ([], ['file://' + plain]),
              'the page has no errors, and asks for no other file')
        check_compared(page, compared)
        check(page.problems, [], 'the comparison has no errors')
        check_waiting(page, waiting)
        check(page.problems, [], 'the page of time off the CPU has no errors')
        open_page(page, hostile)
        page.evaluate('page.chooseTab("table")')
        check(page.evaluate(TABLE).split('\n')[0].strip(),
              '100.00% 100.00% 2,000 [.] <img src=x onerror=alert(1)></script> code.so',
              'a hostile name is shown as it is')
        check((page.problems, page.requests, page.evaluate('document.images.length')),
              ([], ['file://' + hostile], 0), 'a hostile name does nothing')
        choose_option(page, 'CPU 4294967295')
        check(page.evaluate('page.sums.all[0]'), 1000, 'a number of 32 bits is not taken for all')
        page.call('Emulation.setScriptExecutionDisabled', value=True)
        page.go('file://' + hostile)
        text = page.evaluate('document.querySelector("noscript").innerText')
        check(['<img src=x onerror=alert(1)></script>' in text, 'Samples' in text, page.problems],
              [True, True, []], 'without JavaScript the page has its table')


main()
