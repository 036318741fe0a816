"""Long lists of paths, which are sent once and named afterwards."""

from __future__ import annotations

import asyncio
import pathlib
import re
import threading
from typing import Any

import grpc
import numpy as np
import pytest
from daemon import Daemon
from fake import FakeDaemon, fail

import stagedoor
from stagedoor import _path_sets
from stagedoor._path_sets import PathSets
from stagedoor._proto import v1

PATHS = [f"/World/S{i:04}" for i in range(1000)]
SPHERES = [f"/World/Sizes/S{i:03}" for i in range(200)] + ["/Nope"]
RADII = [f"{path}.radius" for path in SPHERES]


class NamingDaemon(FakeDaemon):
    """A daemon that names lists, and answers ComputeVisibility about them."""

    def __init__(self, **handlers: Any) -> None:
        self.lists: dict[bytes, list[str]] = {}
        self.asked: list[tuple[int, bytes]] = []  # the number of paths sent, and the name
        self.lock = threading.Lock()
        handlers = {"DefinePaths": self.define, "ComputeVisibility": self.answer, **handlers}
        super().__init__(**handlers)

    def define(self, request: Any, _: Any) -> Any:
        with self.lock:
            name = bytes([len(self.lists)] * 16)
            self.lists[name] = list(request.paths)
        return v1.DefinePathsResponse(path_set=name)

    def answer(self, request: Any, context: grpc.ServicerContext) -> Any:
        self.asked.append((len(request.paths), request.path_set))
        paths = list(request.paths)
        if request.path_set:
            if request.path_set not in self.lists:
                return fail(context, grpc.StatusCode.NOT_FOUND, "PATH_SET_UNKNOWN")
            paths = self.lists[request.path_set]
        return visible(paths)


def visible(paths: list[str]) -> Any:
    """Paths that end with a digit above 4 are invisible."""
    reply = v1.ComputeVisibilityResponse(snapshot="s1")
    reply.visibility.extend(2 if path[-1] > "4" else 1 for path in paths)
    reply.purpose.extend([1] * len(paths))
    return reply


def test_list_is_named_when_it_is_sent_for_the_second_time():
    with NamingDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        first = stage.visibility(PATHS)
        for paths in (PATHS, list(PATHS), tuple(PATHS)):  # the content counts
            again = stage.visibility(paths)
            assert repr(list(again.items())) == repr(list(first.items()))
        assert [count for count, _ in daemon.asked] == [1000, 0, 0, 0]
        assert daemon.calls.count("DefinePaths") == 1
        assert first["/World/S0003"].visible != first["/World/S0007"].visible


def test_changed_list_is_another_one():
    with NamingDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        paths = list(PATHS)
        for _ in range(2):
            stage.visibility(paths)
        paths[3] = "/World/S0009x7"
        found = stage.visibility(paths)
        assert "/World/S0009x7" in found and "/World/S0003" not in found
        assert [count for count, _ in daemon.asked] == [1000, 0, 1000]


def test_short_lists_are_sent():
    with NamingDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        for _ in range(3):
            stage.visibility(PATHS[:999])
        assert daemon.asked == [(999, b"")] * 3


def test_forgotten_list_is_named_again():
    with NamingDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        for _ in range(2):
            stage.visibility(PATHS)
        daemon.lists.clear()
        assert len(stage.visibility(PATHS)) == 1000
        assert daemon.calls.count("DefinePaths") == 2
        assert [count for count, _ in daemon.asked] == [1000, 0, 0, 0]


def test_daemon_that_always_forgets_gets_the_paths():
    def forgetful(request: Any, context: grpc.ServicerContext) -> Any:
        if request.path_set:
            return fail(context, grpc.StatusCode.NOT_FOUND, "PATH_SET_UNKNOWN")
        return visible(list(request.paths))

    with NamingDaemon(ComputeVisibility=forgetful) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            for _ in range(2):
                assert len(stage.visibility(PATHS)) == 1000


def test_daemon_without_path_sets_gets_the_paths():
    def define(_: Any, context: grpc.ServicerContext) -> Any:
        context.abort(grpc.StatusCode.UNIMPLEMENTED, "no such method")

    with NamingDaemon(DefinePaths=define) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            for _ in range(4):
                assert len(stage.visibility(PATHS)) == 1000
        assert daemon.calls.count("DefinePaths") == 1
        assert daemon.asked == [(1000, b"")] * 4


def test_replica_that_ignores_path_sets_gets_the_paths():
    """One that is older than the one that has named the list."""

    def ignorant(request: Any, _: Any) -> Any:
        return visible(list(request.paths))

    with NamingDaemon(ComputeVisibility=ignorant) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            for _ in range(3):
                assert len(stage.visibility(PATHS)) == 1000
        assert daemon.calls.count("ComputeVisibility") == 4


def test_refused_list_is_sent():
    def define(_: Any, context: grpc.ServicerContext) -> Any:
        return fail(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "BUDGET_EXHAUSTED")

    with NamingDaemon(DefinePaths=define) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            for _ in range(3):
                assert len(stage.visibility(PATHS)) == 1000
        assert daemon.calls.count("DefinePaths") == 1


def test_lists_are_named_once_for_all_stages_and_threads_of_a_client():
    with NamingDaemon() as daemon, stagedoor.connect(daemon.address) as client:
        stages = [client.open("/x.usda"), client.open("/y.usda")]
        for stage in stages:
            stage.visibility(PATHS)
        found: list[int] = []
        threads = [
            threading.Thread(target=lambda s=stage: found.append(len(s.visibility(PATHS))))
            for stage in stages * 4
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [1000] * 8
        assert sum(count for count, _ in daemon.asked) == 1000
        assert daemon.calls.count("DefinePaths") == 1


def test_asynchronous_clients_name_lists():
    async def ask(address: str) -> None:
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            for _ in range(3):
                assert len(await stage.visibility(PATHS)) == 1000

    with NamingDaemon() as daemon:
        asyncio.run(ask(daemon.address))
        assert [count for count, _ in daemon.asked] == [1000, 0, 0]


def test_what_is_remembered_of_lists_is_bounded(monkeypatch):
    monkeypatch.setattr(_path_sets, "_MAX_SENT", 2)
    monkeypatch.setattr(_path_sets, "_MAX_SIZE", 4000)
    sets = PathSets()
    lists = [sets.look([f"/{letter}"] * 1000) for letter in "abc"]
    assert [sets.seen(some) for some in lists] == [False] * 3
    assert [sets.seen(some) for some in reversed(lists)] == [True, True, False]
    for some in lists:
        sets.set_name(some, b"name")
    assert [sets.name(some) for some in lists] == [None, b"name", b"name"]
    assert sets.size == 4000
    for some in lists:
        sets.forget(some)
    assert sets.size == 0 and sets.name(lists[1]) is None


def test_lists_with_the_same_hash_are_not_taken_for_each_other():
    sets = PathSets()
    one, other = (sets.look([f"/{letter}"] * 1000) for letter in "ab")
    other.hash = one.hash
    sets.set_name(one, b"name")
    assert sets.name(other) is None and sets.name(one) == b"name"
    sets.set_name(other, b"another")
    assert sets.name(one) is None and sets.size == 2000


def test_named_lists_are_counted_once(monkeypatch):
    sets = PathSets()
    first, second = (sets.look([*PATHS, PATHS[0]]) for _ in range(2))
    sets.set_name(first, b"name")
    assert first.distinct == 1000 and sets.name(second) == b"name"
    monkeypatch.setattr(_path_sets, "set", None, raising=False)
    assert second.distinct == 1000


def test_paths_that_are_not_utf8_are_named_in_the_error():
    with NamingDaemon() as daemon, stagedoor.open("/x.usda", daemon.address) as stage:
        for _ in range(2):
            with pytest.raises(stagedoor.Error, match="UTF-8"):
                stage.visibility(["/\udc80", *PATHS])


def test_each_method_whose_paths_may_be_named_is_known():
    package = pathlib.Path(stagedoor.__file__).parent
    sources = "".join(path.read_text(encoding="utf-8") for path in package.glob("*.py"))
    assert set(re.findall(r'ask_about\(\s*"(\w+)"', sources)) == set(_path_sets._ANSWERED)


# --------------------------------------------------------------------------- with a real daemon


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of two paths are named."""
    monkeypatch.setattr(_path_sets, "MIN_PATHS", 2)


def all_answers(stage: stagedoor.Stage) -> str:
    """What the daemon says about lists of paths, by all methods that name them."""
    values = stage.values(RADII, [1, 2])
    return repr(
        [
            values.states() if hasattr(values, "states") else None,
            [values.get(path, time, None) for path in RADII[:-1] for time in (1, 2)],
            [values.error(RADII[-1], 1)],
            [(s.path, s.times, s.values) for s in stage.samples(RADII[:-1], (1, 3))],
            [list(table.items()) for table in tables(stage)],
            [sorted(table.errors) for table in tables(stage)],
        ]
    )


def tables(stage: stagedoor.Stage) -> list[Any]:
    return [
        stage.transforms(SPHERES, [1, 2]),
        stage.transforms(SPHERES, 1, local=True),
        stage.bounds(SPHERES, 1),
        stage.models(SPHERES),
        stage.visibility(SPHERES, [1, 2]),
        stage.primvars(SPHERES, 1),
        stage.bound_materials(SPHERES),
        stage.material_networks(SPHERES, 1),
        stage.light_sets(SPHERES),
        stage.labels(SPHERES, [1, 2]),
        stage.collider_groups(SPHERES),
    ]


def test_answers_about_named_lists_are_the_same(stage, calls, few, monkeypatch):
    first = all_answers(stage)
    assert all_answers(stage) == first
    calls.take()
    assert all_answers(stage) == first
    requests = list(calls.requests)
    assert calls.take().count("DefinePaths") == 0, "they were named before"
    asked = [request for request in requests if hasattr(request, "path_set")]
    assert len(asked) >= 14 and all(request.path_set for request in asked)
    assert sum(request.ByteSize() for request in asked) < 5000
    monkeypatch.setattr(_path_sets, "MIN_PATHS", 10_000)
    assert all_answers(stage) == first


def test_lists_are_named_again_after_an_eviction_and_a_restart(own_daemon, folder, few):
    with stagedoor.open(folder / "shot.usda", own_daemon.address) as stage:
        wanted = [repr(stage.visibility(SPHERES)) for _ in range(2)]
        evict = v1.EvictCachesRequest(caches=[v1.CacheKind.Value("CACHE_KIND_PATH_SETS")])
        client = stage._client
        client.run(one("EvictCaches", evict))
        assert repr(stage.visibility(SPHERES)) == wanted[0]
        own_daemon.stop()
        own_daemon.start()
        for _ in range(2):
            assert repr(stage.visibility(SPHERES)) == wanted[0]


def one(method: str, request: Any) -> Any:
    return (yield stagedoor._calls.call(method, request))


def test_list_that_a_daemon_does_not_keep_is_sent_in_parts(tmp_path, folder):
    daemon = Daemon(tmp_path, "--max-request-bytes=20000")
    try:
        with stagedoor.open(folder / "shot.usda", daemon.address) as stage:
            paths = SPHERES[:-1] * 10
            for _ in range(3):
                assert np.all(stage.values([f"{p}.radius" for p in paths], 1).array() >= 0)
                assert len(stage.transforms(paths)) == 200
    finally:
        daemon.stop()
