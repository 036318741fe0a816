#!/usr/bin/env python3
"""Compares the bound materials of random scenes in usd-core and in our engine.

    random_shade.py SHADE_DUMP [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

SHADE_DUMP is the program //tests/tools:shade_dump. Prints the disagreements on the first such scenes and exits 1.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"), os.path.join(HERE, "../geometry")]

from random_run import Checker, add_options, numbers, run  # noqa: E402

from binding_scene import BindingScene  # noqa: E402
from pxr import Usd, UsdShade  # noqa: E402

PURPOSES = ["", "full", "preview", "odd"]
SHOWN = 3
SECONDS = 60  # of processor time, for one scene


def theirs(root):
    """(path, purpose): (material, binding) by usd-core."""
    stage = Usd.Stage.Open(root)
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    prims = list(Usd.PrimRange(stage.GetPseudoRoot(), predicate))[1:]
    found = {}
    for purpose in PURPOSES:
        materials, bindings = UsdShade.MaterialBindingAPI.ComputeBoundMaterials(prims, purpose)
        for prim, material, binding in zip(prims, materials, bindings):
            found[str(prim.GetPath()), purpose] = (str(material.GetPath()) if material else None,
                                                   str(binding.GetPath()) if binding else None)
    return found


def ours(program, root):
    """The same by our program."""
    done = subprocess.run([program, root], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    return {(r["path"], r["purpose"]): (r.get("material"), r.get("binding")) for r in records}


class Scenes(Checker):
    def check(self, number, folder):
        scene = BindingScene(self.options.seed + number)
        root = os.path.join(folder, "root.usda")
        with open(root, "w") as out:
            out.write(scene.text())
        expected = theirs(root)
        try:
            actual = ours(self.options.program, root)
            found = [f"{key}: usd-core {expected.get(key)}, ours {actual.get(key)}"
                     for key in sorted(expected.keys() | actual.keys()) if expected.get(key) != actual.get(key)]
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            found = [str(failure)]
        return self.report(number, folder, found, SHOWN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    add_options(parser, 200)
    options = parser.parse_args()
    sys.exit(run(options, numbers(options), Scenes(options), SECONDS))


if __name__ == "__main__":
    main()
