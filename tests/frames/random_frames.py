#!/usr/bin/env python3
"""Compares the frames of random scenes, or of given files, that our daemon sends with what usd-core gives for the same questions.

    random_frames.py FRAME_DUMP [--kind KIND[,KIND…]] [--seed S] [--count N] [--jobs N] [--only I] [--keep DIR] [--stop-after N]
    random_frames.py FRAME_DUMP --files FILE… | --cases FOLDER [--times 1,2,3] [--shutter=-0.25,0.25] [--jobs N]

FRAME_DUMP is the program //tests/tools:frame_dump, which holds a frame as a client does and asks two replicas in turn for what changed.
After each frame all that is held is compared, and must be what the whole frame has. In between, half of the scenes are edited, and a
quarter of them is changed on disk. Needs usd-core and the corpus's oracle.py, in $STAGEDOOR_CONFORMANCE. Prints the differences of the
first scenes that have some and exits 1.
"""
import argparse
import json
import os
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "..", name) for name in ("random", "geometry", "imaging", "shade")),
                os.environ.get("STAGEDOOR_CONFORMANCE", os.path.join(HERE, "../../../shared/conformance"))]

from random_run import Checker, Program, numbers, run  # noqa: E402

from frame_differences import differences  # noqa: E402
from frame_options import parse  # noqa: E402
from frame_question import FrameQuestion  # noqa: E402
from frame_reference import FrameReference, paths_of_rows  # noqa: E402
from frame_scenes import write_scene  # noqa: E402
from frame_steps import FrameSteps, changed  # noqa: E402
from held_facts import HeldFacts  # noqa: E402
from pxr import Sdf, Tf, Usd, UsdGeom, UsdRender  # noqa: E402

SHOWN = 4
SECONDS = 60  # of processor time, for one scene
TYPED = {"camera": UsdGeom.Camera, "renderSettings": UsdRender.Settings, "renderPass": UsdRender.Pass}
EDITED, CHANGED = 0.5, 0.25  # shares of the scenes


class Refused(Exception):
    """Our program did not do what was asked of it."""


class Sides:
    """A scene in usd-core and in our program."""

    def __init__(self, program, root):
        self.program, self.root, self.session = program, root, None
        self.reference, self.is_new = None, True
        self.snapshot = self.answer({"do": "open", "request": {"rootLayer": root}})[1]["snapshot"]

    def answer(self, order):
        """(parts, the content of the last line)."""
        parts = []
        for line in self.program.ask(json.dumps(order)):
            held = json.loads(line)
            if "done" in held:
                return parts, held["done"]
            if "failed" in held:
                raise Refused(f"{order['do']}: {held['failed']}")
            parts.append(held)
        raise AssertionError("the answer has no end")

    def expect(self):
        """What usd-core knows of the scene as it is now."""
        if self.reference is None:
            session = Sdf.Layer.CreateAnonymous("session.usda")
            if self.session:
                session.ImportFromString(self.session)
            self.reference = FrameReference(Usd.Stage.Open(Sdf.Layer.FindOrOpen(self.root), session))
        return self.reference

    def forget(self):
        self.reference, self.is_new = None, False

    def edit(self, request):
        try:
            _, done = self.answer({"do": "edit", "request": request})
        except Refused:
            return  # as usd-core would
        self.session, self.snapshot = done["session"], done["snapshot"]
        self.forget()

    def change(self, path, text):
        """Replaces a file."""
        stamp = os.stat(path).st_mtime + 2
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        os.utime(path, (stamp, stamp))
        self.forget()
        for layer in Sdf.Layer.GetLoadedLayers():
            if not layer.anonymous:
                layer.Reload(True)
        self.snapshot = self.answer({"do": "reload"})[1]["snapshot"]

    def missing(self, selection):
        """The paths of a selection that have no prim any more, or one of another type."""
        kinds = [(path, Usd.Typed) for field in ("roots", "excluded") for path in selection.get(field, [])]
        kinds += [(selection[field], kind) for field, kind in TYPED.items() if field in selection]
        find = self.expect().stage.GetPrimAtPath
        return [path for path, kind in kinds if not find(path) or (kind != Usd.Typed and not find(path).IsA(kind))]

    def frame(self, question, replica):
        """Asks both for a frame. Returns the differences and what our program says about it."""
        reference = self.expect()
        expected = reference.facts(question)
        parts, done = self.answer({"do": "frame", "request": question.request(), "replica": replica})
        prototypes = {str(row.prototype.GetPath()) for row in reference.drawn(question.selection) if row.prototype}
        held = HeldFacts(reference.stage, parts, prototypes)
        found = [*done["problems"], *done["differences"], *differences(expected, held.facts())]
        if done["complete"] and done["order"] != (order := paths_of_rows(expected)):
            found.append(f"the prims are not in stage order: usd-core {order}, ours {done['order']}")
        # After a change, prims that are composed again may have a prototype of their own.
        if self.is_new and len(held.geometry) > (most := reference.geometry_count(question)):
            found.append(f"{len(held.geometry)} geometries instead of {most} at most")
        return [f"{question}: {text}" for text in found], done


class FrameComparison:
    """Runs the steps of a scene and notes what is wrong."""

    def __init__(self, sides, steps, folder):
        self.sides, self.steps, self.folder = sides, steps, folder
        self.found, self.held, self.at = [], None, None
        self.replica = 0

    def run(self):
        for time_code in self.steps.times():
            self.ask(time_code)
        if self.steps.chance(EDITED):
            self.sides.edit(self.steps.edits(self.sides.expect().stage))
            self.ask(self.at)
        if self.steps.chance(CHANGED):
            self.change_file()
            self.ask(self.at)
        self.ask(self.steps.times()[0])
        return self.found

    def ask(self, time_code):
        question = self.steps.question(time_code)
        if missing := self.sides.missing(question.selection):
            self.expect_refusal(question, missing)
            return
        found, done = self.sides.frame(question, self.replica)
        self.found += found
        if self.is_of_use(time_code) == done["complete"]:
            self.found.append(f"{question}: the frame is {'' if done['complete'] else 'not '}complete, and the one before was {self.held}")
        if self.held == (time_code, self.sides.snapshot) and done["parts"]:
            self.found.append(f"{question}: {done['parts']} parts were sent again")
        self.held = (time_code, self.sides.snapshot)
        self.at = time_code
        # The other replica does not know what this one remembers between snapshots.
        self.replica = 0 if self.steps.between_snapshots else 1 - self.replica

    def expect_refusal(self, question, missing):
        """An edit removed prims of the selection."""
        try:
            self.sides.answer({"do": "frame", "request": question.request(), "replica": self.replica})
            self.found.append(f"{question}: a frame without {missing}")
        except Refused as refused:
            if not any(path in str(refused) for path in missing):
                self.found.append(f"{question}: {refused}, instead of an error about {missing}")

    def is_of_use(self, time_code):
        """Whether what is held is, for a frame. Without memory, it must be of the same snapshot, and both or neither of default time."""
        if self.held is None or self.steps.between_snapshots:
            return self.held is not None
        time, snapshot = self.held
        return snapshot == self.sides.snapshot and (time is None) == (time_code is None)

    def change_file(self):
        names = sorted(name for name in os.listdir(self.folder) if name.endswith(".usda"))
        path = os.path.join(self.folder, self.steps.rng.choice(names))
        with open(path, encoding="utf-8") as file:
            text = changed(self.steps.rng, file.read())
        if not text:
            return
        before = self.sides.snapshot
        self.sides.change(path, text)
        # Value clips are not a part of snapshots: nobody knows what of the frame they have changed.
        if self.sides.snapshot == before:
            self.sides.answer({"do": "forget"})
            self.held = None


class RandomFrames(Checker):
    """The random scenes of some kinds."""

    def check(self, number, folder):
        seed = self.options.seed + number
        kind = self.options.kinds[number % len(self.options.kinds)]
        root = write_scene(folder, kind, seed)
        try:
            steps = FrameSteps(seed, Usd.Stage.Open(root))
            sides = Sides(self.program, root)
            found = FrameComparison(sides, steps, folder).run()
            sides.answer({"do": "close"})
        except Tf.ErrorException:  # usd-core reports an error of its own
            return None
        except Exception as failure:  # noqa: BLE001: one of this program would pass for one of usd-core
            found = [str(failure), traceback.format_exc()]
            self.forget_program()
        return self.report(number, folder, [f"{kind}: {text}" for text in found], SHOWN)


class GivenFiles(Checker):
    """Frames of files, at given times."""

    def check(self, number, folder):
        root = os.path.abspath(self.options.files[number])
        found = []
        begin = time.monotonic()
        try:
            sides = Sides(self.program, root)
            for i, time_code in enumerate(self.options.times):
                wrong, done = sides.frame(FrameQuestion(time_code, self.options.shutter), i % 2)
                found += wrong
                print(f"{root} at {time_code}: {len(wrong)} differences, {done['bytes']} bytes of {done['whole_bytes']}, "
                      f"{done['parts']} parts, {time.monotonic() - begin:.1f} s", file=sys.stderr)
            sides.answer({"do": "close"})
        except (Refused, RuntimeError) as failure:
            found.append(str(failure))
            self.forget_program()
        return self.report(number, folder, [f"{root}: {text}" for text in found], 20)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options = parse(parser, 200, [1.0, 2.0, 2.0])
    if options.files:
        Program.SILENCE = 600  # large scenes
        sys.exit(run(options, range(len(options.files)), GivenFiles(options), 100 * SECONDS))
    sys.exit(run(options, numbers(options), RandomFrames(options), SECONDS))


if __name__ == "__main__":
    main()
