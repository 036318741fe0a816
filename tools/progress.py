#!/usr/bin/env python3
"""Runs a command and shows how far it is: progress.py NAME COMMAND [ARGUMENTS].

On a terminal, standard error has a line that changes every second; elsewhere, as in a log, it gets a line a minute. What the
command prints passes through, except Bazel's own lines of progress, `[12 / 345] …`, from which the numbers are taken. The time
left is estimated from the actions of the last minutes, or else from the last run. Exits with the status of the command.

The environment may say where the command is in a longer run (tools/test.sh):
STAGEDOOR_STEP        "step 2 of 30"
STAGEDOOR_STEP_TIME   how many seconds this step took last time
STAGEDOOR_LATER_TIME  how many seconds the later steps took last time
STAGEDOOR_PROGRESS    "none": show nothing
"""
import collections
import os
import re
import selectors
import shutil
import signal
import subprocess
import sys
import time

BAZEL = re.compile(rb"^(?:\(\d\d:\d\d:\d\d\) )?(?:\[([\d,]+) / ([\d,]+)\]|Loading: |Analyzing: )")
WINDOW = 120  # seconds whose actions the estimate is made from
LEAST = 20  # seconds of actions before there is an estimate
FAST = 4  # actions per second and processor above which they come from a cache and say nothing about the others
LOG_EVERY = 60


def minutes(seconds):
    count = int(seconds / 60 + 0.5)
    if count < 1:
        return "less than a minute"
    return "about %d min" % count if count < 60 else "about %d h %d min" % divmod(count, 60)


class Estimate:
    """What is known of the progress of a command."""

    def __init__(self, name, step="", step_time=None, later_time=None, processors=os.cpu_count() or 1):
        self.name, self.step, self.step_time, self.later_time = name, step, step_time, later_time
        self.fast = FAST * processors
        self.done = self.total = None
        self.history = collections.deque()  # (time, done)

    def update(self, now, done, total):
        self.done, self.total = done, total
        if self.history and done - self.history[-1][1] > self.fast * (now - self.history[-1][0]):
            self.history.clear()
        self.history.append((now, done))
        while len(self.history) > 2 and now - self.history[0][0] > WINDOW:
            self.history.popleft()

    def left(self, elapsed):
        """Seconds that the command still takes, or None."""
        if len(self.history) >= 2:
            seconds = self.history[-1][0] - self.history[0][0]
            actions = self.history[-1][1] - self.history[0][1]
            if seconds >= LEAST and actions > 0:
                return (self.total - self.done) * seconds / actions
        return None if self.step_time is None else max(0, self.step_time - elapsed)

    def text(self, elapsed):
        parts = []
        left = self.left(elapsed)
        if self.done is not None:
            parts.append("{:,} of {:,} actions done".format(self.done, self.total))
        else:
            parts.append("running for %s" % minutes(elapsed))
        if left is not None:
            parts.append("%s left" % minutes(left))
        if self.step:
            parts.append(self.step)
            if left is not None and self.later_time is not None:
                parts.append("%s left in all" % minutes(left + self.later_time))
        return self.name + ": " + ", ".join(parts)


class Display:
    """Shows the text of an estimate below or between the output of the command."""

    def __init__(self, stream, terminal, clock=time.monotonic):
        self.stream, self.terminal, self.clock = stream, terminal, clock
        self.begin = self.last = clock()
        self.shown = False

    def clear(self):
        if self.shown:
            self._write("\r\033[K")
            self.shown = False

    def tick(self, estimate):
        now = self.clock()
        if now - self.last < (1 if self.terminal else LOG_EVERY):
            return
        self.last = now
        text = estimate.text(now - self.begin)
        if self.terminal:
            self._write("\r\033[K" + text[:shutil.get_terminal_size().columns - 1])
            self.shown = True
        else:
            self._write(text + "\n")

    def _write(self, text):
        self.stream.write(text)
        self.stream.flush()


class Pipe:
    """Passes complete lines of one stream of the command on, without Bazel's progress."""

    def __init__(self, source, target, estimate):
        self.source, self.target, self.estimate = source, target, estimate
        self.rest = b""

    def read(self, display):
        """False at the end of the stream."""
        data = os.read(self.source.fileno(), 1 << 16)
        lines = (self.rest + data).split(b"\n")
        self.rest = lines.pop()
        if not data and self.rest:
            lines, self.rest = lines + [self.rest], b""
        kept = b"".join(line + b"\n" for line in lines if not self._is_progress(line))
        if kept:
            display.clear()
            self.target.write(kept)
            self.target.flush()
        return bool(data)

    def _is_progress(self, line):
        match = BAZEL.match(line)
        if match and match[1]:
            self.estimate.update(time.monotonic(), *(int(number.replace(b",", b"")) for number in match.groups()))
        return match is not None


def run(command, estimate, display):
    environment = dict(os.environ, STAGEDOOR_PROGRESS="none")  # what the command runs shows none of its own
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
    except OSError as error:
        print("progress: cannot run %s: %s" % (command[0], error.strerror), file=sys.stderr)
        return 127
    # Ctrl+C reaches the command as well, which decides when it ends.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    selector = selectors.DefaultSelector()
    for source, target in ((process.stdout, sys.stdout.buffer), (process.stderr, sys.stderr.buffer)):
        selector.register(source, selectors.EVENT_READ, Pipe(source, target, estimate))
    while selector.get_map():
        ready = selector.select(timeout=0.25)
        for key, _ in ready:
            if not key.data.read(display):
                selector.unregister(key.fileobj)
        if not ready and process.poll() is not None:
            break  # what it has started in the background may keep the streams open
        display.tick(estimate)
    status = process.wait()
    display.clear()
    return status if status >= 0 else 128 - status


def seconds(name):
    value = os.environ.get(name, "")
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None


def main(arguments):
    if len(arguments) < 2:
        sys.exit("usage: progress.py NAME COMMAND [ARGUMENTS]")
    if os.environ.get("STAGEDOOR_PROGRESS") == "none":
        os.execvp(arguments[1], arguments[1:])
    estimate = Estimate(arguments[0], os.environ.get("STAGEDOOR_STEP", ""), seconds("STAGEDOOR_STEP_TIME"), seconds("STAGEDOOR_LATER_TIME"))
    return run(arguments[1:], estimate, Display(sys.stderr, sys.stderr.isatty()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
