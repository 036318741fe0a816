"""Attacks a real daemon with one trick after another while a well-behaved client uses it.

After each trick, the daemon must be alive, all calls must have ended, memory must be within its limit, and the other client's
calls must have succeeded. Prints a table with the effects of each trick; hostile_test --only TRICK repeats one. Slowness alone
does not fail the test, since the machine may be busy; --strict requires the figures of a quiet machine (see docs/testing.md).
"""
import argparse
import http.client
import importlib
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import calls as hostile_calls
import judging
import scenes

# Bazel's runfiles of this program.
RUNFILES = next(folder for folder in sys.path if os.path.exists(os.path.join(folder, "server/stagedoord")))
DAEMON = os.path.join(RUNFILES, "server/stagedoord")
HERE = os.path.join(RUNFILES, "tests/hostile")
MODULES = ("scenes_composition", "scenes_values", "scenes_frames", "scenes_rendering")
BIG = "big_mesh"
MEMORY = 2 << 30
CALM_SECONDS = 5
FLAGS = ("--threads=2", *os.environ.get("HOSTILE_FLAGS", f"--memory-limit={MEMORY}").split())

# Seconds. After NEVER, work in progress is considered endless; after AT_LAST, a daemon or client that has not started, stopped
# or answered is considered hung.
NEVER, AT_LAST = 40, 120


def read(path):
    with open(path) as file:
        return file.read()


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class Daemon:
    """stagedoord with a memory limit, watched."""

    def __init__(self, folder, flags=FLAGS):
        address_file = os.path.join(folder, "address")
        self.log = os.path.join(folder, "log")
        if os.path.exists(address_file):  # left by a daemon that died
            os.remove(address_file)
        # A node daemon holds none.
        scenes = [] if any(flag.startswith("--upstream=") for flag in flags) else [f"--allow-root={folder}"]
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [DAEMON, "--address=127.0.0.1:0", f"--address-file={address_file}",
                 "--metrics-address=127.0.0.1:0", "--log-level=info", *scenes, *flags],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.address = self.wait_for(lambda: read(address_file).split()[0])
        self.metrics = self.wait_for(lambda: re.search(r"http://\S+/metrics", read(self.log)).group(0))
        self.peak = 0
        threading.Thread(target=self.watch, daemon=True).start()

    def wait_for(self, look):
        end = time.monotonic() + AT_LAST
        while self.alive() and time.monotonic() < end:
            try:
                return look()
            except (OSError, IndexError, AttributeError):
                time.sleep(0.05)
        raise SystemExit("the daemon did not start to serve:\n" + read(self.log)[-2000:])

    def watch(self):
        while self.process.poll() is None:
            self.peak = max(self.peak, self.anonymous_bytes())
            time.sleep(0.05)

    def anonymous_bytes(self):
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                return int(re.search(r"RssAnon:\s+(\d+)", status.read()).group(1)) * 1024
        except (OSError, AttributeError):
            return 0

    def alive(self):
        return self.process.poll() is None

    def read_metrics(self):
        """The text of the metrics. None if the daemon does not report them now."""
        try:
            return urllib.request.urlopen(self.metrics, timeout=NEVER).read().decode()
        except (OSError, http.client.HTTPException):
            return None

    def in_flight(self):
        """The number of calls in flight. None if the daemon does not report it now."""
        if not self.alive():
            return 0
        text = self.read_metrics()
        return None if text is None else float(re.search(r"^stagedoor_requests_in_flight (\S+)", text, re.M).group(1))

    def seconds_until_idle(self):
        """How long calls continue after all their callers have left."""
        return judging.seconds_until_idle(self.in_flight, NEVER)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout=AT_LAST)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "killed"


class Probe:
    """The well-behaved client; records how long its small calls take."""

    def __init__(self, daemon, root, attribute):
        self.process = subprocess.Popen([os.path.join(HERE, "probe"), daemon.address, root, attribute],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.calls = []
        self.resting = threading.Event()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            if line == "resting\n":
                self.resting.set()
                continue
            begin, microseconds, code, message = line.rstrip("\n").split(" ", 3)
            self.calls.append((float(begin), float(microseconds) / 1e6, int(code), message))

    def order(self, word):
        try:
            self.process.stdin.write(word)
            self.process.stdin.flush()
        except OSError:
            pass  # it has exited, so it will not confirm the order

    def rest(self):
        """Stops it from sending further calls, so that soon all calls in flight are the attacker's."""
        self.resting.clear()
        self.order("r")

    def has_come_to_rest(self):
        """Waits until its last call is answered. False if it has exited or the call hangs."""
        return self.resting.wait(timeout=AT_LAST) if self.process.poll() is None else self.resting.is_set()

    def go_on(self):
        self.order("g")

    def wait_for_first_call(self):
        end = time.monotonic() + AT_LAST
        while not self.calls:
            if self.process.poll() is not None or time.monotonic() > end:
                raise SystemExit("the other client gets no replies")
            time.sleep(0.05)

    def between(self, begin, end):
        """The durations in seconds of the calls sent in this interval, and the errors of the failed ones."""
        calls = [call for call in self.calls if begin <= call[0] < end]
        return [seconds for _, seconds, _, _ in calls], [f"code {code}: {message}" for _, _, code, message in calls if code != 0]

    def stop(self):
        self.order("e")
        self.reader.join(timeout=AT_LAST)
        self.process.kill()


def all_tricks():
    """Pairs of a name and a function that returns the calls for a folder."""
    def of_scene(make):
        def calls(folder):
            files = write(folder, make)
            root = os.path.join(folder, make.__name__, "root.usda")
            text = files["root.usda"]
            text = text if isinstance(text, str) else ""
            yield from hostile_calls.battery(root, text)
            if 0 < len(text) < 100000:
                yield from hostile_calls.as_session(os.path.join(folder, "calm", "root.usda"), text)
            if hasattr(make, "more_calls"):
                yield from make.more_calls(root)
        return calls

    def of_requests(make):
        return lambda folder: make(os.path.join(folder, BIG, "root.usda"))

    makers = list(scenes.ALL)
    for name in MODULES:
        if os.path.exists(os.path.join(HERE, name + ".py")):
            makers += importlib.import_module(name).ALL
    return [(make.__name__, of(make)) for of, some in
            ((of_requests, hostile_calls.ON_BIG_MESH), (of_scene, makers), (of_requests, hostile_calls.AT_THE_END)) for make in some]


def of_this_shard(tricks):
    """Those of the shard that Bazel runs; all of them without Bazel."""
    status = os.environ.get("TEST_SHARD_STATUS_FILE")
    if status:  # tells Bazel that sharding is supported
        with open(status, "w"):
            pass
    return tricks[int(os.environ.get("TEST_SHARD_INDEX", 0))::int(os.environ.get("TEST_TOTAL_SHARDS", 1))]


def write(folder, make):
    files = make()
    for name, content in files.items():
        path = os.path.join(folder, make.__name__, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content if isinstance(content, bytes) else content.encode())
    return files


def calm():
    return {"root.usda": scenes.HEADER + 'def "A"\n{\n    double a = 1\n    double b.timeSamples = {\n        0: 1,\n        9: 2,\n    }\n}\n'}


def attack(daemon, calls, deadline, threads=4):
    """Runs the calls. Returns the result of each."""
    calls = [{"deadline": deadline, **call} for call in calls]
    lines = "".join(json.dumps(call) + "\n" for call in calls)
    # Far more than the deadlines allow, even on a busy machine: a caller that hangs is a failure in itself.
    seconds = 600 + 10 * deadline * sum(call.get("times", 1) for call in calls)
    # Simulates another machine: the attacker's own computation should not slow down the other client.
    done = subprocess.run(["nice", os.path.join(HERE, "attack"), daemon.address, str(threads)], input=lines, text=True,
                          stdout=subprocess.PIPE, timeout=seconds, check=False)
    if done.returncode != 0:
        raise SystemExit(f"attack exited with status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


class Suite:
    """A daemon and the other client, both restarted after a trick that ended them, and the results of all tricks."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.tolerances = judging.STRICT if options.strict else judging.ANYWHERE
        self.daemon = self.probe = self.alone = None
        self.times = []  # durations of the other client's calls during all tricks
        self.tricks = 0
        self.problems = []
        write(folder, calm)
        write(folder, scenes.big_mesh)
        print(f"{'trick':32} {'seconds':>8} {'longest':>8} {'idle':>7} {'p99 ms':>8} {'MiB':>6}  codes")

    def start(self):
        self.daemon = Daemon(self.folder)
        self.probe = Probe(self.daemon, os.path.join(self.folder, "calm", "root.usda"), "/A.a")
        self.probe.wait_for_first_call()
        time.sleep(CALM_SECONDS)
        times, _ = self.probe.between(0, time.monotonic())
        self.alone = judging.slowest_hundredth(times)
        print(f"{'(alone)':32} {CALM_SECONDS:8.2f} {'':8} {'':7} {self.alone * 1e3:8.2f}", flush=True)

    def try_one(self, name, calls):
        if self.daemon is None:
            self.start()
        row = self.run(calls)
        self.report(name, row)
        wrong = list(judging.judge(row, self.alone, self.tolerances, MEMORY))
        for problem in wrong:
            print(f"    WRONG: {problem}", flush=True)
        self.problems += [f"{name}: {problem}" for problem in wrong]
        if not row["alive"] or not row["rested"]:
            print("    " + read(self.daemon.log)[-1500:].replace("\n", "\n    "))
            for process in (self.daemon.process, self.probe.process):
                process.kill()
            self.probe.stop()
            self.daemon = None

    def run(self, calls):
        daemon = self.daemon
        daemon.peak = daemon.anonymous_bytes()
        calls = list(calls(self.folder))
        begin = time.monotonic()
        answers = attack(daemon, calls, self.options.deadline)
        self.probe.rest()
        idle = daemon.seconds_until_idle()
        rested = not daemon.alive() or self.probe.has_come_to_rest()
        end = time.monotonic()
        times, failed = self.probe.between(begin, end)
        self.probe.go_on()
        self.times += times
        self.tricks += 1
        opening, = attack(daemon, [hostile_calls.open_another(os.path.join(self.folder, "calm", "root.usda"), self.tricks)], NEVER)
        return {"alive": daemon.alive(), "status": daemon.process.poll(), "idle": idle, "rested": rested,
                "p99": judging.slowest_hundredth(times), "calls": len(times), "failed": failed, "peak": daemon.peak, "answers": answers, "opening": opening, "seconds": end - begin,
                "longest": max((answer["seconds"] for answer in answers), default=0)}

    def report(self, name, row):
        codes = {}
        for answer in row["answers"]:
            codes[answer["code"]] = codes.get(answer["code"], 0) + 1
            if self.options.verbose:
                print("   ", answer)
        print(f"{name:32} {row['seconds']:8.2f} {row['longest']:8.2f} {row['idle']:7.3f} {row['p99'] * 1e3:8.2f} "
              f"{row['peak'] >> 20:6}  {' '.join(f'{code}:{count}' for code, count in sorted(codes.items()))}", flush=True)

    def finish(self):
        if self.daemon is not None:
            self.probe.stop()
            status = self.daemon.stop()
            if status != 0:
                self.problems.append(f"the daemon exited with status {status} after SIGTERM")
        p99 = judging.slowest_hundredth(self.times)
        print(f"the other client: {len(self.times)} calls, p99 {p99 * 1e3:.2f} ms, {self.alone * 1e3:.2f} ms alone")
        self.problems += judging.judge_all(p99, self.alone, self.tolerances)
        print(f"{len(self.problems)} problems")
        for problem in self.problems:
            print("  " + problem)
        return 1 if self.problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="run this trick only; repeatable")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--deadline", type=float, default=2.0, help="seconds that each call may take (default: %(default)s)")
    parser.add_argument("--verbose", action="store_true", help="print the result of every call")
    options = parser.parse_args()
    tricks = [trick for trick in all_tricks() if not options.only or trick[0] in options.only]
    if not tricks:
        parser.error("unknown trick")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        suite = Suite(folder, options)
        for name, calls in of_this_shard(tricks):
            suite.try_one(name, calls)
        return suite.finish()


if __name__ == "__main__":
    sys.exit(main())
