"""Saturates a daemon with random requests for all methods: soak.py [--seconds N] [--seed S].

Clients are killed in the middle of their calls and replaced, scenes are edited on disk, stages are opened and closed, and all
budgets are small, so that they are full most of the time. Meanwhile a bystander compares the values it gets with known ones; it may
be refused for lack of memory, but must never get a wrong answer.

At the end no status may have been outside of the contract, and memory, descriptors and threads must return to what they were after
the first third of the time, within a margin. The daemon must exit on SIGTERM."""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

import hostile_test
import http2
import judging
import scenes
from bystander import SPARE, Watched

MEMORY = 1 << 30
FLAGS = (f"--memory-limit={MEMORY}", "--calls-bytes=16M", "--stage-cache-bytes=12M", "--layer-cache-bytes=4M", "--clip-cache-bytes=4M",
         "--max-idle-stages=8", "--max-calls=12", "--max-waiting-per-client=8", "--max-wait=1000", "--stall-seconds=2", "--lease-ttl=20",
         "--max-lease-ttl=20", "--max-leases=2000", "--max-connections=200")
ATTACKERS = 5  # processes with four threads each
REFUSED = (http2.RESOURCE_EXHAUSTED, http2.UNAVAILABLE)
# How much higher than after the first third. The process keeps names that requests brought, and what its allocator keeps.
MORE_MEMORY, MORE_FILES, MORE_THREADS = 64 << 20, 32, SPARE


class Attackers:
    """Programs that send random requests. Now and then one is killed; the others must end well."""

    def __init__(self, address, roots, seed):
        self.address, self.roots, self.next_seed = address, roots, seed * 1000
        self.killed = 0
        self.problems = []
        self.running = []

    def start(self, seconds):
        self.next_seed += 1
        command = [os.path.join(hostile_test.HERE, "random_requests"), self.address, str(seconds), str(self.next_seed), *self.roots]
        self.running.append(subprocess.Popen(["nice", *command], stdout=subprocess.PIPE, text=True))

    def kill_one(self):
        attacker = self.running.pop(0)
        attacker.send_signal(signal.SIGKILL)
        attacker.communicate()
        self.killed += 1

    def collect(self):
        for attacker in self.running:
            output, _ = attacker.communicate()
            print(output, end="", flush=True)
            if attacker.returncode != 0:
                self.problems.append(f"random_requests exited with status {attacker.returncode}")
        self.running = []


class Editor(threading.Thread):
    """Changes the layers of scenes on disk again and again, by replacing the files, as editors do."""

    def __init__(self, files):
        super().__init__(daemon=True)
        self.stopping = threading.Event()
        self.contents = {path: hostile_test.read_bytes(path) for path in files}
        self.edits = 0

    def run(self):
        while not self.stopping.wait(0.2):
            path, content = random.choice(list(self.contents.items()))
            self.edits += 1
            replacement = path + ".new"
            with open(replacement, "wb") as file:
                file.write(content + b"\n" * (self.edits % 7))  # another size, thus another version
            os.replace(replacement, path)


class Usage:
    """What the daemon holds while it is idle."""

    def __init__(self, watched):
        self.memory, self.files, self.threads = watched.memory(), watched.descriptors(), watched.threads()

    def __str__(self):
        return f"{self.memory} bytes of memory, {self.files} descriptors, {self.threads} threads"

    def exceeds(self, before):
        return (self.memory > before.memory + MORE_MEMORY or self.files > before.files + MORE_FILES
                or self.threads > before.threads + MORE_THREADS)


def attack(watched, attackers, seconds):
    """Keeps the daemon saturated. Returns when all clients have left and the daemon has noticed."""
    end = time.monotonic() + seconds
    for _ in range(ATTACKERS):
        attackers.start(seconds)
    while (left := end - time.monotonic()) > 4:
        time.sleep(min(3, left - 3))
        attackers.kill_one()
        attackers.start(max(1, int(end - time.monotonic())))
    attackers.collect()
    watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") <= 1, "calls end")
    watched.eventually(lambda: watched.metric("stagedoor_connections") <= 2, "connections are closed")
    watched.eventually(lambda: watched.metric("stagedoor_leases") <= 1, "leases expire")


def soak(folder, options):
    makers = [hostile_test.calm, *scenes.ALL]
    for make in makers:
        hostile_test.write(folder, make)
    roots = [os.path.join(folder, make.__name__, "root.usda") for make in makers]
    watched = Watched(folder, *FLAGS, may_refuse=REFUSED)
    attackers = Attackers(watched.address, roots, options.seed)
    editor = Editor([root for root in roots if os.path.getsize(root) < 1 << 20])
    editor.start()
    third = max(4, options.seconds // 3)
    attack(watched, attackers, third)
    before = Usage(watched)
    attack(watched, attackers, max(4, options.seconds - third))
    editor.stopping.set()
    problems = attackers.problems
    try:
        # Stages are freed in the background, and the allocator returns their memory seconds later.
        watched.eventually(lambda: not Usage(watched).exceeds(before), f"no more is held than {before}")
    except AssertionError as wrong:
        problems.append(str(wrong))
    print(f"after the first third: {before}; at the end: {Usage(watched)}")
    print(f"{attackers.killed} clients killed, {editor.edits} edits on disk; the bystander: {watched.bystander.answers} answers, "
          f"{watched.bystander.refused} refused; anonymous memory: at most {watched.daemon.peak >> 20} MiB of {MEMORY >> 20}")
    if watched.daemon.peak > MEMORY * judging.OVER_LIMIT:
        problems.append("memory exceeded its limit by more than a fifth")
    if watched.bystander.answers == watched.bystander.refused:
        problems.append("the bystander was never answered")
    try:
        watched.stop()
    except AssertionError as wrong:
        problems.append(str(wrong))
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        problems = soak(folder, parser.parse_args())
    for problem in problems:
        print("WRONG: " + problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
