#!/usr/bin/env python3
"""Compares the Python package with the C++ handles: a batch of 1,000 numbers, and one array of 1 MiB.

    PYTHONPATH=client/python python_client.py [--rounds 20] [--json OUT]

Needs the programs of `bazel build //server:stagedoord //benchmarks:sdk_driver`. Both sides ask one daemon for the same, in turns within
each round, without a cache of arrays; each turn repeats its call. Also counts the bytes that 300 frames of a mesh whose points do not change
take with the cache and without. Prints medians, and the median of the rounds' ratios.
"""
import argparse
import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

import stagedoor

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PROGRAMS = os.path.join(ROOT, ".bazel", "bin")
SCALARS = 1000
POINTS = (1 << 20) // 12
FRAMES = 48
REPEATS = 20  # calls of each side per round


def write_scene(path):
    """1,000 doubles that vary, points of 1 MiB that vary, and the same points without samples."""
    samples = ", ".join(f"{frame}: {frame + 0.5}" for frame in range(1, FRAMES + 1, 4))
    with open(path, "w", encoding="utf-8") as out:
        out.write("#usda 1.0\n\ndef \"S\"\n{\n")
        for i in range(SCALARS):
            out.write(f"    double s{i}.timeSamples = {{ {samples} }}\n")
        out.write("}\n\ndef Mesh \"Mesh\"\n{\n    point3f[] points.timeSamples = {\n")
        for frame in range(1, FRAMES + 1):
            out.write(f"        {frame}: [{', '.join([f'({frame}, 0.25, -3)'] * POINTS)}],\n")
        out.write(f"    }}\n}}\n\ndef Mesh \"Static\"\n{{\n    point3f[] points = [{', '.join(['(1, 2, 3)'] * POINTS)}]\n}}\n")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


@contextlib.contextmanager
def daemon(folder, metrics):
    """The address of a daemon."""
    file = os.path.join(folder, "address")
    flags = ["--address=127.0.0.1:0", f"--address-file={file}", f"--metrics-address={metrics}", "--log-level=warn"]
    with subprocess.Popen([os.path.join(PROGRAMS, "server/stagedoord"), *flags]) as process:
        try:
            while not (os.path.exists(file) and os.path.getsize(file)):
                time.sleep(0.02)
            with open(file, encoding="utf-8") as lines:
                yield lines.read().split()[0]
        finally:
            process.terminate()


class Driver:
    """The C++ side."""

    def __init__(self, address, scene):
        self.process = subprocess.Popen([os.path.join(PROGRAMS, "benchmarks/sdk_driver"), address, scene], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, order):
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        return [float(word) for word in self.process.stdout.readline().split()]

    def close(self):
        self.process.communicate()


def timed(work, arguments):
    times = []
    for argument in arguments:
        start = time.perf_counter()
        work(argument)
        times.append(time.perf_counter() - start)
    return times


def frames():
    return [1 + i % FRAMES for i in range(REPEATS)]


def compare(address, scene, rounds):
    """The results of each metric: (seconds in Python, seconds in C++) of each round."""
    paths = [f"/S.s{i}" for i in range(SCALARS)]
    driver = Driver(address, scene)
    client = stagedoor.connect(address, array_cache_bytes=0)
    found = {"scalars": [], "array": []}
    with client, client.open(scene) as stage:
        points = stage["/Mesh.points"]
        sides = {
            "scalars": (lambda: timed(lambda frame: sum(value for _, value in stage.values(paths, frame).items()), frames()),
                        lambda: driver.run(f"scalars {SCALARS} {REPEATS}")),
            "array": (lambda: timed(lambda frame: float(points.get(frame)[0, 0]), frames()), lambda: driver.run(f"array {REPEATS}")),
        }
        for round_number in range(rounds + 1):
            for name, (python, cpp) in sides.items():
                if round_number % 2:
                    ours, theirs = python(), cpp()
                else:
                    theirs, ours = cpp(), python()
                if round_number:  # the first warms up
                    found[name].append((statistics.median(ours), statistics.median(theirs)))
    driver.close()
    return found


def sent_bytes(metrics):
    """All bytes that the daemon has sent in replies."""
    with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=10) as reply:
        lines = reply.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("stagedoor_request_sent_bytes_total{"))


def bytes_of_frames(address, metrics, scene, cache):
    """The bytes that a client is sent for 300 frames of points that do not change."""
    with stagedoor.connect(address, array_cache_bytes=cache) as client, client.open(scene) as stage:
        before = sent_bytes(metrics)
        for frame in range(300):
            stage["/Static.points"].get(float(frame))
        return sent_bytes(metrics) - before


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json")
    options = parser.parse_args()
    results = []
    metrics = f"127.0.0.1:{free_port()}"
    with tempfile.TemporaryDirectory() as folder, daemon(folder, metrics) as address:
        scene = os.path.join(folder, "scene.usda")
        write_scene(scene)
        for name, pairs in compare(address, scene, options.rounds).items():
            python, cpp = (statistics.median(side) for side in zip(*pairs))
            ratio = statistics.median(ours / theirs for ours, theirs in pairs)
            print(f"{name:8} Python {1e6 * python:7.0f} µs, C++ {1e6 * cpp:7.0f} µs, ratio {ratio:.2f}")
            results.append({"name": name, "python_us": 1e6 * python, "cpp_us": 1e6 * cpp, "ratio": ratio})
        without, cached = (bytes_of_frames(address, metrics, scene, cache) for cache in (0, 256 << 20))
        print(f"300 frames of the same points: {without / 1e6:.1f} MB without a cache, {cached / 1e6:.2f} MB with it, ratio {without / cached:.0f}")
        results.append({"name": "static_bytes", "without": without, "cached": cached, "ratio": without / cached})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as out:
            json.dump(results, out, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
