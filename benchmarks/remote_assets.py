#!/usr/bin/env python3
"""Measures scenes that a web server holds against the same scenes on the local disk.

    remote_assets.py SCENES [--runs N] [--json FILE]

Serves SCENES (made by the shared bench/scenes.py) with nginx, and starts daemons of its own: one for files; one that reads
URLs with an empty cache ("cold"); one started again with what that left ("warm"). Prints times as ratios to local files, the
requests and bytes that the server saw, and the bytes that the files have. STAGEDOORD and STAGEDOOR are the paths of the
daemon and the command.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "remote"))

import nginx


class Daemon:
    def __init__(self, *flags):
        self.work = tempfile.TemporaryDirectory()
        address = os.path.join(self.work.name, "address")
        self.process = subprocess.Popen([os.environ["STAGEDOORD"], "--address=unix:" + os.path.join(self.work.name, "socket"),
                                         "--address-file=" + address, "--log-level=off", *flags], stdin=subprocess.DEVNULL)
        while not (os.path.exists(address) and os.path.getsize(address)):
            if self.process.poll() is not None:
                raise RuntimeError("the daemon did not start")
            time.sleep(0.005)
        with open(address, encoding="utf-8") as file:
            self.address = file.read().split()[0]

    def ask(self, *arguments):
        """Seconds and output of a command."""
        begin = time.perf_counter()
        done = subprocess.run([os.environ["STAGEDOOR"], "--address=" + self.address, *arguments], check=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        return time.perf_counter() - begin, done.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)
        self.work.cleanup()


def files_of(output):
    """The layers that `stagedoor open` lists."""
    return [line.split(": ", 1)[1] for line in output.decode().splitlines() if re.match("(root|layer): ", line)]


def measure(name, root, commands, server, runs):
    """Times, requests and bytes of commands with `{root}` for files, cold and warm."""
    times = {"local": [], "cold": [], "warm": []}
    seen = {}
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as cache:
            flags = ["--allow-url=" + server.url + "/", "--cache-dir=" + os.path.join(cache, "cache")]
            right = None
            for kind, place, options in (("local", root, []), ("cold", server.url + root, flags), ("warm", server.url + root, flags)):
                with Daemon(*options) as daemon:
                    before = len(server.requests())
                    seconds, outputs = 0.0, []
                    for command in commands:
                        took, output = daemon.ask(*[part.format(root=place) for part in command])
                        seconds += took
                        outputs.append(output.replace((server.url + "/").encode(), b"/"))
                    times[kind].append(seconds)
                    right = right or outputs
                    if outputs != right:
                        raise RuntimeError("%s: other answers %s" % (name, kind))
                    asked = server.requests()[before:]
                    seen[kind] = {"requests": len(asked), "bytes": sum(request[2] for request in asked)}
    local = statistics.median(times["local"])
    row = {"scene": name, "local_s": local}
    for kind in ("cold", "warm"):
        row[kind] = {"ratio": statistics.median(times[kind]) / local, **seen[kind]}
    return row, right


def clip_value(shot, server, runs):
    """One array of one clip, beyond what opening the scene and reading a scalar of the same clip cost."""
    mesh = "/World/Template/mesh_10.points"
    value = ("get", "{root}", mesh, "--times", "7", "--arrays", "summary")
    row, outputs = measure("clips: one array", shot, [value], server, runs)
    with tempfile.TemporaryDirectory() as cache, \
            Daemon("--allow-url=" + server.url + "/", "--cache-dir=" + os.path.join(cache, "cache")) as daemon:
        daemon.ask("get", server.url + shot, "/World/Template/mesh_11.points", "--times", "7", "--arrays", "summary")
        before = len(server.requests())
        daemon.ask("get", server.url + shot, mesh, "--times", "7", "--arrays", "summary")
        asked = server.requests()[before:]
    points = json.loads(outputs[0][outputs[0].index(b"{"):])["count"]
    row["another_array"] = {"requests": len(asked), "bytes": sum(request[2] for request in asked), "needed": 12 * points}
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("scenes")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json")
    options = parser.parse_args()
    scenes = os.path.realpath(options.scenes)
    rows = []
    with nginx.Nginx("/") as server:
        city, shot = os.path.join(scenes, "city", "root.usda"), os.path.join(scenes, "clips", "root.usda")
        rows.append(measure("city: open", city, [("open", "{root}")], server, options.runs)[0])
        with Daemon() as daemon:
            files = files_of(daemon.ask("open", city)[1])
        rows[-1]["file_bytes"] = sum(os.path.getsize(path) for path in set(files) if os.path.isfile(path))
        rows.append(measure("clips: open", shot, [("open", "{root}")], server, options.runs)[0])
        rows.append(clip_value(shot, server, options.runs))
    for row in rows:
        print(json.dumps(row))
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
