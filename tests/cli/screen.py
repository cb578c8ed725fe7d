"""A terminal for tests: a program in a pseudo-terminal, and what it shows there.

The screen understands what this project writes: text, line feeds, the cursor, colours (as a letter for each cell), clearing,
and the alternate screen. What it does not know is an error, so that a test says so.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time
import unicodedata

SEQUENCE = re.compile(rb'\x1b(?:\[([?>=]?)([0-9;]*)([@-~])|([()][0-9A-B])|([=>78cM]))')


class Screen:
    def __init__(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()
        self.row = self.column = 0
        self.style = ''
        self.alternate = False
        self.cursor_shown = True
        self.before = None
        self.pending = b''

    def clear(self):
        self.cells = [[' '] * self.columns for _ in range(self.rows)]
        self.styles = [[''] * self.columns for _ in range(self.rows)]

    def resize(self, rows, columns):
        self.rows, self.columns = rows, columns
        self.clear()
        self.row = min(self.row, rows - 1)
        self.column = min(self.column, columns - 1)

    def feed(self, data):
        data = self.pending + data
        at = 0
        while at < len(data):
            if data[at:at + 1] == b'\x1b':
                found = SEQUENCE.match(data, at)
                if not found:
                    if len(data) - at > 20:
                        raise ValueError('unknown sequence %r' % data[at:at + 20])
                    break
                self.control(*found.groups())
                at = found.end()
                continue
            length = 1 if data[at] < 0xc0 else 2 if data[at] < 0xe0 else 3 if data[at] < 0xf0 else 4
            if at + length > len(data):
                break
            self.put(data[at:at + length].decode('utf-8', 'replace'))
            at += length
        self.pending = data[at:]

    def put(self, character):
        if character == '\n':
            self.line_feed()
        elif character == '\r':
            self.column = 0
        elif character == '\b':
            self.column = max(0, self.column - 1)
        elif character == '\t':
            self.column = min(self.columns - 1, self.column // 8 * 8 + 8)
        elif character == '\a':
            pass
        elif unicodedata.combining(character):
            pass
        else:
            wide = unicodedata.east_asian_width(character) in 'WF'
            if self.column + wide >= self.columns + (not wide):
                self.column = 0
                self.line_feed()
            if self.column >= self.columns:
                self.column = 0
                self.line_feed()
            self.cells[self.row][self.column] = character
            self.styles[self.row][self.column] = self.style
            self.column += 1 + wide

    def line_feed(self):
        if self.row + 1 < self.rows:
            self.row += 1
            return
        self.cells = self.cells[1:] + [[' '] * self.columns]
        self.styles = self.styles[1:] + [[''] * self.columns]

    def control(self, private, arguments, final, charset, single):
        if charset or single:
            return
        private, final = private.decode(), final.decode()
        numbers = [int(n) if n else 0 for n in arguments.decode().split(';')]
        first = numbers[0]
        if private == '?' and final in 'hl':
            for number in numbers:
                self.mode(number, final == 'h')
        elif private:
            pass
        elif final == 'm':
            self.style = '' if first == 0 and len(numbers) == 1 else ';'.join(map(str, numbers))
        elif final in 'Hf':
            self.row = min(max(first, 1), self.rows) - 1
            self.column = min(max(numbers[1] if len(numbers) > 1 else 1, 1), self.columns) - 1
        elif final == 'J':
            if first == 2:
                self.clear()
            else:
                self.erase(self.row, self.column)
                for row in range(self.row + 1, self.rows):
                    self.erase(row, 0)
        elif final == 'K':
            self.erase(self.row, self.column if first == 0 else 0)
        elif final in 'ABCD':
            step = max(first, 1)
            self.row += {'A': -step, 'B': step}.get(final, 0)
            self.column += {'D': -step, 'C': step}.get(final, 0)
            self.row = min(max(self.row, 0), self.rows - 1)
            self.column = min(max(self.column, 0), self.columns - 1)
        elif final in 'rnct':
            pass
        else:
            raise ValueError('unknown sequence %s%s' % (arguments, final))

    def mode(self, number, on):
        if number == 1049 and on != self.alternate:
            if on:
                self.before = (self.cells, self.styles, self.row, self.column)
                self.clear()
            else:
                self.cells, self.styles, self.row, self.column = self.before
            self.alternate = on
        elif number == 25:
            self.cursor_shown = on

    def erase(self, row, column):
        for at in range(column, self.columns):
            self.cells[row][at] = ' '
            self.styles[row][at] = ''

    def lines(self):
        return [''.join(row).rstrip() for row in self.cells]

    def text(self):
        return '\n'.join(self.lines()).rstrip('\n')


class Terminal:
    """A program that runs on a screen."""

    def __init__(self, command, rows=24, columns=80, environment=None, cwd=None):
        self.screen = Screen(rows, columns)
        self.written = b''
        environment = dict(environment or {})
        inner, outer = os.openpty()
        fcntl.ioctl(outer, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
        self.outer = outer
        self.attributes = termios.tcgetattr(outer)
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(outer, termios.TIOCSCTTY, 0)
            for file in (0, 1, 2):
                os.dup2(outer, file)
            os.closerange(3, 256)
            # Whoever runs the tests behind nohup, or in the background of a script, has had some of them ignored.
            for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
                signal.signal(number, signal.SIG_DFL)
            if cwd:
                os.chdir(cwd)
            os.execvpe(command[0], command, environment)
        # The other end stays open here, so that what the terminal is set to can be asked after the program has ended.
        self.inner = inner
        self.status = None

    def read(self, seconds):
        ready, _, _ = select.select([self.inner], [], [], seconds)
        if not ready:
            return False
        try:
            data = os.read(self.inner, 65536)
        except OSError:
            return False
        self.written += data
        self.screen.feed(data)
        return True

    def wait_for(self, what, seconds=60):
        """Until what is shown is as wanted: a text on the screen, or a function of the screen."""
        end = time.monotonic() + seconds
        wanted = what if callable(what) else lambda screen: what in screen.text()
        while not wanted(self.screen):
            if time.monotonic() > end:
                raise AssertionError('not seen: %s\n%s' % (what, self.screen.text()))
            self.read(0.2)

    def wait_for_end(self, seconds=60):
        """The exit status, negative for a signal."""
        end = time.monotonic() + seconds
        while self.status is None:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
            elif time.monotonic() > end:
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                raise AssertionError('it does not end\n' + self.screen.text())
        while self.read(0.05):
            pass
        return self.status

    def send(self, keys):
        os.write(self.inner, keys if isinstance(keys, bytes) else keys.encode())

    def resize(self, rows, columns):
        self.screen.resize(rows, columns)
        fcntl.ioctl(self.inner, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))

    def is_restored(self):
        return termios.tcgetattr(self.outer) == self.attributes and not self.screen.alternate and self.screen.cursor_shown

    def close(self):
        """Once is enough, and more do no harm."""
        if self.inner < 0:
            return
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.inner)
        os.close(self.outer)
        self.inner = self.outer = -1


class Tests:
    """Prints TAP, and how each failed."""

    def __init__(self):
        self.count = self.failed = 0

    def run(self, name, function):
        self.count += 1
        try:
            function()
            print('ok %d - %s' % (self.count, name))
        except Exception as error:  # what went wrong is what the reader wants
            self.failed += 1
            print('not ok %d - %s' % (self.count, name))
            for line in ('%s: %s' % (type(error).__name__, error)).splitlines():
                print('# ' + line)
        sys.stdout.flush()

    def end(self):
        print('1..%d' % self.count)
        sys.exit(self.failed > 0)
