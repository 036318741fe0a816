#!/usr/bin/env python3
"""Compares frames that `stagedoor frame` writes as files, of random scenes or of given files, with the scenes themselves.

    frame_file.py STAGEDOOR [--kind KIND[,KIND…]] [--seed S] [--count N] [--jobs N] [--only I] [--keep DIR] [--stop-after N]
    frame_file.py STAGEDOOR --files FILE… | --cases FOLDER [--times 1,2,3] [--shutter=-0.25,0.25] [--jobs N]

usd-core opens both, and all that it finds of the frame must be the same: which prims there are, in which order, with which transforms,
values, materials, lights and instances at which times. Needs usd-core and the corpus's oracle.py, in $STAGEDOOR_CONFORMANCE. Prints the
differences of the first scenes that have some and exits 1.
"""
import argparse
import os
import subprocess
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "..", name) for name in ("random", "geometry", "imaging", "shade")),
                os.environ.get("STAGEDOOR_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))]

from random_run import Checker, numbers, run  # noqa: E402

from frame_options import parse  # noqa: E402
from frame_question import FrameQuestion  # noqa: E402
from frame_reference import FrameReference  # noqa: E402
from frame_scenes import write_scene  # noqa: E402
from frame_steps import FrameSteps  # noqa: E402
from pxr import Tf, Usd  # noqa: E402
from written_frame import WrittenFrame  # noqa: E402

SHOWN = 4
SECONDS = 60  # of processor time, for one scene
FRAMES = 2  # of a random scene
FORMATS = ["usdc", "usda"]  # of given files

# The options of `stagedoor frame` for the fields of FrameSelection.
LISTS = {"roots": "--root", "excluded": "--exclude", "types": "--type", "materialPurposes": "--purpose", "renderContexts": "--context",
         "primvars": "--primvar"}
PATHS = {"camera": "--camera", "renderSettings": "--settings", "renderPass": "--pass"}
FLAGS = {"flattenPrimvars": "--flatten-primvars", "withoutSkinning": "--without-skinning", "withoutInvisible": "--without-invisible"}


def options_of(question):
    """A question as options of the command."""
    selection = question.selection
    options = [] if question.time is None else [f"--time={question.time}"]
    if question.shutter:
        options.append("--shutter={}:{}".format(*question.shutter))
    if "purposes" in selection:
        options.append("--purposes=" + ",".join(word.removeprefix("PURPOSE_").lower() for word in selection["purposes"]))
    options += [f"{option}={value}" for name, option in LISTS.items() for value in selection.get(name, [])]
    options += [f"{option}={selection[name]}" for name, option in PATHS.items() if name in selection]
    return options + [option for name, option in FLAGS.items() if selection.get(name)]


class FrameFiles(Checker):
    """Writes frames and compares them."""

    def compare(self, reference, root, question, file):
        """The differences of one frame, as text."""
        command = [self.options.program, "--embedded", "frame", root, *options_of(question), "-o", file]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            return [f"{question}: the command exited with status {done.returncode}: {done.stdout}"]
        return [f"{question}: {text}" for text in WrittenFrame(Usd.Stage.Open(file), reference, question).differences()]


class RandomScenes(FrameFiles):
    """Frames of the random scenes of some kinds."""

    def check(self, number, folder):
        seed = self.options.seed + number
        kind = self.options.kinds[number % len(self.options.kinds)]
        root = write_scene(folder, kind, seed)
        try:
            reference = FrameReference(Usd.Stage.Open(root))
            steps = FrameSteps(seed, reference.stage)
            found = []
            for i, time in enumerate(steps.times()[:FRAMES]):
                found += self.compare(reference, root, steps.question(time), os.path.join(folder, f"frame{i}.usdc"))
        except Tf.ErrorException:  # usd-core reports an error of its own
            return None
        except Exception as failure:  # noqa: BLE001: one of this program would pass for one of usd-core
            found = [str(failure), traceback.format_exc()]
        return self.report(number, folder, [f"{kind}: {text}" for text in found], SHOWN)


class GivenFiles(FrameFiles):
    """Frames of files, at given times."""

    def check(self, number, folder):
        root = os.path.abspath(self.options.files[number])
        reference, found = FrameReference(Usd.Stage.Open(root)), []
        for i, time in enumerate(self.options.times):
            question = FrameQuestion(time, self.options.shutter)
            found += self.compare(reference, root, question, os.path.join(folder, f"frame{i}.{FORMATS[i % 2]}"))
        return self.report(number, folder, [f"{root}: {text}" for text in found], 20)


def main():
    options = parse(argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter), 200, [1.0, 2.0])
    if options.files:
        sys.exit(run(options, range(len(options.files)), GivenFiles(options), 100 * SECONDS))
    sys.exit(run(options, numbers(options), RandomScenes(options), SECONDS))


if __name__ == "__main__":
    main()
