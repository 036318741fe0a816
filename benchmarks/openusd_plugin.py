"""How long an application of OpenUSD takes over a stage of the daemon, beside a stage that it composes itself.

    PXR_PLUGINPATH_NAME=… STAGEDOOR_ADDRESS=… PYTHON benchmarks/openusd_plugin.py SCENE [--rounds 5] [--json OUT]

PYTHON has the usd-core that the plug-in was compiled for (tools/openusd_python.sh). Each round starts a process for each side, one after
the other, so that both see the machine in the same state. Printed are medians, and the median of the rounds' ratios.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from typing import Callable

# The steps of one process, in this order; times of `again` are those of an application that reads all values once more.
STEPS = ("open", "list", "first", "again", "frame", "frame.again")
# The step of another process: a stage without what is behind its payloads.
UNLOADED = "open.unloaded"


def measure(root: str) -> dict[str, float]:
    from pxr import Usd

    taken: dict[str, float] = {}

    def timed(name: str, work: Callable[[], object]) -> object:
        begin = time.perf_counter()
        result = work()
        taken[name] = time.perf_counter() - begin
        return result

    stage = timed("open", lambda: Usd.Stage.Open(root))
    attributes = timed("list", lambda: [
        attribute for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies())
        for attribute in prim.GetAuthoredAttributes()])

    def read(time_code: object) -> None:
        for attribute in attributes:
            attribute.Get(time_code)

    timed("first", lambda: read(Usd.TimeCode.Default()))
    timed("again", lambda: read(Usd.TimeCode.Default()))
    timed("frame", lambda: read(Usd.TimeCode(2)))
    timed("frame.again", lambda: read(Usd.TimeCode(2)))
    return {**taken, "attributes": len(attributes)}


def measure_unloaded(root: str) -> dict[str, float]:
    from pxr import Sdf, Usd

    if root.startswith("stagedoor:"):
        root = Sdf.Layer.CreateIdentifier(root, {"boundaries": "payloads"})
    Usd.Stage.CreateInMemory()  # loads OpenUSD's plug-ins and schemas
    begin = time.perf_counter()
    Usd.Stage.Open(root, Usd.Stage.LoadNone)
    return {UNLOADED: time.perf_counter() - begin}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json")
    parser.add_argument("--measure", choices=["all", "unloaded"], help=argparse.SUPPRESS)  # of the processes
    options = parser.parse_args()
    if options.measure:
        print(json.dumps((measure if options.measure == "all" else measure_unloaded)(options.scene)))
        return
    roots = {"local": options.scene, "daemon": "stagedoor:" + options.scene}
    taken: dict[str, list[dict[str, float]]] = {side: [] for side in roots}
    for _ in range(options.rounds):
        for side, root in roots.items():
            run: dict[str, float] = {}
            for what in ("all", "unloaded"):
                run |= json.loads(subprocess.check_output([sys.executable, __file__, root, "--measure", what], text=True))
            taken[side].append(run)
    counts = {int(run["attributes"]) for runs in taken.values() for run in runs}
    assert len(counts) == 1, f"the sides have different attributes: {counts}"
    print(f"{counts.pop()} attributes, {options.rounds} rounds")
    results = {}
    for step in (*STEPS, UNLOADED):
        median = {side: statistics.median(run[step] for run in runs) for side, runs in taken.items()}
        ratio = statistics.median(ours[step] / theirs[step] for ours, theirs in zip(taken["daemon"], taken["local"]))
        results[step] = {**median, "ratio": ratio}
        print(f"{step:14} local {median['local']:8.3f} s   daemon {median['daemon']:8.3f} s   ratio {ratio:5.2f}")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
