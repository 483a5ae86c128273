# SPDX-License-Identifier: GPL-2.0
"""Make a picture of a page of "perf report --html": picture.py PAGE IMAGE [STATEMENT...]

The statements, in JavaScript, are executed first. The picture begins with the controls, so that it
does not have the names of machine and command.
"""
import os
import sys

import chromium


def main():
    path, image, *statements = sys.argv[1:]
    with chromium.Page('file://' + os.path.abspath(path), height=620) as page:
        page.wait_for('page || !document.getElementById("problem").hidden')
        page.evaluate('''document.querySelector("header").hidden = true; page.redraw()''')
        for statement in statements:
            page.evaluate(statement)
        page.screenshot(image)


main()
