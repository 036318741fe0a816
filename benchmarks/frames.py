"""Frames from Python: with the daemon beside usd-core that does the same, beside our single calls, and by how much moves.

    PYTHONPATH=… STAGEDOORD=… python3 benchmarks/frames.py SCENES --side ours --json OUT [--expect PEER]
    $(tools/oracle.sh) benchmarks/frames.py SCENES --side peer --json OUT

Both sides read the scenes city, crowd and clips of ../shared/bench and generated ones, make NumPy arrays of all that a frame has, and write
medians of ROUNDS in the format of ../shared/bench/README.md. A stage is opened anew for each round, so that its first frame (`first`) has
nothing to begin with; the next one (`next`) has what the first left. With --expect, what frames have must be what the other side found.
Only ours: the bytes, calls and processor time of the daemon; the time to the first prims; single calls for the same data; how soon a frame
that is cancelled ends; small calls beside frames; and what this machine's sockets take for as many bytes.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import multiprocessing
import os
import pathlib
import re
import socket
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

TIMES = (12.0, 13.0)
SCENES = ("city", "crowd", "clips")
REPEATS = 50  # of frames in which little happens
PRIMS = 20_000  # of the scene in which some move
SHARES = (0.01, 0.1, 1, 10, 100)  # percent of the prims that move
POINTS = 100  # of a mesh that is deformed
MATRIX_BYTES = 8 * 16 + 8 + 1  # with the ID of the prim and the number of samples
CHECK_TOLERANCE = 1e-4
CANCELLED_AFTER = 3  # messages
SMALL_CALLS = 2000  # that are timed beside frames
GREEDY = 2  # processes that ask for frames meanwhile


# ------------------------------------------------------------------------------------ scenes


def moving_scene(share: float, deformed: bool) -> str:
    """Meshes in groups, of which a share moves or is deformed, with samples for many frames."""
    movers = round(PRIMS * share / 100)
    points = lambda frame: "[" + ", ".join(f"({i}, {frame}, 0)" for i in range(POINTS)) + "]"  # noqa: E731
    samples = ", ".join(f"{frame}: {points(frame)}" for frame in range(64))
    lines = ["#usda 1.0", 'class Mesh "_Still" {', "int[] faceVertexCounts = [4]", "int[] faceVertexIndices = [0, 1, 2, 3]",
             f"point3f[] points = {points(0)}", "}"]
    lines += ['class Mesh "_Deformed" (inherits = </_Still>) {', f"point3f[] points.timeSamples = {{ {samples} }}", "}", 'def Xform "World" {']
    for i in range(PRIMS):
        if i % 100 == 0:
            lines += ["}"] * (i > 0) + [f'def Xform "g{i // 100}" {{']
        changes = i < movers
        move = f"double3 xformOp:translate.timeSamples = {{ 0: ({i}, 0, 0), 64: ({i}, 64, 1) }}"
        lines += [f'def Mesh "m{i}" (inherits = </{"_Deformed" if changes and deformed else "_Still"}>) {{',
                  move if changes and not deformed else f"double3 xformOp:translate = ({i}, 0, 0)",
                  'uniform token[] xformOpOrder = ["xformOp:translate"]', "}"]
    return "\n".join([*lines, "}", "}", ""])


def root_of(scenes: str, name: str) -> str:
    info = json.loads(pathlib.Path(scenes, name, "scene.json").read_text())
    return os.path.join(scenes, name, info["root"])


# ------------------------------------------------------------------------------------ our side


class Meter:
    """What the daemon has sent and spent, and the calls of this process."""

    def __init__(self, process: int, metrics: str) -> None:
        from stagedoor import _calls

        self.process, self._metrics, self.calls = process, metrics, 0
        self._stat = pathlib.Path(f"/proc/{process}/stat")
        make = _calls.Attempts.__init__

        def counted(attempts: Any, *arguments: Any, **options: Any) -> None:
            self.calls += 1
            make(attempts, *arguments, **options)

        _calls.Attempts.__init__ = counted  # type: ignore[method-assign]

    def in_flight(self) -> float:
        """The calls that the daemon works on."""
        with urllib.request.urlopen(self._metrics, timeout=10) as reply:
            found = re.search(r"^stagedoor_requests_in_flight (\S+)$", reply.read().decode(), re.M)
        assert found is not None
        return float(found.group(1))

    def cpu(self) -> float:
        fields = self._stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Raw:
    """Frames by the stub of the API alone: what the daemon and gRPC take, without arrays of NumPy."""

    def __init__(self, address: str, root: str) -> None:
        import grpc
        from stagedoor._proto import v1

        self._v1 = v1
        self._channel = grpc.insecure_channel(address)
        service = "/stagedoor.v1.FrameService/ExtractFrame"
        self._extract = self._channel.unary_stream(service, v1.ExtractFrameRequest.SerializeToString, v1.ExtractFrameResponse.FromString)
        opened = self._channel.unary_unary("/stagedoor.v1.StagesService/OpenStage", v1.OpenStageRequest.SerializeToString,
                                           v1.OpenStageResponse.FromString)(v1.OpenStageRequest(root_layer=root))
        self.handle = opened.handle
        self._small = v1.BatchGetValuesRequest(stage=v1.StageRef(handle=self.handle), paths=["/None.visibility"],
                                               times=v1.TimeSelection(frames=[0.0]))
        self._values = self._channel.unary_unary("/stagedoor.v1.QueryService/BatchGetValues", v1.BatchGetValuesRequest.SerializeToString,
                                                 v1.BatchGetValuesResponse.FromString)

    def frame(self, at: float, token: bytes = b"") -> dict[str, Any]:
        v1 = self._v1
        request = v1.ExtractFrameRequest(stage=v1.StageRef(handle=self.handle), time=v1.TimeCode(numeric=at), base_token=token)
        found: dict[str, Any] = {"bytes": 0, "batch_ms": 0.0}
        begin = time.perf_counter()
        for message in self._extract(request):
            found["bytes"] += message.ByteSize()
            if not found["batch_ms"] and (message.HasField("prims") or message.token):
                found["batch_ms"] = (time.perf_counter() - begin) * 1e3
            found["token"] = message.token
        found["ms"] = (time.perf_counter() - begin) * 1e3
        return found

    def cancel(self, at: float, meter: Meter) -> float:
        """Cancels a frame in the middle. Returns the milliseconds until the daemon works on nothing."""
        call = self._extract(self._v1.ExtractFrameRequest(stage=self._v1.StageRef(handle=self.handle), time=self._v1.TimeCode(numeric=at)))
        for _ in range(CANCELLED_AFTER):
            next(call)
        begin = time.perf_counter()
        call.cancel()
        while meter.in_flight():
            pass
        return (time.perf_counter() - begin) * 1e3

    def small_call(self) -> None:
        """Asks for a value of a prim that does not exist."""
        self._values(self._small)

    def close(self) -> None:
        self._channel.close()


class Ours:
    """The frames of the daemon."""

    side = "ours"

    def __init__(self, client: Any) -> None:
        self._client = client

    def open(self, root: str) -> Any:
        return self._client.open(root)

    def close(self, stage: Any) -> None:
        stage.close()

    def frames(self, stage: Any) -> Generator[Any, None, None]:
        """Yields the frame at each time, once all arrays that are new are there."""
        frame = stage.frame(TIMES[0])
        for part in frame:
            self.decode(part)
        yield frame
        frame = frame.next(TIMES[1])
        for part in frame:
            self.decode(part)
        yield frame

    @staticmethod
    def decode(part: Any) -> None:
        """Makes all arrays of a part of a frame."""
        if part.kind == "geometry":
            for geometry in part.values():
                for value in geometry.values():
                    value.value  # noqa: B018
        elif part.kind == "prims":
            part.ids, part.paths, part.geometry  # noqa: B018
        elif part.kind == "transforms":
            part.matrices  # noqa: B018
        elif part.kind == "materials":
            for material in part.values():
                material.network  # noqa: B018

    @staticmethod
    def checks(frame: Any) -> dict[str, float]:
        geometry, used = np.unique(frame.prims.geometry, return_counts=True)
        points = points_sum = 0.0
        for key, prims in zip(geometry.tolist(), used.tolist()):
            held = frame.geometry[key]
            values = {name: value.value for name, value in held.items()}
            array = values.get("points")
            if array is not None:
                points += prims * len(array)
                points_sum += prims * array.sum(dtype=np.float64)
        ids = frame.prims.ids
        moved = frame.transforms.select(ids).matrices[:, 3, :3].sum()
        return {"prims": len(ids), "points": points, "points_sum": points_sum, "moved": float(moved), "materials": len(frame.materials)}


def single_calls(stage: Any, at: float) -> float:
    """Asks for what a frame has by the calls that there are for each of it. Returns the milliseconds that they take together."""
    begin = time.perf_counter()
    prims = [prim for prim in stage.traverse(instance_proxies=True) if prim.type_name]
    drawn = [prim.path for prim in prims if prim.is_a("Gprim") or prim.is_a("PointInstancer")]
    meshes = [prim.path for prim in prims if prim.is_a("Mesh")]
    stage.transforms(drawn, at)
    stage.visibility(drawn, at)
    bound = stage.bound_materials(drawn, "full")
    stage.light_sets(drawn)
    stage.light_sets(drawn, link="shadow")
    stage.lights()
    stage.primvars(drawn, at)
    stage.subsets(meshes, at)
    names = ("points", "normals", "faceVertexCounts", "faceVertexIndices", "subdivisionScheme", "orientation", "doubleSided", "extent")
    for part in stage.values_in_parts([f"{path}.{name}" for path in meshes for name in names], at):
        list(part.items())
    list(stage.skinned_points(times=at, normals=True))
    materials = sorted({found.material for found in (bound[path] for path in drawn) if found is not None and found.material})
    if materials:
        stage.material_networks(materials, at)
    return (time.perf_counter() - begin) * 1e3


# --------------------------------------------------------------------------------- usd-core's side


class Peer:
    """The frames of usd-core."""

    side = "peer"

    def open(self, root: str) -> Any:
        from pxr import Usd

        return Usd.Stage.Open(root)

    def close(self, stage: Any) -> None:
        """usd-core closes a stage with its last reference."""

    def frames(self, stage: Any) -> Generator[Any, None, None]:
        from frames_peer import PeerFrames

        peer = PeerFrames(stage)
        for at in TIMES:
            peer.frame(at)
            yield peer

    @staticmethod
    def checks(frame: Any) -> dict[str, float]:
        return frame.checks()


# ------------------------------------------------------------------------------------- measuring


class Results:
    """The runs of each metric of a group."""

    def __init__(self, group: str = "frames") -> None:
        self._group = group
        self._runs: dict[str, tuple[str, list[float]]] = {}

    def add(self, name: str, unit: str, value: float) -> None:
        self._runs.setdefault(name, (unit, []))[1].append(value)

    def list(self) -> list[dict[str, Any]]:
        return [{"name": f"{self._group}.{name}", "unit": unit, "value": statistics.median(runs), "runs": runs,
                 **({"better": "lower"} if unit == "ratio" else {})} for name, (unit, runs) in self._runs.items()]


def measure_frames(side: Any, name: str, root: str, rounds: int, results: Results) -> None:
    for _ in range(rounds):
        stage = side.open(root)
        frames = side.frames(stage)
        held = []  # so that no frame is destroyed while another one is timed
        for which in ("first", "next"):
            begin = time.perf_counter()
            held.append(next(frames))
            results.add(f"{name}.{which}_ms", "ms", (time.perf_counter() - begin) * 1e3)
            for check, number in side.checks(held[-1]).items():
                results.add(f"{name}.{which}.{check}", "found", number)
        frames.close()
        held.clear()
        side.close(stage)
        gc.collect()


def measure_calls(client: Any, meter: Meter, address: str, name: str, root: str, rounds: int, results: Results) -> None:
    """What only we have: single calls, the calls of a frame, the first prims, and frames without arrays."""
    for _ in range(rounds):
        stage = client.open(root)
        calls = meter.calls
        frame = stage.frame(TIMES[0]).read()
        frame.next(TIMES[1]).read()
        results.add(f"{name}.calls", "count", (meter.calls - calls) / 2)
        stage.close()
        stage = client.open(root)
        results.add(f"{name}.single_calls_ms", "ms", single_calls(stage, TIMES[0]))
        stage.close()
        raw = Raw(address, root)
        first, again = raw.frame(TIMES[0]), raw.frame(TIMES[0])
        results.add(f"{name}.raw_ms", "ms", first["ms"])
        results.add(f"{name}.wire_ms", "ms", wire_ms(first["bytes"]))
        results.add(f"{name}.cancel_ms", "ms", raw.cancel(TIMES[0], meter))
        results.add(f"{name}.first_prims_ms", "ms", first["batch_ms"])
        results.add(f"{name}.first_prims_again_ms", "ms", again["batch_ms"])
        results.add(f"{name}.bytes", "bytes", first["bytes"])
        following = [raw.frame(TIMES[1] + i % 2, first["token"]) for i in range(REPEATS)]
        results.add(f"{name}.next_raw_ms", "ms", statistics.median(frame["ms"] for frame in following))
        results.add(f"{name}.next_bytes", "bytes", statistics.median(frame["bytes"] for frame in following))
        raw.close()


def wire_ms(size: int) -> float:
    """The milliseconds that as many bytes take through a local socket, from one buffer to another: less than any client needs."""
    sent, received = bytes(size), bytearray(size)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as reader:
        writer, _ = server.accept()
        begin = time.perf_counter()
        thread = threading.Thread(target=writer.sendall, args=(sent,))
        thread.start()
        rest = memoryview(received)
        while rest:
            rest = rest[reader.recv_into(rest) :]
        took = (time.perf_counter() - begin) * 1e3
        thread.join()
        writer.close()
    return took


def ask_for_frames(address: str, root: str, begun: Any, ended: Any) -> None:
    """Asks for first frames, one after another, until the event `ended`."""
    raw = Raw(address, root)
    while not ended.is_set():
        raw.frame(TIMES[0])
        begun.set()
    raw.close()


def p99_of_small_calls(raw: Raw) -> float:
    """The milliseconds that 99 of 100 small calls take at most."""
    took = []
    for _ in range(SMALL_CALLS):
        begin = time.perf_counter()
        raw.small_call()
        took.append((time.perf_counter() - begin) * 1e3)
    return statistics.quantiles(took, n=100)[98]


def measure_fairness(address: str, name: str, root: str, results: Results) -> None:
    """Small calls of one client beside others that ask for frames."""
    spawn = multiprocessing.get_context("spawn")
    raw = Raw(address, root)
    alone = p99_of_small_calls(raw)
    ended = spawn.Event()
    begun = [spawn.Event() for _ in range(GREEDY)]
    greedy = [spawn.Process(target=ask_for_frames, args=(address, root, event, ended)) for event in begun]
    for process in greedy:
        process.start()
    for event in begun:
        event.wait()
    beside = p99_of_small_calls(raw)
    ended.set()
    for process in greedy:
        process.join()
    raw.close()
    results.add(f"{name}.small_calls_p99_ms", "ms", alone)
    results.add(f"{name}.small_calls_beside_p99_ms", "ms", beside)


def measure_movers(meter: Meter, address: str, folder: str, results: Results) -> None:
    """Bytes and processor time of frames by the share of prims that move, or are deformed."""
    for deformed in (False, True):
        for share in SHARES:
            name = f"{'deformed' if deformed else 'moving'}.{share:g}"
            root = pathlib.Path(folder, f"{name}.usda")
            root.write_text(moving_scene(share, deformed))
            raw = Raw(address, str(root))
            held = raw.frame(0.5)
            held = raw.frame(1.5, held["token"])
            movers = max(1, round(PRIMS * share / 100))
            count = max(5, min(2000, 20_000 // movers))
            cpu, sent, begin = meter.cpu(), 0, time.perf_counter()
            for i in range(count):
                held = raw.frame(2.5 + i % 60, held["token"])
                sent += held["bytes"]
            wall, cpu = time.perf_counter() - begin, meter.cpu() - cpu
            changed = movers * (POINTS * 12 if deformed else MATRIX_BYTES)
            results.add(f"{name}.bytes_ratio", "ratio", sent / count / changed)
            results.add(f"{name}.bytes", "bytes", sent / count)
            results.add(f"{name}.cpu_us", "us", cpu / count * 1e6)
            results.add(f"{name}.cpu_us_per_mover", "us", cpu / count / movers * 1e6)
            results.add(f"{name}.ms", "ms", wall / count * 1e3)
            raw.close()


@contextmanager
def daemon(folder: str) -> Iterator[tuple[str, Meter]]:
    """The address of a daemon that drops a stage once it is closed."""
    address, log = pathlib.Path(folder, "address"), pathlib.Path(folder, "log")
    program = [os.environ["STAGEDOORD"], "--address=127.0.0.1:0", f"--address-file={address}", "--max-idle-stages=0",
               "--metrics-address=127.0.0.1:0", "--log-level=info"]
    with log.open("w") as out:
        process = subprocess.Popen(program, stderr=out)
    try:
        metrics = None
        while not (address.exists() and address.read_text().strip() and metrics):
            time.sleep(0.05)
            metrics = re.search(r"http://\S+/metrics", log.read_text())
        yield address.read_text().split()[0], Meter(process.pid, metrics.group(0))
    finally:
        process.terminate()
        process.wait()


def measure_ours(options: argparse.Namespace, results: Results) -> None:
    import stagedoor

    with tempfile.TemporaryDirectory() as folder, daemon(folder) as (address, meter):
        with stagedoor.connect(address, timeout=600, array_cache_bytes=0) as client:
            for name in options.only:
                root = root_of(options.scenes, name)
                measure_frames(Ours(client), name, root, options.rounds, results)
                measure_calls(client, meter, address, name, root, options.rounds, results)
                measure_fairness(address, name, root, results)
        if options.movers:
            measure_movers(meter, address, folder, results)


def measure_peer(options: argparse.Namespace, results: Results) -> None:
    for name in options.only:
        measure_frames(Peer(), name, root_of(options.scenes, name), options.rounds, results)


def compare(results: list[dict[str, Any]], other: str) -> None:
    """Ends the program if both sides have found different frames."""
    theirs = {result["name"]: result["value"] for result in json.loads(pathlib.Path(other).read_text())["results"]}
    for result in results:
        name, value = result["name"], result["value"]
        if result["unit"] == "found" and name in theirs and not math.isclose(value, theirs[name], rel_tol=CHECK_TOLERANCE, abs_tol=1e-3):
            raise SystemExit(f"{name}: {value} is not {theirs[name]}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("scenes")
    parser.add_argument("--side", choices=["ours", "peer"], default="ours")
    parser.add_argument("--json", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(SCENES), help="scenes, separated by commas")
    parser.add_argument("--movers", action=argparse.BooleanOptionalAction, default=True, help="also scenes in which some prims move")
    parser.add_argument("--expect", help="the results of the other side")
    options = parser.parse_args()
    results = Results()
    measure: Callable[[argparse.Namespace, Results], None] = measure_peer if options.side == "peer" else measure_ours
    measure(options, results)
    found = results.list()
    if options.expect:
        compare(found, options.expect)
    meta = {"side": options.side, "cores": os.cpu_count()}
    pathlib.Path(options.json).write_text(json.dumps({"meta": meta, "results": found}))
    for result in found:
        print(f"{result['name']:40} {result['value']:14.6g} {result['unit']}")


if __name__ == "__main__":
    main()
