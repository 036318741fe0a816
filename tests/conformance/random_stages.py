#!/usr/bin/env python3
"""Generates random cases with everything a stage consists of, and compares the records of usd-core and ours.

    random_stages.py STAGEDOOR [--count N] [--seed S] [--theme NAME]… [--keep DIR] [--stop-after N] [--only I] [--jobs N]

STAGEDOOR is the command. Needs usd-core, and the corpus's own programs (STAGEDOOR_SHARED, default ../../../shared).
A theme selects the features of the scenes; see THEMES. Prints how the two disagree and exits 1. With --keep, the cases
of disagreements are saved there as conformance cases.
"""
import argparse
import json
import os
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SHARED = os.environ.get("STAGEDOOR_SHARED") or os.path.join(HERE, "../../../shared")
sys.path[:0] = [os.path.join(HERE, "../random"), os.path.join(SHARED, "conformance")]

import compare  # noqa: E402
import oracle  # noqa: E402
import random_run  # noqa: E402
import run  # noqa: E402
from pxr import Sdf, Tf, Usd  # noqa: E402
from random_case import THEMES, Scene  # noqa: E402


class Inconsistent(BaseException):
    """usd-core contradicts itself about the scene."""


def watch_oracle():
    opened = oracle._open_stage

    def open_stage(case_dir, case):
        try:
            return opened(case_dir, case)
        except Tf.ErrorException as e:
            if "Failed verification" in str(e):
                raise Inconsistent() from e
            raise

    oracle._open_stage = open_stage


def check(options, theme, number):
    """A report of how the two disagree about a scene: empty if they agree, None if it cannot be compared."""
    folder = os.path.realpath(tempfile.mkdtemp())
    try:
        return check_in(folder, options, theme, number)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def skipped(options, why):
    if options.verbose:
        print(f"skipped {why}", flush=True)


def check_in(folder, options, theme, number):
    scene = Scene(f"{options.seed} {theme} {number}", theme)
    case, texts = scene.write(folder)
    for name in texts:
        if name == "bad.usda":
            continue
        try:
            if not Sdf.Layer.FindOrOpen(os.path.join(folder, name)):
                raise Tf.ErrorException("no layer")
        except Tf.ErrorException as e:
            return skipped(options, f"{theme} {number}: {name} is not a layer: {str(e)[:300]}")
    Usd.Stage.SetGlobalVariantFallbacks({})  # resets those of the previous scene
    try:
        golden = oracle.dump(folder)
    except (Tf.ErrorException, RuntimeError, Inconsistent) as e:
        return skipped(options, f"{theme} {number}: {str(e)[:200]}")
    golden = compare.read([json.dumps(r) for r in golden])
    try:
        actual, base = run.answer([options.program, "--embedded"], case, folder, 20)
        result = compare.compare(golden, actual, False, base)
        diffs = [] if result.passed else result.diffs
    except run.Failed as e:
        diffs = [str(e)]
    if not diffs:
        return ""
    if options.keep:
        name = f"{theme}-{options.seed}-{number}"
        keep = os.path.join(options.keep, "cases", name)
        shutil.rmtree(keep, ignore_errors=True)
        shutil.copytree(folder, keep)
        os.makedirs(os.path.join(options.keep, "golden"), exist_ok=True)
        with open(os.path.join(options.keep, "golden", name + ".jsonl"), "w") as f:
            oracle.write(golden, f)
    return "\n  ".join([f"{theme} {number} of seed {options.seed}: {len(diffs)} differences"] + diffs[:options.show])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    random_run.add_options(parser, count=100)  # per theme
    parser.add_argument("--theme", action="append", choices=sorted(THEMES))
    parser.add_argument("--show", type=int, default=3)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program)
    watch_oracle()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # usd-core warns about every composition error
    scenes = [(theme, i) for theme in options.theme or THEMES for i in random_run.numbers(options)]
    sys.exit(random_run.run(options, scenes, lambda scene: check(options, *scene), seconds=4))


if __name__ == "__main__":
    main()
