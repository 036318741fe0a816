"""Queries about more paths than a request may have."""

from __future__ import annotations

import asyncio
import gc
import weakref

import numpy as np
import pytest
from daemon import Daemon
from fake import FakeDaemon, number

import stagedoor
from stagedoor import _parts
from stagedoor._parts import in_parts
from stagedoor._proto import v1

SPHERES = [f"/World/Sizes/S{i:03}" for i in range(200)]
RADII = [f"{path}.radius" for path in SPHERES]
MIXED = [*RADII, "/World/Types.text", "/World/Types.blocked", "/Nope.x", "/World/Static.points"]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests of a few paths."""
    monkeypatch.setattr(_parts, "MAX_BYTES", 1000)


def test_values_of_parts_are_those_of_the_whole(stage, calls, monkeypatch):
    whole = stage.values(MIXED, [1, 2], sources=True)
    calls.take()
    monkeypatch.setattr(_parts, "MAX_BYTES", 1000)
    parts = stage.values(MIXED, [1, 2], sources=True)
    assert len(calls.take()) > 5
    assert (parts.paths, parts.times) == (whole.paths, whole.times)
    assert (parts.snapshot, parts.sources) == (whole.snapshot, whole.sources)
    for path in MIXED:
        for time in (1, 2):
            assert parts.state(path, time) is whole.state(path, time)
            mine, theirs = parts.get(path, time), whole.get(path, time)
            assert np.array_equal(mine, theirs), path
    assert parts.error("/Nope.x", 1).reason == "PRIM_NOT_FOUND"
    assert stage.values(RADII, 1).array().ravel().tolist() == [float(i) for i in range(200)]
    assert len(calls.take()) > 5


def test_geometry_of_parts_is_that_of_the_whole(stage, calls, monkeypatch):
    paths = [*SPHERES, "/Nope", "/World"]

    def ask() -> list[object]:
        return [
            stage.transforms(paths, [1, 2]),
            stage.bounds(paths, 1),
            stage.visibility(paths, 1),
            stage.primvars(paths, 1),
        ]

    whole = ask()
    calls.take()
    monkeypatch.setattr(_parts, "MAX_BYTES", 1000)
    parts = ask()
    assert len(calls.take()) > 20
    for mine, theirs in zip(parts, whole):
        assert list(mine) == list(theirs) and mine.errors.keys() == theirs.errors.keys()
        assert mine.snapshot == theirs.snapshot
        assert repr(list(mine.values())) == repr(list(theirs.values()))
    assert np.array_equal(parts[0].stack(), whole[0].stack())


def test_arrays_of_parts_are_joined(stage, small):
    stacked = stage.transforms(SPHERES, 1).stack()
    assert stacked.shape == (200, 4, 4) and stacked.base is None
    assert np.array_equal(stacked[7], stage[SPHERES[7]].transform(1))


def test_samples_of_parts_are_those_of_the_whole(stage, calls, small):
    found = stage.samples([*RADII, "/World/Types.wave"], (1, 9), (1, 3))
    assert len(calls.take()) > 5 and len(found) == 402
    assert [samples.path for samples in found[-2:]] == ["/World/Types.wave"] * 2
    assert (len(found[-2]), len(found[-1])) == (3, 2)


def test_request_that_a_daemon_does_not_accept_is_halved(tmp_path, folder):
    daemon = Daemon(tmp_path, "--max-request-bytes=20000")
    try:
        with stagedoor.open(folder / "shot.usda", daemon.address) as stage:
            values = stage.values(RADII * 10, 1)
            assert values.array().ravel().tolist() == [float(i) for i in range(200)] * 10
            assert len(stage.transforms(SPHERES * 10)) == 200
            with pytest.raises(stagedoor.Error) as info:
                stage.values(f"/World/{'x' * 30_000}.radius", 1)
            assert "exceeds the limit of 20,000" in info.value.message
            assert info.value.reason == "REQUEST_TOO_LARGE"
    finally:
        daemon.stop()


def test_all_parts_are_of_one_snapshot(small):
    snapshots = iter(["s1", "s2", "s2", "s2", "s2"])

    def answer(request: object, _: object) -> object:
        reply = number(1.0)
        reply.path_count = len(request.paths)  # type: ignore[attr-defined]
        reply.columns[0].doubles[:] = [1.0] * len(request.paths)  # type: ignore[attr-defined]
        reply.snapshot = next(snapshots)
        return reply

    paths = [f"/{'x' * 400}.a", f"/{'x' * 400}.b", f"/{'x' * 400}.c"]
    with FakeDaemon(BatchGetValues=answer) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage.values(paths, 1).snapshot == "s2"
        assert daemon.calls.count("BatchGetValues") == 4


def test_values_in_parts_need_memory_for_one_part():
    asked: list[tuple[str, list[str]]] = []
    read = []

    def answer(request: object, _: object) -> object:
        asked.append((request.stage.snapshot, list(request.paths)))  # type: ignore[attr-defined]
        reply = number(1.0)
        count = reply.path_count = len(asked[-1][1])
        reply.columns[0].doubles[:] = range(count)
        return reply

    def paths():
        for name in "abcde":
            read.append(name)
            yield f"/A.{name}"

    async def ask_async(address: str) -> list[float]:
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            parts = [part async for part in stage.values_in_parts(paths(), 1, size=2)]
        return [part[path] for part in parts for path in part.paths]

    with FakeDaemon(BatchGetValues=answer) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            parts = stage.values_in_parts(paths(), 1, size=2)
            first = next(parts)
            assert read == ["a", "b"] and first["/A.b"] == 1.0
            assert [list(part.paths) for part in parts] == [["/A.c", "/A.d"], ["/A.e"]]
            assert asked == [
                ("", ["/A.a", "/A.b"]),
                ("s1", ["/A.c", "/A.d"]),
                ("s1", ["/A.e"]),
            ]
            assert [list(part.paths) for part in stage.values_in_parts("/A.a", 1)] == [["/A.a"]]
            assert list(stage.values_in_parts([], 1)) == []
            with pytest.raises(ValueError, match="size must be"):
                next(stage.values_in_parts(["/A.a"], 1, size=0))
        assert asyncio.run(ask_async(daemon.address)) == [0.0, 1.0, 0.0, 1.0, 0.0]


def test_pass_in_parts_keeps_one_part_alive():
    parts: list[weakref.ref[object]] = []
    alive: list[int] = []  # how many are when the next one is asked for

    def answer(request: object, _: object) -> object:
        gc.collect()
        alive.append(sum(part() is not None for part in parts))
        reply = number(1.0)
        count = reply.path_count = len(request.paths)  # type: ignore[attr-defined]
        reply.columns[0].doubles[:] = range(count)
        return reply

    async def read_async(address: str) -> None:
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            async for part in stage.values_in_parts(paths, 1, size=10):
                parts.append(weakref.ref(part))
                del part

    paths = [f"/A.a{i}" for i in range(100)]
    with FakeDaemon(BatchGetValues=answer) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            for part in stage.values_in_parts(paths, 1, size=10):
                assert part.array().sum() == 45
                parts.append(weakref.ref(part))
            assert alive == [0] + [1] * 9, "the one that the loop has"
            del part
            alive.clear()
            for part in stage.values_in_parts(paths, 1, size=10):
                parts.append(weakref.ref(part))
                del part
            assert alive == [0] * 10
        alive.clear()
        asyncio.run(read_async(daemon.address))
        assert alive == [0] * 10


def test_stage_that_changes_again_and_again_is_an_error(small):
    made = []

    def ask(part: list[str], pin: str):
        made.append((len(part), pin))
        yield None
        return v1.BatchGetValuesResponse(snapshot=f"s{len(made)}")

    plan = in_parts(["/" + "x" * 600] * 2, ask)
    with pytest.raises(stagedoor.Error, match="the stage changed between the parts"):
        for _ in range(20):
            next(plan)
    assert made[:2] == [(1, ""), (1, "s1")] and len(made) == 8
