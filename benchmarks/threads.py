#!/usr/bin/env python3
"""Compares two threads of one process with two single-threaded processes, on the metrics that can be spread.

    threads.py SCENES [--groups crowd,anim,clips] [--only PREFIX] [--rounds 15] [--seconds 0.4] [--driver PROGRAM] [--json OUT]

For each metric, engine_driver runs three times: once with both halves of the work, on two threads, and twice with one half, on one
thread. All processes are warmed up first. In each round, first the two threads run and then the two processes at the same time, or the
other way round, for the same duration, while the others sleep. Prints the medians of the rates, and the median and the quartiles of the
ratios of the rounds.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
DRIVER = os.path.join(ROOT, ".bazel", "bin", "benchmarks", "engine_driver")
# The share of the two processes' rate that two threads should reach.
WANTED = 0.85
# Seconds from sending an order to its start: longer than it takes to deliver it.
LEAD = 0.03


class Lane:
    """A driver process that executes orders; see benchmarks/lanes.h."""

    def __init__(self, driver, scenes, group, lane):
        self.process = subprocess.Popen([driver, scenes, "--child", group, "--lane", lane], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def order(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def answer(self):
        """The next reply, or None if the process has ended."""
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def rate(self):
        answer = self.answer()
        if answer is None:
            raise SystemExit("threads: the driver has exited")
        return answer["rate"]

    def end(self):
        self.process.communicate()
        return self.process.returncode


def run(lanes, seconds):
    """The sum of the rates of lanes that work at the same time."""
    at = time.monotonic() + LEAD
    for lane in lanes:
        lane.order(f"go {at:.6f} {seconds}")
    return sum(lane.rate() for lane in lanes)


def measure(threads, processes, options):
    """The result of each round: (rate of two threads, rate of two processes). The order alternates from round to round, so that a
    temporary slowdown of the machine affects both alike."""
    for sides in (threads, processes):
        run(sides, options.seconds)
    rounds = []
    for i in range(options.rounds):
        sides = (threads, processes) if i % 2 == 0 else (processes, threads)
        rates = {id(side): run(side, options.seconds) for side in sides}
        rounds.append((rates[id(threads)], rates[id(processes)]))
    return rounds


def summary(rounds):
    """The medians of the rates, and the median and quartiles of the ratio."""
    ratios = [threads / processes for threads, processes in rounds]
    low, _, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return {"threads": statistics.median(rate for rate, _ in rounds), "processes": statistics.median(rate for _, rate in rounds),
            "ratio": statistics.median(ratios), "low": low, "high": high}


def measure_group(group, options):
    """Yields the results of a group's metrics, in the order in which the driver measures them."""
    lanes = [Lane(options.driver, options.scenes, group, lane) for lane in ("both", "1", "2")]
    try:
        while True:
            ready = [lane.answer() for lane in lanes]
            if None in ready:
                break
            if ready[0]["ready"].startswith(options.only):
                rounds = measure(lanes[:1], lanes[1:], options)
                yield {"name": ready[0]["ready"], "unit": ready[0]["unit"], **summary(rounds), "rounds": rounds}
            for lane in lanes:
                lane.order("next")
    finally:
        statuses = [lane.end() for lane in lanes]
    if any(statuses):
        raise SystemExit(f"threads: group {group} ended with {statuses}")


def table_row(result):
    mark = "" if result["ratio"] >= WANTED else " ✗"
    return (f"| {result['name']} | {result['unit']} | {result['threads']:.4g} | {result['processes']:.4g} "
            f"| {result['ratio']:.1%}{mark} | {result['low']:.0%} to {result['high']:.0%} |")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes")
    parser.add_argument("--groups", default="crowd,anim,clips")
    parser.add_argument("--only", default="", help="prefix of the names to measure")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seconds", type=float, default=0.4, help="duration of each side in a round (default: %(default)s)")
    parser.add_argument("--driver", default=DRIVER)
    parser.add_argument("--json")
    options = parser.parse_args(arguments)
    print("| metric | unit | two threads | two processes | ratio | middle half of the rounds |\n|---|---|---|---|---|---|")
    results = []
    for group in options.groups.split(","):
        for result in measure_group(group, options):
            results.append(result)
            print(table_row(result), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({"rounds": options.rounds, "seconds": options.seconds, "results": results}, file, indent=1)
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
