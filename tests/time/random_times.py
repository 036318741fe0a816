#!/usr/bin/env python3
"""Compares the values of random animated scenes in usd-core and in our engine.

    random_times.py DUMP_VALUES [--kinds samples,clips,splines] [--count N] [--seed S] [--keep DIR] [--only I]
                    [--backwards] [--flatten] [--covering]

DUMP_VALUES is the program //tests/time:dump_values. Needs usd-core. The scenes are those of time_scenes.py. Compares
values at, around, between and just before all authored times, sample lists, lists in intervals and bracketing samples.
With --covering also the samples that cover intervals, as for the RPC SampleValues, with their values.
Prints the disagreements and exits 1.
"""
import argparse
import json
import math
import os
import random
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../random"))

import random_run  # noqa: E402
from pxr import Gf, Sdf, Usd  # noqa: E402
from time_scenes import KINDS  # noqa: E402

SOURCES = {
    Usd.ResolveInfoSourceNone: "none", Usd.ResolveInfoSourceFallback: "fallback",
    Usd.ResolveInfoSourceDefault: "default", Usd.ResolveInfoSourceTimeSamples: "timeSamples",
    Usd.ResolveInfoSourceValueClips: "valueClips", Usd.ResolveInfoSourceSpline: "spline"}

# ---------------------------------------------------------------- questions


def encode(value):
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, float):
        if math.isnan(value):
            return "nan"
        return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
    if isinstance(value, Sdf.TimeCode):
        return encode(value.GetValue())
    if isinstance(value, (Gf.Quatf, Gf.Quath, Gf.Quatd)):
        return [encode(float(value.GetReal()))] + [encode(float(x)) for x in value.GetImaginary()]
    return [encode(x) for x in value]


def time_code(word):
    if word == "default":
        return Usd.TimeCode.Default()
    if word.startswith("pre:"):
        return Usd.TimeCode.PreTime(float(word[4:]))
    return Usd.TimeCode(float(word))


def oracle(path, words, intervals, held, flat=None):
    stage = Usd.Stage.Open(path)
    if held:
        stage.SetInterpolationType(Usd.InterpolationTypeHeld)
    if flat:
        stage.Flatten().Export(flat)
    rows = {}
    for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.PrimAllPrimsPredicate):
        for attribute in prim.GetAuthoredAttributes():
            row = {"source": SOURCES[attribute.GetResolveInfo().GetSource()],
                   "samples": list(attribute.GetTimeSamples()), "count": attribute.GetNumTimeSamples(),
                   "varying": attribute.ValueMightBeTimeVarying(),
                   "values": {w: encode(attribute.Get(time_code(w))) for w in words},
                   "brackets": {w: list(attribute.GetBracketingTimeSamples(float(w)) or ()) or None for w in words
                                if w != "default" and not w.startswith("pre:")},
                   "inside": {f"{a!r}:{b!r}": list(attribute.GetTimeSamplesInInterval(Gf.Interval(a, b)))
                              for a, b in intervals}}
            rows[str(attribute.GetPath())] = (str(attribute.GetTypeName()), row)
    return rows


def question(path, words, intervals, held, flat, covering):
    spans = ",".join(f"{a!r}:{b!r}" for a, b in intervals) or "-"
    return f"{path} {','.join(words)} {spans} {'held' if held else 'linear'} {flat}{' covering' if covering else ''}"


def ask(program, line, lines):
    """Our answers; appends their lines to `lines`."""
    rows = {}
    for line in program.ask(line):
        lines.append(line)
        if not line:
            return rows
        row = json.loads(line)
        rows[row.get("path", "")] = row


# ---------------------------------------------------------------- comparison


def close(a, b, relative, absolute):
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(close(x, y, relative, absolute) for x, y in zip(a, b))
    if isinstance(a, (int, float)) and isinstance(b, (int, float)) and not isinstance(a, bool):
        return abs(a - b) <= max(absolute, relative * max(abs(a), abs(b)))
    return a == b


def tolerance(type_name):
    if type_name.startswith(("half", "quath")):
        return 2e-3, 2e-3
    # usd-core writes six digits of time codes to text.
    return (1e-5, 1e-5) if type_name.startswith(("float", "point3f", "quatf", "timecode")) else (1e-6, 1e-6)


def same_times(a, b):
    """Whether lists of times are the same. Nearly coinciding times (the sides of a jump) count as one."""
    def thin(times):
        out = []
        for t in times:
            if not out or abs(t - out[-1]) > 1e-8:
                out.append(t)
        return out
    return close(thin(a), thin(b), 1e-9, 2e-8)


def differences(expected, got, keys=("source", "varying")):
    for path, (type_name, row) in expected.items():
        ours = got.get(path)
        if ours is None:
            yield f"{path}: missing"
            continue
        for key in keys:
            if row[key] != ours[key]:
                yield f"{path} {key}: {row[key]}, ours {ours[key]}"
        if not same_times(row["samples"], ours["samples"]):
            yield f"{path} samples: {row['samples']}, ours {ours['samples']}"
        if ours["count"] != len(ours["samples"]):
            yield f"{path}: count {ours['count']} of {len(ours['samples'])} samples"
        for word, value in row["values"].items():
            if not close(value, ours["values"][word], *tolerance(type_name)):
                yield f"{path} at {word}: {value}, ours {ours['values'][word]}"
        for word, pair in row["brackets"].items():
            mine = ours["brackets"][word]
            if (pair is None) != (mine is None) or pair and not close(pair, mine, 1e-9, 2e-8):
                yield f"{path} brackets at {word}: {pair}, ours {mine}"
        for span, times in row["inside"].items():
            if not same_times(times, ours["inside"][span]):
                yield f"{path} in {span}: {times}, ours {ours['inside'][span]}"
    if extra := sorted(set(got) - set(expected)):
        yield f"more than expected: {extra}"


def flat_differences(expected, flats, words, held):
    """Differences between the stages flattened by both sides, as read by usd-core."""
    theirs, ours = (oracle(flat, words, [], held) for flat in flats)
    if set(theirs) != set(ours):
        return [f"flattened: {sorted(set(theirs) ^ set(ours))}"]
    return ["flattened " + text for text in differences(theirs, {path: row for path, (_, row) in ours.items()})]


def spline_times(spline, a, b):
    """The ends of [a, b] and the knots inside; and whether usd-core may have left out some.

    It leaves out knots at which a held segment begins that an oscillating loop plays backwards, although values jump there.
    """
    inside = Gf.Interval(a, b)
    loops = spline.HasExtrapolatingLoops()
    knots = spline.GetKnotsWithLoopsBaked(Gf.Interval(a - 1, b + 1)) if loops else spline.GetKnotsWithInnerLoopsBaked()
    return sorted({a, b} | {t for t in knots.keys() if inside.Contains(t)}), loops


def sample_times(attribute, a, b):
    brackets = [attribute.GetBracketingTimeSamples(t) for t in (a, b)]
    if not all(brackets):
        return []
    return sorted({min(brackets[0]), max(brackets[1])} | set(attribute.GetTimeSamplesInInterval(Gf.Interval(a, b))))


def covering_differences(path, intervals, held, got, backwards):
    """Differences between the samples that cover intervals and what usd-core has at these times."""
    stage = Usd.Stage.Open(path)
    if held:
        stage.SetInterpolationType(Usd.InterpolationTypeHeld)
    for name, row in got.items():
        attribute = stage.GetAttributeAtPath(name)
        error = tolerance(str(attribute.GetTypeName()))
        spline = attribute.GetSpline() if attribute.HasSpline() else None
        for a, b in intervals:
            samples = row["covering"][f"{a!r}:{b!r}"]
            ours = [t for t, _, _ in samples]
            if not spline:
                times, incomplete = sample_times(attribute, a, b), False
            elif spline.IsEmpty():  # declared by the manifest of clips without splines
                times, incomplete = [], True
            else:
                times, incomplete = spline_times(spline, a, b)
            if not same_times(times, [t for t in ours if any(abs(t - x) < 1e-8 for x in times)]
                              if incomplete else ours):
                yield f"{name} covering {a}:{b}: {times}, ours {samples}"
                continue
            for t, pre, value in samples:
                # A query at the time of a sample or knot may miss it by rounding, unlike SamplesCovering.
                near = [Usd.TimeCode.PreTime(t) if pre else Usd.TimeCode(t), Usd.TimeCode(t + (-1e-9 if pre else 1e-9))]
                if backwards:
                    near.append(Usd.TimeCode(t - 1e-9))
                theirs = [encode(attribute.Get(x)) for x in near]
                if not any(close(v, value, *error) for v in theirs):
                    yield f"{name} covering {a}:{b} at {'pre:' if pre else ''}{t}: {theirs[0]}, ours {value}"


def questions(scene, backwards):
    """Times at, between and near the events of the scene, and intervals between some of them."""
    r = scene.rng
    marks = sorted(scene.marks)
    if len(marks) > 10:
        marks = sorted(r.sample(marks, 10))
    times = set(marks)
    if backwards:
        times |= {-t for t in marks}
    times |= {(a + b) / 2 for a, b in zip(marks, marks[1:])}
    times |= {round(r.uniform(-5, 40), 2) for _ in range(8)} | {float(r.randint(-3, 30)) for _ in range(6)}
    words = ["default"] + [repr(t) for t in sorted(times)]
    words += ["pre:" + repr(t) for t in sorted(r.sample(sorted(times), min(12, len(times))))]
    ends = [r.choice(sorted(times)) for _ in range(6)]
    return words, [tuple(sorted(ends[i:i + 2])) for i in range(0, 6, 2)]


class Checker(random_run.Checker):
    def check(self, number, folder):
        options = self.options
        kinds = options.kinds.split(",")
        scene = KINDS[kinds[number % len(kinds)]](random.Random(options.seed * 1000003 + number))
        if options.backwards:
            scene.RATES = [24, -24, -48, 12]
        path = os.path.join(folder, scene.build())
        words, intervals = questions(scene, options.backwards)
        if options.backwards and kinds[number % len(kinds)] in ("clips", "arcs"):
            # OpenUSD uses stage time instead of the clip set's time here; see docs/conformance.md.
            words = [word for word in words if not word.startswith("pre:")]
        held = scene.chance(0.15)
        for name, text in scene.texts.items():
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        flats = [os.path.join(folder, name) for name in ("theirs.usda", "ours.usda")] if options.flatten else None
        expected = oracle(path, words, intervals, held, flats and flats[0])
        line, lines = question(path, words, intervals, held, flats[1] if flats else "-", options.covering), []
        try:
            got = ask(self.program, line, lines)
            found = list(differences(expected, got, scene.COMPARED))
            if flats:
                found += flat_differences(expected, flats, words, held)
        except RuntimeError as error:
            self.forget_program()
            found = [str(error)]
        if options.covering and not found:
            found += covering_differences(path, intervals, held, got, options.backwards)
        if not found:
            self.record(folder, scene.texts, line, lines)
        return self.report(number, folder, found, options.show)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    random_run.add_options(parser, count=3000)
    parser.add_argument("--kinds", default="samples,clips,splines")
    parser.add_argument("--show", type=int, default=4)
    parser.add_argument("--flatten", action="store_true", help="also compare the flattened stages")
    parser.add_argument("--covering", action="store_true", help="also compare the samples that cover intervals")
    parser.add_argument("--backwards", action="store_true", help="give some layers negative rates")
    options = parser.parse_args()
    sys.exit(random_run.run(options, random_run.numbers(options), Checker(options), seconds=10))


if __name__ == "__main__":
    main()
