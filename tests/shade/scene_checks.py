"""Common parts of the programs that compare shading and lights of random scenes with usd-core.

A program has a class of scenes, a function `theirs` that asks usd-core about the file of one, and the records of shade_dump that say the same.
"""
import argparse
import json
import os
import subprocess

from random_run import Checker, add_options, numbers, run

SHOWN = 3
SECONDS = 60  # of processor time, for one scene


def dumped(program, root, *what):
    """The records that shade_dump prints."""
    done = subprocess.run([program, root, *what], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def facts_by_path(records):
    """{"PATH KEY": value} of records, of which several may be about one path."""
    return {f"{record['path']} {key}": value for record in records for key, value in record.items() if key != "path"}


def facts_of(found):
    """{"PATH KEY": value} of {path: {key: value}}."""
    return facts_by_path({"path": path, **record} for path, record in found.items())


class SceneChecker(Checker):
    def __init__(self, options, make_scene, theirs, ours):
        super().__init__(options)
        self.make_scene, self.theirs, self.ours = make_scene, theirs, ours

    def check(self, number, folder):
        root = os.path.join(folder, "root.usda")
        with open(root, "w") as out:
            out.write(self.make_scene(self.options.seed + number).text())
        expected = self.theirs(root)
        try:
            actual = self.ours(self.options.program, root)
            found = [f"{key}: usd-core {expected.get(key)}, ours {actual.get(key)}"
                     for key in sorted(expected.keys() | actual.keys()) if expected.get(key) != actual.get(key)]
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            found = [str(failure)]
        return self.report(number, folder, found, SHOWN)


def main(make_scene, theirs, ours):
    """Returns the exit status. theirs(root) and ours(program, root) return equal dictionaries if both agree."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    add_options(parser, count=200)
    options = parser.parse_args()
    return run(options, numbers(options), SceneChecker(options, make_scene, theirs, ours), SECONDS)
