#!/usr/bin/env python3
"""Compares what usd-core and our engine compute for renderers on random scenes.

    random_imaging.py IMAGING_DUMP KIND [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

KIND is bounds, camera, instancer, labels, lod, models, motion, physics, points, render, skinning, skinning_data, spaces, statistics,
subsets, topology or visibility. IMAGING_DUMP is the program //tests/tools:imaging_dump. Prints the disagreements on the
first such scenes and exits 1.
"""
import argparse
import json
import math
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"), os.path.join(HERE, "../geometry")]

from random_run import Checker, add_options, numbers, run  # noqa: E402

from bounds_records import bounds_records  # noqa: E402
from camera_records import camera_records  # noqa: E402
from camera_scene import CameraScene  # noqa: E402
from instancer_records import instancer_records  # noqa: E402
from instancer_scene import InstancerScene  # noqa: E402
from labels_records import labels_records  # noqa: E402
from labels_scene import LabelsScene  # noqa: E402
from lod_records import lod_records  # noqa: E402
from lod_scene import LodScene  # noqa: E402
from models_records import models_records  # noqa: E402
from models_scene import ModelsScene  # noqa: E402
from motion_records import motion_records  # noqa: E402
from motion_scene import MotionScene  # noqa: E402
from physics_records import physics_records  # noqa: E402
from physics_scene import PhysicsScene  # noqa: E402
from points_records import points_records  # noqa: E402
from points_scene import PointsScene  # noqa: E402
from pxr import Usd  # noqa: E402
from random_geom import GeomScene  # noqa: E402
from random_skel import SkelScene  # noqa: E402
from render_records import render_records  # noqa: E402
from render_scene import RenderScene  # noqa: E402
from skinning_data_records import skinning_data_records  # noqa: E402
from skinning_records import skinning_records  # noqa: E402
from spaces_records import spaces_records  # noqa: E402
from spaces_scene import SpacesScene  # noqa: E402
from statistics_records import statistics_records  # noqa: E402
from statistics_scene import StatisticsScene  # noqa: E402
from subsets_records import subsets_records  # noqa: E402
from subsets_scene import SubsetsScene  # noqa: E402
from topology_records import topology_records  # noqa: E402
from topology_scene import TopologyScene  # noqa: E402
from visibility_records import visibility_records  # noqa: E402
from visibility_scene import VisibilityScene  # noqa: E402

KINDS = {
    "bounds": (GeomScene, bounds_records),
    "camera": (CameraScene, camera_records),
    "instancer": (InstancerScene, instancer_records),
    "labels": (LabelsScene, labels_records),
    "lod": (LodScene, lod_records),
    "models": (ModelsScene, models_records),
    "motion": (MotionScene, motion_records),
    "physics": (PhysicsScene, physics_records),
    "points": (PointsScene, points_records),
    "render": (RenderScene, render_records),
    "skinning": (SkelScene, skinning_records),
    "skinning_data": (SkelScene, skinning_data_records),
    "spaces": (SpacesScene, spaces_records),
    "statistics": (StatisticsScene, statistics_records),
    "subsets": (SubsetsScene, subsets_records),
    "topology": (TopologyScene, topology_records),
    "visibility": (VisibilityScene, visibility_records),
}
TIMES = ["default", 0, 1, 1.75, 4, 7]
# Relative; transforms are interpolated in single precision.
TOLERANCE = 2e-6
# Sums of terms that cancel each other out: their numbers are as exact as the largest of them.
SUMS = ("center", "moments", "tensor")
TOLERANCES = {"view": 3e-5, "transforms": 3e-5, **dict.fromkeys(SUMS, 3e-3), "mass": 1e-5, **dict.fromkeys(["relative", "box", "all", "hint", "hinted", "instances"], 1e-4)}
# They depend on rounding errors if a matrix is singular, as its rotation does.
TURNED = {"view", *SUMS}
SHOWN = 3
SECONDS = 60  # of processor time, for one scene


def theirs(root, records):
    """The records of usd-core by path, time and the like."""
    stage = Usd.Stage.Open(root)
    times = [(t, Usd.TimeCode.Default() if t == "default" else Usd.TimeCode(t)) for t in TIMES]
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    found = {}
    for prim in list(Usd.PrimRange(stage.GetPseudoRoot(), predicate))[1:]:
        found.update((key(record), record) for record in records(prim, times))
    return found


def ours(program, kind, root):
    """The records of our program by path, time and the like."""
    times = ",".join(str(t) for t in TIMES)
    done = subprocess.run([program, root, kind, times], capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr[-300:]}")
    return {key(record): record for record in map(json.loads, done.stdout.splitlines())}


def key(record):
    return record["path"], record.get("time", ""), record.get("key", "")


def largest(value):
    if isinstance(value, list):
        return max((largest(v) for v in value), default=0)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return abs(value) if is_number else 0


def number(value):
    """JSON has no numbers for these, which our program writes as texts."""
    return float(value) if value in ("nan", "inf", "-inf") else value


def near(a, b, scale, tolerance):
    a, b = number(a), number(b)
    if a != a or b != b:  # nan
        return a != a and b != b
    if isinstance(a, bool) or isinstance(b, bool):
        return a is b
    if isinstance(a, (int, float)) and isinstance(b, (int, float)):
        return a == b or abs(a - b) <= 1e-7 + tolerance * max(abs(a), abs(b), scale)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(near(x, y, scale, tolerance) for x, y in zip(a, b))
    return a == b


def differences(expected, actual):
    for which in sorted(expected.keys() | actual.keys()):
        if which not in expected or which not in actual:
            yield f"{which}: only by {'usd-core' if which in expected else 'ours'}"
            continue
        a, b = expected[which], actual[which]
        if a.get("skip"):  # usd-core fails
            continue
        unchecked = {"record", "singular"} | (TURNED if a.get("singular") else set())
        for field in sorted((a.keys() | b.keys()) - unchecked):
            tolerance = TOLERANCES.get(field, TOLERANCE)
            floor = 1 if field in SUMS else 0.01
            if not near(a.get(field), b.get(field), floor * largest(a.get(field)), tolerance):
                yield f"{which} {field}: usd-core {str(a.get(field))[:300]}\n      ours {str(b.get(field))[:300]}"


class Scenes(Checker):
    """The random scenes of one kind."""

    def check(self, number, folder):
        make, records = KINDS[self.options.kind]
        scene = make(self.options.seed + number)
        root = os.path.join(folder, "root.usda")
        for name, text in {"root.usda": scene.text(), **scene.layers()}.items():
            with open(os.path.join(folder, name), "w") as out:
                out.write(text)
        expected = theirs(root, records)
        if not expected:
            return None
        try:
            found = list(differences(expected, ours(self.options.program, self.options.kind, root)))
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            found = [str(failure)]
        return self.report(number, folder, found, SHOWN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("kind", choices=sorted(KINDS))
    add_options(parser, 200)
    options = parser.parse_args()
    sys.exit(run(options, numbers(options), Scenes(options), SECONDS))


if __name__ == "__main__":
    main()
