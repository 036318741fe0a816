"""The options of the programs that compare frames: which scenes or files, at which times."""
import json
import os
import random

from frame_scenes import KINDS
from random_run import add_options


def parse(parser, count, times):
    """Parses the command line, whose first argument is a program. Compares `count` scenes unless it says otherwise."""
    parser.add_argument("program")
    parser.add_argument("--kind", help=f"of {', '.join(KINDS)}; all of them in turn if there is none")
    parser.add_argument("--files", nargs="+", help="compare these files instead of random scenes")
    parser.add_argument("--cases", help="compare the shared cases in this folder")
    parser.add_argument("--times", type=numbers_of, default=times)
    parser.add_argument("--shutter", type=numbers_of)
    add_options(parser, count)
    options = parser.parse_args()
    options.kinds = options.kind.split(",") if options.kind else sorted(KINDS)
    if wrong := [kind for kind in options.kinds if kind not in KINDS]:
        parser.error(f"unknown kind {wrong[0]}")
    if options.cases:
        options.files = roots_of_cases(options.cases)
    random.seed(options.seed)
    return options


def numbers_of(text):
    return [None if word == "default" else float(word) for word in text.split(",")]


def roots_of_cases(folder):
    """The root layers of the shared cases that have geometry or skins, and are opened without options."""
    options = {"session", "load", "mask", "variantFallbacks", "interpolation"}
    roots = []
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name, "case.json"), encoding="utf-8") as file:
            case = json.load(file)
        if case["kind"] == "stage" and (case.get("geom") or case.get("skin")) and not options & case.keys():
            roots.append(os.path.join(folder, name, case["root"]))
    return roots
