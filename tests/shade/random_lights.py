#!/usr/bin/env python3
"""Compares the lights of random scenes, and what they are linked to, in usd-core and in our engine.

    random_lights.py SHADE_DUMP [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

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

from light_scene import LightScene  # noqa: E402
from pxr import Usd, UsdLux  # noqa: E402

SHOWN = 3
SECONDS = 60  # of processor time, for one scene
MODES = {"all": UsdLux.LightListAPI.ComputeModeIgnoreCache, "models": UsdLux.LightListAPI.ComputeModeConsultModelHierarchyCache}
CONTEXTS = [[], ["ri"], ["odd", "ri"]]


def paths(found):
    return [str(path) for path in found]


def light_of(prim):
    is_filter = prim.IsA(UsdLux.LightFilter)
    api = UsdLux.LightFilter(prim) if is_filter else UsdLux.LightAPI(prim)
    record = {"ids": [api.GetShaderId(contexts) for contexts in CONTEXTS]}
    for name, relationship in (("filters", "light:filters"), ("portals", "portals")):
        relationship = prim.GetRelationship(relationship)
        record[name] = paths(relationship.GetForwardedTargets()) if relationship else []
    for link in ["filterLink"] if is_filter else ["lightLink", "shadowLink"]:
        query = Usd.CollectionAPI(prim, link).ComputeMembershipQuery()
        record[f"members of {link}"] = paths(sorted(Usd.CollectionAPI.ComputeIncludedPaths(query, prim.GetStage())))
    return record


def queries(lights, collection):
    return [(str(light.GetPath()), Usd.CollectionAPI(light, collection).ComputeMembershipQuery()) for light in lights]


def theirs(root):
    """Records by path, by usd-core."""
    stage = Usd.Stage.Open(root)
    prims = list(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))[1:]
    lists = {name: paths(UsdLux.LightListAPI(stage.GetPseudoRoot()).ComputeLightList(mode)) for name, mode in MODES.items()}
    lights = [stage.GetPrimAtPath(path) for path in lists["all"]]
    links = {"lightLink": queries([x for x in lights if not x.IsA(UsdLux.LightFilter)], "lightLink"),
             "shadowLink": queries([x for x in lights if not x.IsA(UsdLux.LightFilter)], "shadowLink"),
             "filterLink": queries([x for x in lights if x.IsA(UsdLux.LightFilter)], "filterLink")}
    found = {str(light.GetPath()): light_of(light) for light in lights}
    for prim in prims:
        path = str(prim.GetPath())
        record = found.setdefault(path, {})
        for name, mode in MODES.items():
            record[name] = paths(UsdLux.LightListAPI(prim).ComputeLightList(mode))
        for name, asked in links.items():
            record[name] = [light for light, query in asked if query.IsPathIncluded(path)]
    return found


def ours(program, root):
    """The same by our program."""
    done = subprocess.run([program, root, "lights"], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    found = {}
    for line in done.stdout.splitlines():
        record = json.loads(line)
        found.setdefault(record.pop("path"), {}).update(record)
    return found


def differences(expected, actual):
    for path in sorted(expected.keys() | actual.keys()):
        a, b = expected.get(path, {}), actual.get(path, {})
        for key in sorted(a.keys() | b.keys()):
            if a.get(key) != b.get(key):
                yield f"{path} {key}: usd-core {a.get(key)}, ours {b.get(key)}"


class Scenes(Checker):
    def check(self, number, folder):
        scene = LightScene(self.options.seed + number)
        root = os.path.join(folder, "root.usda")
        with open(root, "w") as out:
            out.write(scene.text())
        expected = theirs(root)
        try:
            found = list(differences(expected, ours(self.options.program, root)))
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            found = [str(failure)]
        return self.report(number, folder, found, SHOWN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    add_options(parser, count=200)
    options = parser.parse_args()
    return run(options, numbers(options), Scenes(options), SECONDS)


if __name__ == "__main__":
    sys.exit(main())
