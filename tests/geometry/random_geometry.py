#!/usr/bin/env python3
"""Compares usd-core and our engine on random scenes: skinning, or transforms, bounds and primvars.

    random_geometry.py GEOM_DUMP skel|geom [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

GEOM_DUMP is the program //tests/tools:geom_dump. Needs usd-core and the corpus's oracle.py and compare.py, in
$STAGEDOOR_CONFORMANCE. Prints the disagreements on the first such scenes and exits 1.
"""
import argparse
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"),
                os.environ.get("STAGEDOOR_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))]

from random_run import Checker, add_options, numbers, run  # noqa: E402

import compare  # noqa: E402
import oracle  # noqa: E402
from pxr import Gf, Tf, Usd, UsdGeom  # noqa: E402
from random_geom import GeomScene  # noqa: E402
from random_skel import SkelScene  # noqa: E402

TIMES = ["default", 0, 1, 1.75, 4, 7]
SHOWN = 2
SECONDS = 60  # of processor time, for one scene


def skin_records(stage):
    return oracle.dump_skin(stage, oracle.stage_times({"times": TIMES}))


def geom_records(stage, instances=False):
    times = [(n, t) for n, t in oracle.stage_times({"times": TIMES})]
    purposes = [UsdGeom.Tokens.default_, UsdGeom.Tokens.render, UsdGeom.Tokens.proxy]
    caches = {n: (UsdGeom.XformCache(t), UsdGeom.BBoxCache(t, purposes)) for n, t in times}
    out = []
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), predicate):
        if not (prim.IsActive() and prim.IsDefined() and not prim.IsAbstract() and prim.IsA(UsdGeom.Imageable)):
            continue
        for n, t in times:
            out.append(oracle.dump_geom(prim, n, t, caches))
        if instances and prim.IsA(UsdGeom.PointInstancer):
            out += instance_records(prim, times)
    return out


def geom_and_instance_records(stage):
    return geom_records(stage, instances=True)


def instance_records(prim, times):
    """The results of ComputeInstanceTransformsAtTime, with each time and with the preceding one as base time."""
    out = []
    for i, (n, t) in enumerate(times):
        if t.IsDefault():
            continue
        for base in {n, times[max(i - 1, 1)][0]}:
            code = dict(times)[base]
            try:
                xforms = UsdGeom.PointInstancer(prim).ComputeInstanceTransformsAtTime(t, code)
            except Tf.ErrorException:
                xforms = None
            rec = {"record": "instances", "path": str(prim.GetPath()), "time": n, "base": base}
            # The Python wrapper does not report that the computation failed, but returns zero matrices.
            if xforms is not None and not any(m == Gf.Matrix4d(0) for m in xforms):
                rec["transforms"] = oracle.enc(xforms)
            out.append(rec)
    return out


def key(record):
    return tuple(str(record.get(k, "")) for k in ("record", "path", "time", "base"))


def near(a, b, scale):
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return a == b or abs(a - b) <= 2e-6 + 3e-5 * max(abs(a), abs(b), scale)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(near(x, y, scale) for x, y in zip(a, b))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(near(a[k], b[k], scale) for k in a)
    return a == b


def largest(value):
    if isinstance(value, list):
        return max((largest(v) for v in value), default=0)
    return abs(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def plain(value):
    return None if value in (None, False, "", [], {}) else value


def singular(record):
    matrix = record.get("localToWorld")
    return bool(matrix) and abs(Gf.Matrix4d(matrix).GetDeterminant3()) < 1e-9


def differences(expected, actual):
    left = {key(r): r for r in actual}
    # With a singular matrix, bounds depend on rounding errors.
    noisy = {record["time"] for record in expected if singular(record)}
    out = []
    for record in expected:
        ours = left.pop(key(record), None)
        if ours is None:
            out.append(f"{key(record)}: missing")
            continue
        unchecked = record.get("unchecked", []) + ["worldBound"] * (record.get("time") in noisy)
        for field in sorted(record.keys() | ours.keys()):
            a, b = plain(record.get(field)), plain(ours.get(field))
            if field in unchecked or field == "unchecked":
                continue
            if isinstance(a, dict) and "~n" in a:
                b = compare.short(b) if b is None else oracle.reduce_array(b)
            if not near(a, b, largest(a)):
                out.append(f"{key(record)} {field}: usd-core {str(a)[:300]}\n      ours {str(b)[:300]}")
    return out + [f"{k}: unexpected" for k in left]


def question(kind, root, load):
    """The arguments for our program."""
    times = ",".join(str(t) for t in TIMES)
    flags = ["--geom", "--instance-proxies", "--skin" if kind == "skel" else "--instances"]
    return [root, "--times", times, *flags] + ([] if load else ["--load", "none"])


def ours(program, arguments):
    """The output lines of our program."""
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=60)
    if run.returncode:
        raise RuntimeError(f"exit status {run.returncode}: {run.stderr[-300:]}")
    return [line for line in run.stdout.splitlines() if line.startswith("{")]


def theirs(kind, root, load):
    """The records of usd-core, without the kinds for which it raises an error."""
    stage = Usd.Stage.Open(root, Usd.Stage.LoadAll if load else Usd.Stage.LoadNone)
    expected = []
    for records in (skin_records, geom_records) if kind == "skel" else (geom_and_instance_records,):
        try:
            expected += records(stage)
        except Tf.ErrorException:
            pass
    return expected


class Scenes(Checker):
    """The random scenes of one kind."""

    def check(self, number, folder):
        kind = self.options.kind
        scene = (SkelScene if kind == "skel" else GeomScene)(self.options.seed + number)
        root = os.path.join(folder, "root.usda")
        main = scene.text()
        files = {"root.usda": main, **scene.layers()}
        for name, text in files.items():
            with open(os.path.join(folder, name), "w") as out:
                out.write(text)
        load = "payload" not in main or number % 2 == 0
        expected = theirs(kind, root, load)
        if not expected:
            return None
        kinds = {record["record"] for record in expected}
        arguments = question(kind, root, load)
        try:
            lines = ours(self.options.program, arguments)
            actual = [json.loads(line) for line in lines]
            found = differences(expected, [record for record in actual if record["record"] in kinds])
            if not found and len(kinds) == len({record["record"] for record in actual}):
                self.record(folder, files, arguments, lines)
        except (RuntimeError, subprocess.TimeoutExpired) as failure:
            found = [str(failure)]
        return self.report(number, folder, found, SHOWN)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("kind", choices=["skel", "geom"])
    add_options(parser, 200)
    options = parser.parse_args()
    sys.exit(run(options, numbers(options), Scenes(options), SECONDS))


if __name__ == "__main__":
    main()
