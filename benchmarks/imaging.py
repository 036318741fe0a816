"""What renderers ask about a whole stage, from Python: bound materials, light sets, and transforms over a shutter.

    PYTHONPATH=… python3 benchmarks/imaging.py --side ours --json OUT     # starts the daemon that $STAGEDOORD names
    python3 benchmarks/imaging.py --side peer --json OUT                  # with usd-core

Both sides read the same generated stages, check their answers, and write the medians of ROUNDS in the format of
../shared/bench/README.md. A fresh stage is opened for each round, so that nothing is remembered; what is asked a second time, as
for the next frame, is NAME.again.
"""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

BLOCKS, BUILDINGS = 300, 99  # prims of the materials and transforms
PRIMS, LIGHTS = 10_000, 500
SHUTTER = (0.75, 1.0, 1.25)


def building(index: int) -> str:
    return f"/World/Block_{index // BUILDINGS}/Building_{index % BUILDINGS}"


def city() -> str:
    """Meshes that inherit the material of their block, are in a collection that is bound, or have one of their own."""
    lines = ["#usda 1.0", 'def "Looks" {']
    lines += [f'def Material "m{i}" {{}}' for i in range(40)]
    lines += ["}", 'def Xform "World" (prepend apiSchemas = ["MaterialBindingAPI", "CollectionAPI:glass"])', "{"]
    glass = ", ".join(f"<{building(block * BUILDINGS + 7)}>" for block in range(BLOCKS))
    lines += [f"rel collection:glass:includes = [{glass}]"]
    lines += ["rel material:binding:collection:glass = [</World.collection:glass>, </Looks/m39>] ("]
    lines += ['bindMaterialAs = "strongerThanDescendants"', ")"]
    for block in range(BLOCKS):
        lines += [f'def Xform "Block_{block}" (prepend apiSchemas = ["MaterialBindingAPI"])', "{"]
        lines += [f"rel material:binding = </Looks/m{block % 30}>"]
        lines += [f"double3 xformOp:translate.timeSamples = {{ 0: ({block}, 0, 0), 2: ({block}, 4, 0) }}"]
        lines += ['uniform token[] xformOpOrder = ["xformOp:translate"]']
        for i in range(BUILDINGS):
            own = i % 3 == 0
            api = ' (prepend apiSchemas = ["MaterialBindingAPI"])' if own else ""
            lines += [f'def Mesh "Building_{i}"{api}', "{"]
            lines += [f"rel material:binding = </Looks/m{30 + i % 9}>"] * own
            lines += [f"double3 xformOp:translate = ({i}, 1, 2)", 'uniform token[] xformOpOrder = ["xformOp:translate"]', "}"]
        lines += ["}"]
    return "\n".join([*lines, "}", ""])


def stage_of_lights() -> str:
    """Lights that illuminate everything, one branch, or everything but one branch."""
    lines = ["#usda 1.0", 'def Xform "Set"', "{"]
    for branch in range(PRIMS // 100):
        lines += [f'def Xform "b{branch}"', "{"] + [f'def Mesh "m{i}" {{}}' for i in range(100)] + ["}"]
    lines += ["}", 'def Xform "Lights"', "{"]
    for i in range(LIGHTS):
        lines += [f'def SphereLight "l{i}"', "{"]
        branch = f"</Set/b{i % (PRIMS // 100)}>"
        if i % 3 == 1:
            lines += ["uniform bool collection:lightLink:includeRoot = 0", f"rel collection:lightLink:includes = [{branch}]"]
        elif i % 3 == 2:
            lines += [f"rel collection:lightLink:excludes = [{branch}]"]
        lines += ["}"]
    return "\n".join([*lines, "}", ""])


BUILDING_PATHS = [building(i) for i in range(BLOCKS * BUILDINGS)]
LIT_PATHS = [f"/Set/b{i // 100}/m{i % 100}" for i in range(PRIMS)]


class Ours:
    """The answers of the daemon."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def open(self, root: str) -> Any:
        return self._client.open(root)

    def close(self, stage: Any) -> None:
        stage.close()

    def materials(self, stage: Any) -> list[str]:
        numbers, bound = stage.bound_materials(BUILDING_PATHS, bindings=False).factorize()
        return np.array([one.material for one in bound], object)[numbers].tolist()

    def light_sets(self, stage: Any) -> list[int]:
        found = stage.light_sets(LIT_PATHS)
        return [len(found[path]) for path in LIT_PATHS]

    def transforms(self, stage: Any) -> list[float]:
        matrices = stage.transforms(BUILDING_PATHS, SHUTTER).stack()  # buildings × times × 4 × 4
        return matrices[:, :, 3, 1].sum(axis=1).tolist()


class Peer:
    """The answers of usd-core."""

    def open(self, root: str) -> Any:
        from pxr import Usd

        return Usd.Stage.Open(root)

    def close(self, stage: Any) -> None:
        """usd-core closes a stage with its last reference."""

    def materials(self, stage: Any) -> list[str]:
        from pxr import UsdShade

        prims = [stage.GetPrimAtPath(path) for path in BUILDING_PATHS]
        found, _ = UsdShade.MaterialBindingAPI.ComputeBoundMaterials(prims)
        return [str(material.GetPath()) for material in found]

    def light_sets(self, stage: Any) -> list[int]:
        from pxr import Sdf, UsdLux

        lights = stage.GetPrimAtPath("/Lights").GetChildren()
        queries = [UsdLux.LightAPI(light).GetLightLinkCollectionAPI().ComputeMembershipQuery() for light in lights]
        return [sum(query.IsPathIncluded(path) for query in queries) for path in map(Sdf.Path, LIT_PATHS)]

    def transforms(self, stage: Any) -> list[float]:
        from pxr import UsdGeom

        prims = [stage.GetPrimAtPath(path) for path in BUILDING_PATHS]
        sums = [0.0] * len(prims)
        for moment in SHUTTER:
            cache = UsdGeom.XformCache(moment)
            for i, prim in enumerate(prims):
                sums[i] += cache.GetLocalToWorldTransform(prim)[3][1]
        return sums


def expected() -> dict[str, list[Any]]:
    materials, sets, sums = [], [], []
    for i in range(len(BUILDING_PATHS)):
        block, own = divmod(i, BUILDINGS)
        inherited = 39 if own == 7 else block % 30
        materials.append(f"/Looks/m{30 + own % 9 if own % 3 == 0 else inherited}")
        sums.append(sum(1 + 2 * moment for moment in SHUTTER))
    branches = PRIMS // 100
    for i in range(PRIMS):
        linked = [n for n in range(LIGHTS) if n % branches == i // 100]
        only, all_but = (sum(n % 3 == kind for n in linked) for kind in (1, 2))
        everywhere = sum(n % 3 == 0 for n in range(LIGHTS))
        sets.append(everywhere + only + sum(n % 3 == 2 for n in range(LIGHTS)) - all_but)
    return {"materials": materials, "light_sets": sets, "transforms": sums}


def measure(side: Any, folder: str, rounds: int) -> Iterator[dict[str, Any]]:
    roots = {"materials": "city.usda", "light_sets": "lights.usda", "transforms": "city.usda"}
    pathlib.Path(folder, "city.usda").write_text(city())
    pathlib.Path(folder, "lights.usda").write_text(stage_of_lights())
    right = expected()
    for name, root in roots.items():
        runs: dict[str, list[float]] = {name: [], f"{name}.again": []}
        for _ in range(rounds):
            stage = side.open(os.path.join(folder, root))
            ask: Callable[[Any], list[Any]] = getattr(side, name)
            for times in runs.values():
                start = time.perf_counter()
                answer = ask(stage)
                times.append((time.perf_counter() - start) * 1e3)
                if answer != right[name]:
                    raise SystemExit(f"{name}: the answer is wrong")
            side.close(stage)
        for metric, times in runs.items():
            yield {"name": f"imaging.{metric}", "unit": "ms", "value": statistics.median(times), "runs": times}


@contextmanager
def daemon(folder: str) -> Iterator[str]:
    """The address of a daemon that drops a stage once it is closed."""
    address = pathlib.Path(folder, "address")
    program = [os.environ["STAGEDOORD"], "--address=127.0.0.1:0", f"--address-file={address}", "--max-idle-stages=0"]
    process = subprocess.Popen(program, stderr=subprocess.DEVNULL)
    try:
        while not (address.exists() and address.read_text().strip()):
            time.sleep(0.05)
        yield address.read_text().split()[0]
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", choices=["ours", "peer"], required=True)
    parser.add_argument("--json", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.side == "peer":
            results = list(measure(Peer(), folder, options.rounds))
        else:
            import stagedoor

            with daemon(folder) as address, stagedoor.connect(address, timeout=600) as client:
                results = list(measure(Ours(client), folder, options.rounds))
    written = {"meta": {"side": options.side, "cores": os.cpu_count()}, "results": results}
    pathlib.Path(options.json).write_text(json.dumps(written))
    for result in results:
        print(f"{result['name']:24} {result['value']:10.1f} ms")


if __name__ == "__main__":
    main()
