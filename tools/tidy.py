#!/usr/bin/env python3
"""Runs clang-tidy over sources of compile_commands.json.

    tidy.py --cache DIR [--all] [--seconds N] [--jobs N]

Without --all, checks the sources that changed since the merge base with origin/main, or in the last two
days on main itself, newest first, until N seconds have passed. A source without findings is not checked
again until it, a header it includes, the flags or .clang-tidy change.
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
    p = subprocess.run(("git",) + args, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return p.stdout.strip() if p.returncode == 0 else ""


def base_commit():
    base = git("merge-base", "HEAD", "origin/main")
    if not base or base == git("rev-parse", "HEAD"):
        base = git("rev-list", "-1", "--before=2 days ago", "HEAD") or git("rev-list", "--max-parents=0", "HEAD")
    return base.split("\n")[0]


def changed_sources(known):
    """The changed sources among `known`, newest first; a changed header selects the source of the same name."""
    names = git("diff", "--name-only", "HEAD").splitlines()
    names += git("log", "--format=", "--name-only", base_commit() + "..HEAD").splitlines()
    found = {}
    for name in names:
        stem, ext = os.path.splitext(name)
        for candidate in ([name] if ext == ".cc" else [stem + ".cc"] if ext == ".h" else []):
            if candidate in known:
                found.setdefault(candidate)
    return list(found)


@functools.lru_cache(maxsize=None)
def read(path):
    for place in (path, os.path.join(".bazel/bin", path)):
        try:
            with open(place, encoding="utf-8", errors="replace") as f:
                return f.read()
        except OSError:
            pass
    return None


def closure_hash(source, command):
    """A hash of the flags and all files of the repository that the result for `source` depends on."""
    digest = hashlib.sha256("\0".join(command).encode() + read(".clang-tidy").encode())
    todo, seen = [source], set()
    while todo:
        path = todo.pop()
        text = read(path)
        if path in seen or text is None:
            continue
        seen.add(path)
        todo += INCLUDE.findall(text)
    for path in sorted(seen):
        digest.update(path.encode() + b"\0" + read(path).encode())
    return digest.hexdigest()


def run(source):
    p = subprocess.run(["clang-tidy", "--quiet", "-p", ".", source], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True)
    return p.returncode, p.stdout or p.stderr


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("--cache", required=True)
    p.add_argument("--all", action="store_true")
    p.add_argument("--seconds", type=float, default=float("inf"))
    p.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    o = p.parse_args()
    with open("compile_commands.json", encoding="utf-8") as f:
        commands = {c["file"]: c["arguments"] for c in json.load(f)}
    os.makedirs(o.cache, exist_ok=True)

    sources = sorted(commands) if o.all else changed_sources(commands)
    deadline = time.monotonic() + o.seconds

    def check(source):
        stamp = os.path.join(o.cache, closure_hash(source, commands[source]))
        if os.path.exists(stamp):
            return source, 0, ""
        if time.monotonic() > deadline:
            return source, None, ""
        status, text = run(source)
        if status == 0:
            open(stamp, "w").close()
        return source, status, text

    failed = left = 0
    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for source, status, text in pool.map(check, sources):
            left += status is None
            if status:
                failed += 1
                print("%s:\n%s" % (source, text))
    print("tidy: %d sources checked, %d with findings%s" % (
        len(sources) - left, failed, ", %d not checked (time limit)" % left if left else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
