from __future__ import annotations

import asyncio
import fcntl
import os
import pathlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from daemon import Daemon
from fake import number
from query_socket import FakeSide, await_socket, daemon_with_socket, fake_daemon

import stagedoor
import stagedoor.aio
from stagedoor._proto import v1
from stagedoor._query_socket.channel import Flight, QueryChannel
from stagedoor._query_socket.numbers import QueryNumbers

_WAVE = "/World/Types.wave"
_RADIUS = "/World/Sizes/S003.radius"
_F_ADD_SEALS, _SEAL_SHRINK = 1033, 2


@pytest.fixture(scope="module")
def offering() -> Iterator[Daemon]:
    """A daemon with a query socket."""
    with daemon_with_socket() as running:
        yield running


@pytest.fixture
def near(offering: Daemon) -> Iterator[stagedoor.Client]:
    """A client of it, without a cache of arrays, so that each one is sent."""
    with stagedoor.connect(offering.address, array_cache_bytes=0) as client:
        yield client


@pytest.fixture(scope="module")
def arrays(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """A scene with arrays of 256 KiB and 1 MiB that move, and one of 12 MiB."""
    lines = ["#usda 1.0", 'def "P"', "{", "    double x.timeSamples = { 0: 0, 1000: 1000 }"]
    for name, count in (("a", 1 << 16), ("b", 1 << 18)):
        samples = (f"{t}: [{','.join([str(t)] * count)}]" for t in range(3))
        lines.append(f"    int[] {name}.timeSamples = {{ {', '.join(samples)} }}")
    lines += [f"    int[] c = [{','.join(['7'] * (3 << 20))}]", "}"]
    path = tmp_path_factory.mktemp("arrays") / "arrays.usda"
    path.write_text("\n".join(lines))
    return path


# --------------------------------------------------------------------------------- what it carries


def test_values_are_those_of_grpc(offering, near, folder):
    with stagedoor.connect(offering.address, query_socket=False) as other:
        stages = [client.open(folder / "shot.usda") for client in (near, other)]
        await_socket(near, stages[0][_WAVE].get)
        paths = [a.path for prim in stages[0].traverse() for a in prim.attributes]
        assert len(paths) > 50
        paths = paths[:500]  # longer lists have names, and travel over gRPC
        for time_code in (None, 1, 2.5, "earliest"):
            found, wanted = (stage.values(paths, time_code, sources=True) for stage in stages)
            assert found.sources == wanted.sources and found.snapshot == wanted.snapshot
            for path in paths:
                assert found.state(path) is wanted.state(path)
                assert repr(found.get(path)) == repr(wanted.get(path))
        assert near.statistics.socket_queries >= 4
        assert not other.statistics.query_socket and other.statistics.socket_queries == 0
        assert other.statistics.grpc_queries >= 4


def test_large_arrays_are_copied_out_of_shared_memory(near, arrays):
    with near.open(arrays) as stage:
        await_socket(near, stage["/P.x"].get)
        kept = []
        for round_number in range(60):  # 75 MiB in places that are used again
            at = round_number % 3
            values = stage.values(["/P.a", "/P.b"], at)
            kept.append(values["/P.a"])
            assert values["/P.b"].shape == (1 << 18,) and (values["/P.b"] == at).all()
        assert all((array == i % 3).all() for i, array in enumerate(kept))
        assert (stage["/P.c"].get() == 7).all()
        assert not kept[0].flags.writeable and kept[0].dtype == np.int32
        assert _mapped_segments() in (1, 2)
        asked = near.statistics
        assert asked.query_socket and asked.socket_queries >= 61


def _mapped_segments() -> int:
    maps = pathlib.Path("/proc/self/maps").read_text().splitlines()
    return sum("memfd:stagedoor-arrays" in line for line in maps)


def test_arrays_that_are_cached_are_not_sent_again(offering, arrays):
    with stagedoor.connect(offering.address) as client, client.open(arrays) as stage:
        await_socket(client, stage["/P.x"].get)
        first = stage["/P.c"].get()
        assert client.arrays.misses == 1
        assert stage["/P.c"].get() is first and client.arrays.hits == 1


def test_edits_are_seen(near, folder):
    with near.open(folder / "shot.usda") as stage:
        await_socket(near, stage[_RADIUS].get)
        before = stage.snapshot
        stage[_RADIUS].set(9.5)
        assert stage[_RADIUS].get() == 9.5 and stage.snapshot != before
        assert stage[_RADIUS].get() == 9.5


def test_errors_are_those_of_grpc(near, folder):
    with near.open(folder / "shot.usda") as stage:
        await_socket(near, stage[_RADIUS].get)
        with pytest.raises(stagedoor.NotFoundError) as missing:
            stage["/World/Nobody.radius"].get()
        assert missing.value.reason == "PRIM_NOT_FOUND"
        with stagedoor.call_options(timeout=1e-9), pytest.raises(stagedoor.DeadlineError):
            stage[_RADIUS].get()
        assert stage[_RADIUS].get(1) == 3.0  # the connection is as good as before
        assert near.statistics.query_socket


def test_threads_share_a_connection(near, arrays):
    wrong: list[Any] = []
    with near.open(arrays) as stage:
        await_socket(near, stage["/P.x"].get)

        def ask(first: int) -> None:
            for at in range(first, first + 40):
                if stage["/P.x"].get(at) != at or (stage["/P.a"].get(at % 3) != at % 3).any():
                    wrong.append(at)

        threads = [threading.Thread(target=ask, args=(100 * i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not wrong
        assert near.statistics.socket_queries >= 640 and near.statistics.query_socket


def test_metadata_travel_over_grpc(near, folder):
    with near.open(folder / "shot.usda") as stage:
        await_socket(near, stage[_RADIUS].get)
        before = near.statistics
        with stagedoor.call_options(request_id="frame-12"):
            assert stage[_RADIUS].get() == 3.0
        after = near.statistics
        assert after.grpc_queries == before.grpc_queries + 1
        assert after.socket_queries == before.socket_queries


def test_a_daemon_that_was_restarted_is_found_again(folder):
    with daemon_with_socket() as daemon, stagedoor.connect(daemon.address) as client:
        with client.open(folder / "shot.usda") as stage:
            await_socket(client, stage[_RADIUS].get)
            daemon.stop()
            daemon.start()
            assert stage[_RADIUS].get() == 3.0  # over gRPC, with a new lease
            await_socket(client, stage[_RADIUS].get)


def test_daemons_without_a_socket_are_asked_over_grpc(tmp_path, folder):
    running = Daemon(tmp_path, address=f"unix:/tmp/sd-{os.getpid()}.sock")
    try:
        with stagedoor.connect(running.address) as client, client.open(folder / "shot.usda") as s:
            assert [s[_RADIUS].get() for _ in range(3)] == [3.0] * 3
            assert client.statistics == stagedoor.results.ClientStatistics(False, 0, 3)
    finally:
        running.stop()


def test_clients_with_credentials_do_not_use_the_socket(offering, near, folder):
    with stagedoor.connect(offering.address, token="t") as client:
        with client.open(folder / "shot.usda") as stage:
            for _ in range(20):
                stage[_RADIUS].get()
                time.sleep(0.005)
            assert client.statistics.socket_queries == 0


# ----------------------------------------------------------------------------------------- asyncio


def test_tasks_share_a_connection(offering, arrays):
    async def use() -> None:
        async with stagedoor.aio.connect(offering.address, array_cache_bytes=0) as client:
            stage = await client.open(arrays)
            await _await_socket(client, stage)
            before = client.statistics
            found = await asyncio.gather(*(stage["/P.x"].get(at) for at in range(500)))
            assert found == list(range(500))
            large = await asyncio.gather(*(stage["/P.b"].get(at % 3) for at in range(9)))
            assert [int(array[-1]) for array in large] == [0, 1, 2] * 3
            after = client.statistics
            assert after.socket_queries - before.socket_queries == 509
            assert after.grpc_queries == before.grpc_queries

    asyncio.run(use())


def test_cancelled_tasks_leave_the_connection_usable(offering, arrays):
    async def use() -> None:
        async with stagedoor.aio.connect(offering.address, array_cache_bytes=0) as client:
            stage = await client.open(arrays)
            await _await_socket(client, stage)
            for _ in range(20):
                task = asyncio.create_task(stage["/P.b"].get(1))
                await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            with stagedoor.call_options(timeout=1e-9), pytest.raises(stagedoor.DeadlineError):
                await stage["/P.x"].get(1)
            assert (await stage["/P.b"].get(2) == 2).all()
            assert client.statistics.query_socket

    asyncio.run(use())


def test_a_client_has_a_connection_in_each_loop(offering, arrays):
    client = stagedoor.aio.connect(offering.address)

    async def use() -> None:
        async with await client.open(arrays) as stage:
            await _await_socket(client, stage)
            assert await stage["/P.x"].get(5) == 5.0

    asyncio.run(use())
    asyncio.run(use())
    asyncio.run(client.close())


async def _await_socket(client: stagedoor.aio.Client, stage: stagedoor.aio.Stage) -> None:
    deadline = time.monotonic() + 60
    while not client.statistics.query_socket:
        assert time.monotonic() < deadline
        await stage["/P.x"].get(0)
        await asyncio.sleep(0.005)


# ------------------------------------------------------------------------ daemons not to be trusted


def _packed(place: dict[str, int] | None, count: int) -> Any:
    packed = {"component_type": 3, "shape": 1, "rows": 1, "columns": 1, "count": count}
    value = v1.Value(array_value=v1.PackedValues(**packed, segment=place))
    column = v1.ValueColumn(type_name="int[]", values=[value])
    return v1.BatchGetValuesResponse(snapshot="s1", path_count=1, time_count=1, columns=[column])


def _segment(size: int, *, sealed: bool = True) -> int:
    descriptor = os.memfd_create("test", os.MFD_ALLOW_SEALING)
    os.truncate(descriptor, size)
    if sealed:
        fcntl.fcntl(descriptor, _F_ADD_SEALS, _SEAL_SHRINK)
    return descriptor


def _answers_with(side: FakeSide, announced: int, descriptors: tuple[int, ...], reply: Any) -> None:
    side.begin()
    query = side.await_query()
    if query is None:
        return
    frame = {"new_segment": v1.NewSegment(segment_id=1, size=announced)}
    side.send(frame, descriptors=descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    side.answer(query, reply)
    side.receive()


def _half(side: FakeSide) -> None:
    side.begin()
    side.await_query()
    side.send_bytes((1000).to_bytes(4, "little") + b"half")


def _endless(side: FakeSide) -> None:
    side.begin()
    side.await_query()
    side.send_bytes(b"\xff\xff\xff\xff")
    side.receive()


def _garbage(side: FakeSide) -> None:
    side.begin()
    side.await_query()
    side.send_bytes((4).to_bytes(4, "little") + b"\xff\xff\xff\xff")
    side.receive()


def _goodbye(side: FakeSide) -> None:
    side.begin()
    side.await_query()
    side.send({"goodbye": v1.Goodbye(reason=v1.ItemStatus(code=14))})
    side.receive()


def _busy(side: FakeSide) -> None:
    side.begin()
    query = side.await_query()
    if query is not None:
        error = v1.ItemStatus(code=8, message="no")
        side.send({"answer": v1.Answer(request_id=query.request_id, error=error)})
    side.receive()


_PLACE = {"segment_id": 1, "offset": 0, "size": 4096, "generation": 1}

HOSTILE: dict[str, Callable[[FakeSide], None]] = {
    "no window": lambda side: None,
    "half a message": _half,
    "a message of 4 GiB": _endless,
    "garbage": _garbage,
    "goodbye": _goodbye,
    "busy": _busy,
    "no descriptor": lambda s: _answers_with(s, 4096, (), _packed(_PLACE, 1024)),
    "unsealed": lambda s: _answers_with(
        s, 4096, (_segment(4096, sealed=False),), _packed(_PLACE, 1024)
    ),
    "shorter than announced": lambda s: _answers_with(
        s, 8192, (_segment(4096),), _packed(_PLACE, 1024)
    ),
    "beyond the segment": lambda s: _answers_with(
        s, 4096, (_segment(4096),), _packed({**_PLACE, "offset": 4000}, 1024)
    ),
    "offset of 2^64 - 1": lambda s: _answers_with(
        s, 4096, (_segment(4096),), _packed({**_PLACE, "offset": 2**64 - 1}, 1024)
    ),
    "unknown segment": lambda s: _answers_with(
        s, 4096, (_segment(4096),), _packed({**_PLACE, "segment_id": 2}, 1024)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_true_is_asked_over_grpc(name):
    with fake_daemon(HOSTILE[name], BatchGetValues=lambda *_: number(5.0)) as daemon:
        with stagedoor.connect(daemon.address) as client:
            stage = client.open("/a.usda")
            deadline = time.monotonic() + 30
            for _ in range(200):
                assert stage["/A.x"].get() == 5.0
                if client._sight.link is not None or time.monotonic() > deadline:
                    break
                time.sleep(0.005)
            for _ in range(3):
                assert stage["/A.x"].get() == 5.0
            assert client.statistics.socket_queries == 0


@pytest.mark.parametrize("name", HOSTILE)
def test_tasks_ask_over_grpc_what_cannot_be_true(name):
    async def use(address: str) -> None:
        async with stagedoor.aio.connect(address) as client:
            stage = await client.open("/a.usda")
            for _ in range(10):
                assert await stage["/A.x"].get() == 5.0
                await asyncio.sleep(0.005)
            assert client.statistics.socket_queries == 0

    with fake_daemon(HOSTILE[name], BatchGetValues=lambda *_: number(5.0)) as daemon:
        asyncio.run(use(daemon.address))


def test_a_place_of_another_size_than_its_array_is_an_error():
    def serve(side: FakeSide) -> None:
        _answers_with(side, 4096, (_segment(4096),), _packed(_PLACE, 7))

    with fake_daemon(serve, BatchGetValues=lambda *_: number(5.0)) as daemon:
        with stagedoor.connect(daemon.address) as client:
            stage = client.open("/a.usda")
            with pytest.raises(stagedoor.Error, match="an array of 7 elements has 4096 bytes"):
                await_socket(client, stage["/A.x"].get)
                stage["/A.x"].get()


def test_queries_beyond_the_window_travel_over_grpc():
    asked = threading.Event()
    go_on = threading.Event()

    def serve(side: FakeSide) -> None:
        side.begin(queries=1)
        while (query := side.await_query()) is not None:
            asked.set()
            go_on.wait(30)
            side.answer(query, number(1.0))

    with fake_daemon(serve, BatchGetValues=lambda *_: number(5.0)) as daemon:
        with stagedoor.connect(daemon.address) as client:
            stage = client.open("/a.usda")
            while client._sight.link is None:
                stage["/A.x"].get()
            found: list[Any] = []
            first = threading.Thread(target=lambda: found.append(stage["/A.x"].get()))
            first.start()
            assert asked.wait(30)
            assert stage["/A.x"].get() == 5.0
            go_on.set()
            first.join(30)
            assert found == [1.0]


# ------------------------------------------------------------------------------------------- frames


def _request(*paths: str, snapshot: str = "", handle: str = "h") -> Any:
    stage = v1.StageRef(handle=handle, snapshot=snapshot)
    return v1.BatchGetValuesRequest(stage=stage, paths=paths)


def _kinds(frames: Any) -> list[str]:
    return [frame.WhichOneof("kind") for frame in frames.frames]


def test_stages_and_paths_are_bound_once():
    numbers = QueryNumbers()
    frames, query = numbers.frames(_request("/A.x", "/B.x", "/A.x"), 1)
    assert _kinds(frames) == ["bind_stage", "bind_paths", "query"]
    assert list(frames.frames[1].bind_paths.paths) == ["/A.x", "/B.x"]
    assert list(query.paths) == [0, 1, 0]
    frames, query = numbers.frames(_request("/B.x", "/C.x"), 2)
    assert _kinds(frames) == ["bind_paths", "query"]
    assert frames.frames[0].bind_paths.first == 2 and list(query.paths) == [1, 2]
    frames, _ = numbers.frames(_request("/B.x", snapshot="s"), 3)
    assert _kinds(frames) == ["bind_stage", "query"]
    frames, query = numbers.frames(_request("/B.x", handle="other"), 4)
    assert _kinds(frames) == ["bind_stage", "bind_paths", "query"] and query.stage == 1


def test_too_many_paths_are_forgotten_on_both_sides():
    numbers = QueryNumbers(max_paths=2)
    numbers.frames(_request("/A.x", "/B.x"), 1)
    frames, query = numbers.frames(_request("/C.x"), 2)
    assert _kinds(frames) == ["unbind", "bind_stage", "bind_paths", "query"]
    assert query.stage == 0 and list(query.paths) == [0]


def test_messages_may_arrive_in_any_parts():
    window = v1.ServerFrames(frames=[v1.ServerFrame(window=v1.Window(queries=3))])
    answers = v1.ServerFrames(
        frames=[
            v1.ServerFrame(answer=v1.Answer(request_id=i, values=number(float(i)))) for i in (2, 1)
        ]
    )
    messages = [window.SerializeToString(), b"", answers.SerializeToString()]
    stream = b"".join(len(m).to_bytes(4, "little") + m for m in messages)
    for step in (1, 3, len(stream)):
        channel = QueryChannel()
        channel.receive(stream[:8])
        flights = [Flight(None), Flight(None)]
        channel.window = 3
        assert all(channel.ask(_request("/A.x"), 1.5, flight) for flight in flights)
        for at in range(8, len(stream), step):
            channel.receive(stream[at : at + step])
        assert [flight.outcome.columns[0].doubles[0] for flight in flights] == [1.0, 2.0]
        assert not channel.broken and not channel.flights
