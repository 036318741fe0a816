"""Shared parts of the programs that compare random scenes with usd-core: the loop over scenes, and the use of a program.

Scenes are checked in several worker processes at a time. A scene that never ends in usd-core, or crashes it, is skipped,
and the others continue. Must be imported before pxr.
"""
import json
import os
import resource
import select
import shutil
import signal
import tempfile
import time

# Threads would contend with the other processes, and make the order of usd-core's errors random.
os.environ["PXR_WORK_THREAD_LIMIT"] = "1"

from pxr import Tf  # noqa: E402

import recorded  # noqa: E402
from program import Program  # noqa: E402

SCENES = 100  # maximum per process


def add_options(parser, count):
    parser.add_argument("--count", type=int, default=count, help="number of scenes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="check only the scene of this number")
    parser.add_argument("--keep", help="save the layers of disagreements in this folder")
    parser.add_argument("--record", help="append the scenes on which both agree, with the answers, to this file")
    parser.add_argument("--stop-after", type=int, default=1, help="number of disagreements to stop after")
    parser.add_argument("--jobs", type=int, default=1, help="number of parallel processes")


def numbers(options):
    return [options.only] if options.only is not None else list(range(options.count))


def run(options, items, check, seconds):
    """Checks all items and prints how many disagree. Returns the exit status.

    check(item) returns a report of the disagreements about a scene: empty if there are none, None if the scene cannot be
    compared. It may take `seconds` of processor time.
    """
    compared = failures = 0
    for report in reports(items, check, seconds, options.jobs):
        if report is None:
            continue
        compared += 1
        if report:
            failures += 1
            print(report, flush=True)
            if failures >= options.stop_after:
                break
    print(f"{failures} disagreements in {compared} scenes")
    return 1 if failures else 0


def reports(items, check, seconds, jobs):
    """Yields the report of each item, in no particular order. None for items that cannot be compared."""
    queue = list(reversed(items))
    workers = []
    try:
        while queue or workers:
            while queue and len(workers) < jobs:
                share = max(1, min(SCENES, len(queue) // jobs))
                workers.append(Worker([queue.pop() for _ in range(share)], check, seconds))
            ready, _, _ = select.select(workers, [], [])
            for worker in ready:
                yield from worker.read()
                if not worker.ended:
                    continue
                workers.remove(worker)
                worker.end()
                if worker.items:  # it died while checking the first of these
                    yield None
                    queue += reversed(worker.items[1:])
    finally:
        for worker in workers:
            worker.end()


class Worker:
    """A process that checks some items."""

    def __init__(self, items, check, seconds):
        self.items = list(items)
        read, write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(read)
            with os.fdopen(write, "w") as out:
                self.work(check, seconds, out)
            os._exit(0)
        os.close(write)
        self.results, self.rest, self.ended = read, b"", False

    def fileno(self):
        return self.results

    def read(self):
        """The reports received so far. Sets `ended` at the end."""
        more = os.read(self.results, 1 << 16)
        self.ended = not more
        *lines, self.rest = (self.rest + more).split(b"\n")
        del self.items[:len(lines)]
        return [json.loads(line) for line in lines]

    def work(self, check, seconds, out):
        for item in self.items:
            limit = int(time.process_time()) + 1 + seconds
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))
            signal.alarm(20 * seconds)
            out.write(json.dumps(check(item)) + "\n")
            out.flush()

    def end(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.results)


class Checker:
    """Compares a numbered scene in its own folder when called by `run`. One process of our program serves all scenes."""

    def __init__(self, options, *arguments):
        self.options = options
        self.command = [options.program, *arguments]
        self.process = None

    def __call__(self, number):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return self.check(number, os.path.realpath(folder))
            except Tf.ErrorException:  # usd-core reports an error of its own
                return None

    def check(self, number, folder):
        """The report about a scene for `run`. May write any files to the folder."""
        raise NotImplementedError

    @property
    def program(self):
        self.process = self.process or Program(self.command)
        return self.process

    def forget_program(self):
        """To be called after it failed. The next scene starts another."""
        self.process = None

    def record(self, folder, files, question, answer):
        """Records a scene on which both agree, if requested; see recorded.py."""
        if self.options.record:
            recorded.keep(self.options.record, folder, files, question, answer)

    def report(self, number, folder, found, show):
        """The report of the differences found, with the first of them. Saves the folder if requested."""
        if not found:
            return ""
        if self.options.keep:
            place = os.path.join(self.options.keep, f"{self.options.seed}-{number}")
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(folder, place)
        return "\n".join([f"scene {number} of seed {self.options.seed}: {len(found)} differences"] + found[:show])
