#!/usr/bin/env python3
"""Compares what usd-core finds in the files of frames with what it finds at these frames in the stages that they are made of.

    frame_file.py STAGEDOOR [--kind KIND[,KIND…]] [--seed S] [--count N] [--only I] [--keep DIR]
    frame_file.py STAGEDOOR --files FILE… [--times 1,2,default] [--shutter=-0.25,0.25]

STAGEDOOR is the program of the command line, which runs the server inside. Needs usd-core and the corpus's oracle.py, in
$STAGEDOOR_CONFORMANCE. Prints the differences of the first scenes that have some and exits 1.
"""
import argparse
import dataclasses
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "..", name) for name in ("random", "geometry", "imaging", "shade")),
                os.environ.get("STAGEDOOR_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))]

from random_run import Checker, add_options, numbers, run  # noqa: E402

from frame_differences import differences  # noqa: E402
from frame_question import FrameQuestion  # noqa: E402
from frame_reference import FrameReference  # noqa: E402
from frame_scenes import KINDS, files_of  # noqa: E402
from pxr import Usd, UsdGeom  # noqa: E402

SHOWN = 4
SECONDS = 60  # of processor time, for one scene
BINDING, SKIN = "value skel:", "value primvars:skel:"  # what skeletons have to do with a prim, which no prim of a file has; and its influences


def write(program, root, question, out):
    """Writes the file of a frame. Errors of single prims are reported, but do not keep it from being written."""
    command = [program, "frame", root, "--embedded", "-o", out, "--time", "default" if question.time is None else str(question.time)]
    if question.shutter:
        command.append(f"--shutter={question.shutter[0]}:{question.shutter[1]}")
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if not os.path.exists(out):
        raise RuntimeError(f"{question}: {done.stderr}")


def expected_of(facts, in_file):
    """What the file is to have of a frame: of prims that are deformed or moved by their skins, which the file leaves out as a whole, nothing
    of these, and an extent of its own."""
    found = {}
    for name, fields in facts.items():
        skins = {field for field in fields if field.startswith(SKIN)}
        left_out = any(field.startswith((BINDING, SKIN)) for field in fields) and not any(field.startswith(SKIN) for field in in_file.get(name, {}))
        found[name] = {field: value for field, value in fields.items()
                       if not field.startswith(BINDING) and not (left_out and field in {*skins, "value extent"})}
    return found


def found_of(facts, expected):
    """What the file has, without what it states and the stage does not: the extents of deformed points, and how models are drawn."""
    def is_new(name, field):
        stated = field == "value extent" or facts[name].get("draw mode") and field.startswith(("value model:", "value extentsHint"))
        return stated and field not in expected.get(name, {})
    return {name: {field: value for field, value in fields.items() if not is_new(name, field)} for name, fields in facts.items()}


def relative(value, folder):
    """Facts without the folder of the scene, in which the file names assets by their whole paths."""
    if isinstance(value, dict):
        return {key: relative(held, folder) for key, held in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(relative(held, folder) for held in value)
    return value.replace(folder + "/", "./") if isinstance(value, str) else value


def wrong_extents(stage, facts, expected, code):
    """Deformed points that are outside of their extent in the file."""
    for name in facts:
        prim = stage.GetPrimAtPath(name.removeprefix("prim ").partition(" of the prototype ")[0]) if name.startswith("prim ") else None
        points = UsdGeom.PointBased(prim) if prim else None
        if points and "value extent" not in expected.get(name, {}) and points.GetExtentAttr().HasAuthoredValue():
            low, high = points.GetExtentAttr().Get(code)
            found = UsdGeom.PointBased.ComputeExtent(points.GetPointsAttr().Get(code))
            if any(found[0][i] < low[i] or found[1][i] > high[i] for i in range(3)):
                yield f"{prim.GetPath()}: the extent {low} to {high} does not have the points {found}"


def compare(program, root, question, folder):
    """The differences between a frame of a stage and its file, as text."""
    out = os.path.join(folder, "frame.usdc")
    write(program, root, question, out)
    stage = Usd.Stage.Open(out)
    # The bindings of the file are those for the purposes of the frame, and for all purposes.
    bound = dataclasses.replace(question, selection={**question.selection, "materialPurposes": [""]})
    facts = FrameReference(stage).facts(bound)
    expected = expected_of(FrameReference(Usd.Stage.Open(root)).facts(question), facts)
    found = relative(found_of(facts, expected), os.path.dirname(root))
    texts = [*differences(expected, found), *wrong_extents(stage, facts, expected, question.code)]
    return [f"{question}: {text}" for text in texts]


class FrameFiles(Checker):
    """The files of frames of random scenes of some kinds, or of given stages."""

    def check(self, number, folder):
        found, root, questions = [], *self.scene(number, folder)
        for question in questions:
            with tempfile.TemporaryDirectory() as out:
                found += compare(self.options.program, root, question, out)
        return self.report(number, folder, found, SHOWN)

    def scene(self, number, folder):
        """The root layer of a scene, and what is asked of it."""
        if self.options.files:
            times, shutter = self.options.times, self.options.shutter
            return os.path.abspath(self.options.files[number]), [FrameQuestion(time, shutter) for time in times]
        kind = self.options.kinds[number % len(self.options.kinds)]
        for name, text in files_of(kind, self.options.seed + number).items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
                out.write(text)
        return os.path.join(folder, "root.usda"), [FrameQuestion(2.0), FrameQuestion(1.5, (-0.5, 0.5))]


def numbers_of(text):
    return [None if word == "default" else float(word) for word in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--kind", help=f"of {', '.join(KINDS)}; all of them in turn if there is none")
    parser.add_argument("--files", nargs="+", help="compare the frames of these files instead of random scenes")
    parser.add_argument("--times", type=numbers_of, default=[1.0, 2.0])
    parser.add_argument("--shutter", type=numbers_of)
    add_options(parser, 50)
    options = parser.parse_args()
    options.kinds = options.kind.split(",") if options.kind else sorted(KINDS)
    random.seed(options.seed)
    items = range(len(options.files)) if options.files else numbers(options)
    sys.exit(run(options, items, FrameFiles(options), SECONDS))


if __name__ == "__main__":
    main()
