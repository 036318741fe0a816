from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from fake import FakeDaemon, fail, number

import stagedoor
import stagedoor.aio
from stagedoor import _joined
from stagedoor._calls import call
from stagedoor._proto import v1

_PATHS = ["/World/Types.wave", "/World/Sizes/S003.radius", "/World/Types.nope", "/World/Nobody.x"]


def _request(path: str, time: float, **fields: Any) -> Any:
    request = v1.BatchGetValuesRequest(stage=v1.StageRef(handle="h"), paths=[path], **fields)
    request.times.frames.append(time)
    return call("BatchGetValues", request)


def test_replies_are_those_that_each_query_gets_by_itself(client, stage):
    paths = [a.path for prim in stage.traverse() for a in prim.attributes][:300] + _PATHS
    made = []
    for path in paths:
        request = v1.BatchGetValuesRequest(stage=stage._session.ref(), paths=[path])
        request.times.frames.append(2.5)
        made.append(call("BatchGetValues", request))
    parts = _joined.split(client._ask(_joined.join(made)), len(made))
    for one, part in zip(made, parts):
        alone = client._ask(one)
        assert part == alone, one.request


def test_only_queries_for_one_value_are_joined():
    key = _joined.key_of(_request("/A.x", 1), 60)
    assert key is not None and key == _joined.key_of(_request("/B.x", 2), 60)
    assert key != _joined.key_of(_request("/A.x", 1), 30)
    assert key != _joined.key_of(_request("/A.x", 1, with_sources=True), 60)
    assert _joined.key_of(_request("/A.x", 1, paired=True), 60) is None
    other = _request("/A.x", 1)
    other.request.times.frames.append(2)
    assert _joined.key_of(other, 60) is None
    ranges = call("BatchGetValues", v1.BatchGetValuesRequest(paths=["/A.x"]))
    ranges.request.times.ranges.append("1:48")
    assert _joined.key_of(ranges, 60) is None
    assert _joined.key_of(call("GetStage", v1.GetStageRequest()), 60) is None
    with stagedoor.call_options(request_id="frame-12"):
        assert _joined.key_of(_request("/A.x", 1), 60) is None


@pytest.mark.parametrize("field", ["path_count", "states", "item", "values"])
def test_replies_that_do_not_fit_are_refused(field):
    reply = v1.BatchGetValuesResponse(path_count=2, time_count=1)
    column = reply.columns.add(type_name="double", doubles=[1, 2])
    assert [part.columns[0].doubles[0] for part in _joined.split(reply, 2)] == [1, 2]
    if field == "path_count":
        reply.path_count = 3
    elif field == "states":
        reply.states.append(1)
    elif field == "item":
        column.items.extend([0, 2])
    else:
        column.doubles.append(3)
    with pytest.raises(stagedoor.Error, match="inconsistent"):
        _joined.split(reply, 2)


class _Held:
    """A handler of BatchGetValues whose first call waits until the test lets it end."""

    def __init__(self, bad: str = "") -> None:
        self.asked: list[list[str]] = []
        self.first_is_in = threading.Event()
        self.go_on = threading.Event()
        self.bad = bad

    def __call__(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.asked.append(list(request.paths))
        if len(self.asked) == 1:
            self.first_is_in.set()
            self.go_on.wait(30)
        if self.bad and self.bad in request.paths:
            return fail(context, grpc.StatusCode.INVALID_ARGUMENT, "INVALID_PATH")
        reply = v1.BatchGetValuesResponse(snapshot="s1", path_count=len(request.paths))
        reply.time_count = 1
        reply.columns.add(type_name="double", doubles=[float(p[2:-2]) for p in request.paths])
        return reply


@pytest.fixture
def wide_window(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Queries gather until the call in flight has ended, however long that takes."""
    monkeypatch.setattr(_joined, "WINDOW", 60.0)
    yield


def _gathered(client: stagedoor.Client, count: int) -> bool:
    groups = list(client._joining._groups.values())
    return any(group.open is not None and len(group.open.queries) == count for group in groups)


def _ask_in_threads(held: _Held, count: int = 10) -> list[Any]:
    found: list[Any] = [None] * count
    with FakeDaemon(BatchGetValues=held) as daemon, stagedoor.connect(daemon.address) as client:
        stage = client.open("/a.usda")

        def ask(i: int) -> None:
            try:
                found[i] = stage[f"/P{i}.x"].get(1)
            except stagedoor.Error as error:
                found[i] = error.reason

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(count)]
        threads[0].start()
        assert held.first_is_in.wait(30)
        for thread in threads[1:]:
            thread.start()
        while not _gathered(client, count - 1):
            pass
        held.go_on.set()
        for thread in threads:
            thread.join(60)
        assert client.statistics.grpc_queries == len(held.asked)
    return found


def test_queries_of_threads_travel_together(wide_window):
    held = _Held()
    assert _ask_in_threads(held) == [float(i) for i in range(10)]
    assert [len(paths) for paths in held.asked] == [1, 9]


def test_a_query_that_fails_does_not_fail_the_others(wide_window):
    held = _Held(bad="/P7.x")
    found = _ask_in_threads(held)
    assert found == [float(i) if i != 7 else "INVALID_PATH" for i in range(10)]


def test_queries_of_tasks_travel_together(wide_window):
    held = _Held()

    async def use(address: str) -> None:
        async with stagedoor.aio.connect(address) as client:
            stage = await client.open("/a.usda")
            tasks = [asyncio.create_task(stage[f"/P{i}.x"].get(1)) for i in range(10)]
            await asyncio.get_running_loop().run_in_executor(None, held.first_is_in.wait, 30)
            tasks[4].cancel()
            held.go_on.set()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(found.pop(4), asyncio.CancelledError)
            assert found == [float(i) for i in range(10) if i != 4]
            assert client.statistics.grpc_queries == 2

    with FakeDaemon(BatchGetValues=held) as daemon:
        asyncio.run(use(daemon.address))
    assert [len(paths) for paths in held.asked] == [1, 8]


def test_tasks_get_the_errors_of_their_own_queries(wide_window):
    held = _Held(bad="/P7.x")

    async def use(address: str) -> None:
        async with stagedoor.aio.connect(address) as client:
            stage = await client.open("/a.usda")
            tasks = [asyncio.create_task(stage[f"/P{i}.x"].get(1)) for i in range(10)]
            await asyncio.get_running_loop().run_in_executor(None, held.first_is_in.wait, 30)
            held.go_on.set()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            assert isinstance(found.pop(7), stagedoor.InvalidArgumentError)
            assert found == [float(i) for i in range(10) if i != 7]

    with FakeDaemon(BatchGetValues=held) as daemon:
        asyncio.run(use(daemon.address))


def test_without_coalescing_each_query_is_a_call():
    asked: list[str] = []

    def answer(request: Any, _: Any) -> Any:
        asked.extend(request.paths)
        return number(1.0)

    async def use(address: str) -> None:
        async with stagedoor.aio.connect(address, coalescing=False) as client:
            stage = await client.open("/a.usda")
            await asyncio.gather(*(stage[f"/P{i}.x"].get(1) for i in range(10)))
            assert client.statistics.grpc_queries == 10

    with FakeDaemon(BatchGetValues=answer) as daemon:
        asyncio.run(use(daemon.address))
    assert len(asked) == 10
