#!/usr/bin/env python3
"""Runs clang-tidy over the sources of compile_commands.json, the most recently changed ones first.

    tidy.py --cache DIR [--seconds N] [--jobs N]

Stops after N seconds, and reports how many sources were not reached. The result for a source is kept in DIR
until the source, a header it includes, its flags or .clang-tidy change, so that later runs reach the others.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import re
import subprocess
import sys
import time

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)


def git(*args):
    p = subprocess.run(("git",) + args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return p.stdout.splitlines() if p.returncode == 0 else []


def newest_first(sources):
    """Sorts sources by their last change, or by that of the header of the same name."""
    changes = git("diff", "--name-only", "HEAD") + git("log", "--format=", "--name-only")
    order = {}
    for name in changes:
        order.setdefault(os.path.splitext(name)[0], len(order))
    return sorted(sources, key=lambda source: (order.get(os.path.splitext(source)[0], len(order)), source))


@functools.lru_cache(maxsize=None)
def contents(path):
    """The hash and the includes of a file of the repository, which may be generated; None if there is none."""
    for place in (path, os.path.join(".bazel/bin", path)):
        try:
            with open(place, encoding="utf-8", errors="replace") as f:
                text = f.read()
            return hashlib.sha256(text.encode()).hexdigest(), INCLUDE.findall(text)
        except OSError:
            pass
    return None


def closure_hash(source, command):
    """A hash of the flags and all files of the repository that the result for `source` depends on."""
    todo, seen = [source, ".clang-tidy"], {}
    while todo:
        path = todo.pop()
        if path not in seen and contents(path):
            seen[path], includes = contents(path)
            todo += includes
    return hashlib.sha256(json.dumps([command, sorted(seen.items())]).encode()).hexdigest()


def run(source, seconds):
    """The findings in a source, '' if there are none; None if clang-tidy did not finish in time."""
    try:
        p = subprocess.run(["clang-tidy", "--quiet", "-p", ".", source], stdout=subprocess.PIPE, timeout=seconds,
                           stderr=subprocess.PIPE, text=True, check=False)
    except subprocess.TimeoutExpired:
        return None
    return "" if p.returncode == 0 else p.stdout or p.stderr or "clang-tidy failed"


def check(source, command, cache, deadline):
    """The findings in a source, as run() returns them."""
    kept = os.path.join(cache, closure_hash(source, command))
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as f:
            return f.read()
    seconds = deadline - time.monotonic()
    if seconds <= 0:
        return None
    found = run(source, None if seconds == float("inf") else seconds)
    if found is not None:
        with open(f"{kept}.{os.getpid()}", "w", encoding="utf-8") as f:
            f.write(found)
        os.replace(f.name, kept)
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cache", required=True)
    p.add_argument("--seconds", type=float, default=float("inf"))
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    o = p.parse_args()
    with open("compile_commands.json", encoding="utf-8") as f:
        commands = {c["file"]: c["arguments"] for c in json.load(f)}
    os.makedirs(o.cache, exist_ok=True)

    sources = newest_first(commands)
    deadline = time.monotonic() + o.seconds
    failed = missed = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        results = pool.map(lambda source: check(source, commands[source], o.cache, deadline), sources)
        for source, found in zip(sources, results):
            missed += found is None
            if found:
                failed += 1
                print("%s:\n%s" % (source, found), flush=True)
    print("tidy: %d sources checked, %d with findings%s" % (
        len(sources) - missed, failed, ", %d not reached (time limit)" % missed if missed else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
