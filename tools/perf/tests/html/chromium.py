# SPDX-License-Identifier: GPL-2.0
"""Drive a headless Chromium by the DevTools protocol, over a pair of pipes.

The browser reads commands from descriptor 3 and writes answers and events to descriptor 4; a NUL
ends each of them.
"""
import base64
import json
import os
import shutil
import signal
import subprocess
import tempfile

# A browser that does not show a page and answer all questions about it within this time has
# failed, in seconds.
PATIENCE = 120


# Root and containers cannot have the sandbox of the browser, or room in /dev/shm. The pages are made
# by the tests.
CONTAINER_OPTIONS = ['--no-sandbox', '--disable-dev-shm-usage']


class TimedOut(Exception):
    """The browser does not answer."""


def time_out(_signal, _frame):
    raise TimedOut(f'the browser did not answer within {PATIENCE} s')


signal.signal(signal.SIGALRM, time_out)


def find():
    """Return the path of Chromium, or None."""
    return shutil.which('chromium') or shutil.which('chromium-browser')


class Page:
    """A page in a browser of its own.

    problems has exceptions, messages about the Content-Security-Policy and other errors; requests
    has the addresses that the page asked for."""

    def __init__(self, url, width=1200, height=900):
        self.directory = tempfile.mkdtemp()
        self.problems = []
        self.requests = []
        self.last = 0
        self.rest = b''
        self.session = None
        command_in, self.to = os.pipe()
        self.answers, event_out = os.pipe()

        def pass_pipes():
            # The numbers may be 3 and 4 in the wrong order, so move them away first.
            spare_in, spare_out = os.dup(command_in), os.dup(event_out)
            os.dup2(spare_in, 3)
            os.dup2(spare_out, 4)

        self.browser = subprocess.Popen(
            [find(), '--headless=new', '--remote-debugging-pipe', '--no-first-run',
             '--disable-gpu', '--disable-background-networking', '--disable-extensions',
             '--disable-component-update', '--hide-scrollbars', '--lang=en-US',
             f'--user-data-dir={self.directory}', f'--window-size={width},{height}',
             *CONTAINER_OPTIONS, 'about:blank'],
            preexec_fn=pass_pipes, close_fds=False, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command_in)
        os.close(event_out)
        try:
            self.attach(width, height)
            self.go(url)
        except BaseException:
            self.close()
            raise

    def attach(self, width, height):
        """Connect to a page in the browser, and ask for its events."""
        signal.alarm(PATIENCE)
        target = self.call('Target.createTarget', url='about:blank')
        attached = self.call('Target.attachToTarget', targetId=target['targetId'], flatten=True)
        self.session = attached['sessionId']
        for domain in 'Page', 'Runtime', 'Log', 'Network':
            self.call(f'{domain}.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def go(self, url):
        """Open another page."""
        self.problems.clear()
        self.requests.clear()
        signal.alarm(PATIENCE)
        self.call('Page.navigate', url=url)
        event = {}
        while event.get('method') != 'Page.loadEventFired':
            event = self.receive()
            self.note(event)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """End the browser, and remove its files."""
        signal.alarm(0)
        if self.browser.poll() is None:
            os.killpg(self.browser.pid, signal.SIGKILL)
        self.browser.wait()
        os.close(self.to)
        os.close(self.answers)
        shutil.rmtree(self.directory, ignore_errors=True)

    def call(self, method, **parameters):
        """Call a method of the protocol; return its result."""
        self.last += 1
        message = {'id': self.last, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.receive()
            if answer.get('id') == self.last:
                if 'error' in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer['result']
            self.note(answer)

    def receive(self):
        while b'\0' not in self.rest:
            got = os.read(self.answers, 1 << 20)
            if not got:
                raise RuntimeError('the browser ended')
            self.rest += got
        message, self.rest = self.rest.split(b'\0', 1)
        return json.loads(message)

    def note(self, event):
        """Keep an event that a test asks for."""
        what, about = event.get('method'), event.get('params', {})
        if what == 'Runtime.exceptionThrown':
            details = about['exceptionDetails']
            self.problems.append(details.get('exception', {}).get('description', details['text']))
        elif what == 'Log.entryAdded' and about['entry']['level'] == 'error':
            self.problems.append(about['entry']['text'])
        elif what == 'Network.requestWillBeSent':
            self.requests.append(about['request']['url'])

    def evaluate(self, expression):
        """Return the value of an expression, or what its promise becomes."""
        done = self.call('Runtime.evaluate', expression=expression, awaitPromise=True,
                         returnByValue=True)
        if 'exceptionDetails' in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done['result'].get('value')

    def wait_for(self, condition):
        """Wait until a condition is true; it is looked at before each frame."""
        self.evaluate('new Promise((done) => { const look = () => '
                      f'({condition}) ? done() : requestAnimationFrame(look); look(); }})')

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y):
        for kind in 'mousePressed', 'mouseReleased':
            self.mouse(kind, x, y, button='left', clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self.mouse('mousePressed', x, y, button='left', buttons=1, clickCount=1)
        self.mouse('mouseMoved', to_x, to_y, button='left', buttons=1)
        self.mouse('mouseReleased', to_x, to_y, button='left', clickCount=1)

    def key(self, key, shift=False):
        more = {'text': key} if len(key) == 1 else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, modifiers=8 * shift, **more)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, modifiers=8 * shift)

    def screenshot(self, path):
        shot = self.call('Page.captureScreenshot', format='png')
        with open(path, 'wb') as image:
            image.write(base64.b64decode(shot['data']))
