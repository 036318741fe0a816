#!/usr/bin/env python3
"""Compares the stages of conformance cases: compare_cases.py CASES [NAME…].

CASES is a folder with a case.json for each case, as in shared/conformance/cases. Each case of the kind "stage" that OpenUSD
opens is opened by itself and through the plug-in with the same session layer, mask and load policy, and compared as by
compare.py. Prints each case that differs otherwise than expected, and a closing line.
"""
import argparse
import collections
import json
import os
import sys

from pxr import Sdf, Tf, Usd

from compare import Comparison

# Options of a case that no argument of the plug-in stands for.
UNSUPPORTED = ("variantFallbacks",)


def open_original(root, session, case):
    load = Usd.Stage.LoadNone if case.get("load") == "none" else Usd.Stage.LoadAll
    layers = [Sdf.Layer.FindOrOpen(root)]
    if session:
        layers.append(Sdf.Layer.FindOrOpen(session))
    if case.get("mask"):
        return Usd.Stage.OpenMasked(*layers, Usd.StagePopulationMask([Sdf.Path(path) for path in case["mask"]]), load=load)
    return Usd.Stage.Open(*layers, load=load)


def open_composed(root, session, case, given):
    none = case.get("load") == "none"
    arguments = {"boundaries": "payloads" if none else "none", "interpolation": case.get("interpolation", "linear"), **given}
    if session:
        arguments["session_layer"] = session
    if case.get("mask"):
        arguments["mask"] = " ".join(case["mask"])
    return Usd.Stage.Open(Sdf.Layer.CreateIdentifier("stagedoor:" + root, arguments),
                          load=Usd.Stage.LoadNone if none else Usd.Stage.LoadAll)


def times_of(case):
    times = [time for time in case.get("times", ["default"]) if not isinstance(time, str)][:4]
    return [Usd.TimeCode.Default()] + [Usd.TimeCode(time) for time in times]


def compare(folder, case, given):
    """The comparison of a case; None if OpenUSD does not open it."""
    root = os.path.join(folder, case["root"])
    session = os.path.join(folder, case["session"]) if case.get("session") else ""
    try:
        original = open_original(root, session, case)
    except Tf.ErrorException:
        return None
    composed = open_composed(root, session, case, given)
    interpolation = Usd.InterpolationTypeHeld if case.get("interpolation") == "held" else Usd.InterpolationTypeLinear
    for stage in (original, composed):
        stage.SetInterpolationType(interpolation)
    comparison = Comparison(times_of(case))
    comparison.stages(original, composed)
    return comparison


def read_expected(path):
    """The kinds of differences that are expected, by case."""
    if not path:
        return {}
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {words[0]: {word.replace("_", " ") for word in words[1:]} for words in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--expect", help="a file with the differences that are expected")
    parser.add_argument("--arguments", default="", help="more arguments of the plug-in: KEY=VALUE&…")
    parser.add_argument("--examples", type=int, default=1)
    options = parser.parse_args()
    given = dict(pair.split("=", 1) for pair in options.arguments.split("&") if pair)
    expected = read_expected(options.expect)
    counts = collections.Counter()
    differing = set()
    for name in options.names or sorted(os.listdir(options.cases)):
        folder = os.path.abspath(os.path.join(options.cases, name))
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as file:
            case = json.load(file)
        if case.get("kind", "stage") != "stage" or any(key in case for key in UNSUPPORTED):
            continue
        try:
            comparison = compare(folder, case, given)
            found = comparison.differences if comparison else {}
        except Tf.ErrorException as error:
            comparison, found = None, {"error": [("", "", str(error).strip().replace("\n", " ")[-300:])]}
        if comparison is None and not found:
            counts["skipped"] += 1
            continue
        counts["cases"] += 1
        if comparison:
            counts += comparison.counts
        found = {kind: examples for kind, examples in found.items() if kind not in expected.get(name, ())}
        if given.get("boundaries") == "payloads" or case.get("load") == "none":
            found.pop("shared prototype", None)  # payloads of instances are blocks of their own
        if found:
            differing.add(name)
            print(name)
        for kind, examples in sorted(found.items()):
            print(f"  {kind}: {len(examples)}")
            for path, left, right in examples[:options.examples]:
                print(f"    {path}\n      original: {left}\n      composed: {right}")
    print(f"{counts['cases']} cases, {counts['prims']} prims, {counts['properties']} properties, {counts['values']} values: "
          f"{len(differing)} cases differ; OpenUSD does not open {counts['skipped']} more")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
