"""A scene of five million prims with the daemon and with usd-core: open, memory, traversal, first value, edits and a frame.

    $(tools/oracle.sh) benchmarks/island_scene.py SCENE [--scale 0.1]
    PYTHONPATH=… STAGEDOORD=… python3 benchmarks/island.py SCENE --side ours --json OUT [--expect PEER]
    $(tools/oracle.sh) benchmarks/island.py SCENE --side peer --json OUT

Every question is asked in a new process (ours: of a new daemon) that has just opened the scene, ROUNDS times. `.cpu_ms` is the processor time
of the process that has the stage, and memory is what it has beyond what it had before the stage was opened: resident, and the part of it that no
file backs. With --expect, answers must be those of the other side.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

import frames
import numpy as np

QUESTIONS = ("open", "value", "traverse", "traverse_instances", "edit", "edit_structure", "frame")


class Place:
    """Prims in the middle of the scene."""

    def __init__(self, scene: pathlib.Path) -> None:
        info = json.loads((scene / "scene.json").read_text())
        self.root = str(scene / info["root"])
        self.group = f"/Island/Tile_{info['tiles'] // 2}/Rocks_3"
        self.rock = f"{self.group}/Rock_42"
        self.counts = {"traverse": info["prims"], "traverse_instances": info["prims"] + info["in_instances"]}


class Ours:
    """The scene in a daemon."""

    def __init__(self, client: Any, process: int) -> None:
        self._client, self.process = client, process

    def open(self, root: str) -> None:
        self.stage = self._client.open(root)

    def points(self, path: str) -> np.ndarray:
        return self.stage[f"{path}.points"].get()

    def paths(self, instance_proxies: bool) -> list[str]:
        return [prim.path for prim in self.stage.traverse(instance_proxies=instance_proxies)]

    def move(self, path: str, to: tuple[float, float, float]) -> list[float]:
        attribute = self.stage[f"{path}.xformOp:translate"]
        attribute.set(to)
        return list(attribute.get())

    def deactivate(self, path: str, child: str) -> bool:
        self.stage[path].set_active(False)
        return child in self.stage

    def frame(self) -> dict[str, float]:
        side = frames.Ours(self._client)
        return side.checks(next(side.frames(self.stage)))


class Peer:
    """The scene in this process, with usd-core."""

    process = os.getpid()

    def open(self, root: str) -> None:
        from pxr import Usd

        self.stage = Usd.Stage.Open(root)

    def points(self, path: str) -> np.ndarray:
        return np.array(self.stage.GetAttributeAtPath(f"{path}.points").Get())

    def paths(self, instance_proxies: bool) -> list[str]:
        from pxr import Usd

        predicate = Usd.TraverseInstanceProxies() if instance_proxies else Usd.PrimDefaultPredicate
        return [str(prim.GetPath()) for prim in self.stage.Traverse(predicate)]

    def move(self, path: str, to: tuple[float, float, float]) -> list[float]:
        from pxr import Gf

        self.stage.SetEditTarget(self.stage.GetSessionLayer())
        attribute = self.stage.GetAttributeAtPath(f"{path}.xformOp:translate")
        attribute.Set(Gf.Vec3d(*to))
        return list(attribute.Get())

    def deactivate(self, path: str, child: str) -> bool:
        self.stage.SetEditTarget(self.stage.GetSessionLayer())
        self.stage.GetPrimAtPath(path).SetActive(False)
        return bool(self.stage.GetPrimAtPath(child))

    def frame(self) -> dict[str, float]:
        side = frames.Peer()
        return side.checks(next(side.frames(self.stage)))


# ------------------------------------------------------------------------------------- measuring


def memory(process: int) -> dict[str, float]:
    """The resident MiB of a process, and those of them that no file backs."""
    lines = pathlib.Path(f"/proc/{process}/status").read_text().splitlines()
    fields = {name: float(value.split()[0]) / 1024 for name, value in (line.split(":", 1) for line in lines if line.startswith(("VmRSS", "RssAnon")))}
    return {"rss": fields["VmRSS"], "anonymous": fields["RssAnon"]}


def cpu_ms(process: int) -> float:
    """The processor time that a process has used."""
    fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") * 1e3


def answer(side: Any, question: str, place: Place) -> dict[str, float]:
    """Asks one question. Returns numbers that both sides must agree on."""
    if question == "value":
        return {"sum": float(side.points(place.rock).sum(dtype=np.float64))}
    if question in place.counts:
        return {"prims": len(side.paths(question == "traverse_instances"))}
    if question == "edit":
        return {"sum": sum(side.move(place.rock, (1, 2, 3)))}
    if question == "edit_structure":
        return {"found": side.deactivate(place.group, place.rock)}
    return side.frame() if question == "frame" else {}


def ask(side: Any, question: str, place: Place) -> dict[str, tuple[str, float]]:
    """The results of one question to a side that has not opened the scene: units and values by name."""
    before, cpu, begin = memory(side.process), cpu_ms(side.process), time.perf_counter()
    side.open(place.root)
    if question != "open":
        cpu, begin = cpu_ms(side.process), time.perf_counter()
    found = answer(side, question, place)
    results = {f"{question}_ms": ("ms", (time.perf_counter() - begin) * 1e3), f"{question}.cpu_ms": ("ms", cpu_ms(side.process) - cpu)}
    results.update({f"{question}.{kind}_mib": ("MiB", value - before[kind]) for kind, value in memory(side.process).items()})
    results.update({f"{question}.{name}": ("found", value) for name, value in found.items()})
    if question in place.counts and found["prims"] != place.counts[question]:
        raise SystemExit(f"{question}: {found['prims']} prims are not {place.counts[question]}")
    return results


def ask_ours(question: str, place: Place) -> dict[str, tuple[str, float]]:
    import stagedoor

    with (
        tempfile.TemporaryDirectory() as folder,
        frames.daemon(folder) as (address, meter),
        stagedoor.connect(address, timeout=3600, array_cache_bytes=0) as client,
    ):
        return ask(Ours(client, meter.process), question, place)


def ask_peer(question: str, place: Place) -> dict[str, tuple[str, float]]:
    from pxr import Sdf, Usd, UsdGeom  # noqa: F401, loaded before the clock starts

    return ask(Peer(), question, place)


def in_new_process(options: argparse.Namespace, question: str) -> dict[str, tuple[str, float]]:
    command = [sys.executable, __file__, str(options.scene), "--side", options.side, "--child", question]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scene", type=pathlib.Path)
    parser.add_argument("--side", choices=["ours", "peer"], required=True)
    parser.add_argument("--json")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(QUESTIONS), help="questions, separated by commas")
    parser.add_argument("--expect", help="the results of the other side")
    parser.add_argument("--child", choices=QUESTIONS, help="asks one question, in this process")
    options = parser.parse_args()
    if options.child:
        side: Callable[[str, Place], Any] = ask_ours if options.side == "ours" else ask_peer
        print(json.dumps(side(options.child, Place(options.scene))))
        return
    results = frames.Results("island")
    for question in options.only:
        for _ in range(options.rounds):
            for name, (unit, value) in in_new_process(options, question).items():
                results.add(name, unit, value)
    found = results.list()
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"meta": {"side": options.side, "cores": os.cpu_count()}, "results": found}))
    for result in found:
        print(f"{result['name']:36} {result['value']:14.6g} {result['unit']}")
    if options.expect:
        frames.compare(found, options.expect)


if __name__ == "__main__":
    main()
