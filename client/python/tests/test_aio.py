from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import numpy as np
import pytest
import scenes
from fake import FakeDaemon, fail, fail_first, number

import stagedoor
import stagedoor.aio

SPHERE = "/World/Sizes/S003.radius"


@pytest.fixture
def run(daemon, folder) -> Callable[[Callable[[Any], Awaitable[Any]]], Any]:
    """Runs a coroutine function with an open stage."""

    def runner(function: Callable[[Any], Awaitable[Any]]) -> Any:
        async def with_stage() -> Any:
            async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
                return await function(stage)

        return asyncio.run(with_stage())

    return runner


def test_values(run):
    async def use(stage):
        assert await stage[SPHERE].get(1) == 3.0
        assert await stage["/World/Types"].wave.get(3) == 4.0
        assert await stage["/World/Types.blocked"].state() is stagedoor.State.BLOCKED
        values = await stage.values([SPHERE, "/World/Types.wave"], "1:3")
        assert values.array().tolist() == [[3, 3, 3], [0, 2, 4]]
        assert list(await stage["/World/Types.wave"].samples(2, 3)) == [(1.0, 0.0), (5.0, 8.0)]
        assert (await stage["/World/Types.wave"].time_samples).tolist() == [1, 5, 9]
        assert await stage["/World/Types.wave"].num_time_samples == 3
        assert (await stage["/World/Types.wave"].why(3)).interpolated
        with pytest.raises(stagedoor.NotFoundError):
            await stage["/World/Types.nope"].get()

    run(use)


def test_prims(run):
    async def use(stage):
        world = await stage.default_prim
        assert world.path == "/World" and await world.kind == "group"
        assert await world.type_name == "Xform" and await world.exists()
        assert not await stage["/Nope"].exists()
        assert [child.name for child in await world.children][:2] == ["Static", "Moving"]
        assert await world.is_a("Imageable")
        assert await world.relationship("proxyPrim").targets == ["/World/Static"]
        assert (await world.transform(1))[3].tolist() == [1, 2, 3, 1]
        assert [p.name async for p in stage.traverse(type="Mesh")] == ["Static", "Moving"]
        assert (await stage.bounds("/World", 1))["/World"].shape == (2, 3)
        assert (await stage.collections("/World"))[0].name == "set"

    run(use)


def test_loops_read_ahead(run, monkeypatch):
    async def use(stage):
        made = []
        original = stage._client._invoke

        async def counted(call):
            made.append(call.method.name)
            return await original(call)

        monkeypatch.setattr(stage._client, "_invoke", counted)
        radii = [await prim.radius.get(1) async for prim in stage.traverse(type="Sphere")]
        assert radii == [float(i) for i in range(200)] and len(made) <= 5

    run(use)


def test_edits_and_tools(run, tmp_path):
    async def use(stage):
        before = stage.snapshot
        await stage.set_session_layer(
            '#usda 1.0\nover "World"\n{\n over "Types"\n {\n  double double = 77\n }\n}\n'
        )
        assert stage.snapshot != before
        assert await stage["/World/Types.double"].get() == 77.0
        assert await stage.end_time_code == 48.0
        await stage.export(tmp_path / "out.usda")
        assert (tmp_path / "out.usda").read_text().startswith("#usda 1.0")
        assert b"#usda" in await stage.flatten()
        assert (await stage.warm(interval=(1, 2))).prims > 200
        layer = await stage._client.layer(stage.root_layer)
        assert layer["/World/Types.double"].fields["default"] == 2.5

    run(use)


def test_arrays_are_kept(run):
    async def use(stage):
        first = await stage["/World/Static.points"].get(1)
        assert first.shape == (scenes.COUNT, 3) and first.dtype == np.float32
        assert await stage["/World/Static.points"].get(2) is first

    run(use)


def test_many_calls_at_once(run):
    async def use(stage):
        calls = [stage[f"/World/Sizes/S{i:03}.radius"].get(1) for i in range(100)]
        assert await asyncio.gather(*calls) == [float(i) for i in range(100)]

    run(use)


def test_lost_lease_is_opened_again(own_daemon, folder):
    async def use():
        async with await stagedoor.aio.open(folder / "shot.usda", own_daemon.address) as stage:
            own_daemon.stop()
            own_daemon.start()
            assert await stage[SPHERE].get(1) == 3.0
            own_daemon.stop()
            own_daemon.start()
            assert [p.name async for p in stage.traverse(depth=0)]

    asyncio.run(use())


def test_retries_and_leases():
    def busy(request, context):
        return fail(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "BUDGET_EXHAUSTED", retry=0.01)

    async def use(address):
        client = stagedoor.aio.connect(address, max_attempts=3)
        stage = await client.open("/x.usda")
        assert await stage["/A.x"].get() == 1.0
        stage._session.used -= stage._session.ttl
        await client.renew_leases()
        with pytest.raises(ValueError, match="is closed"):
            await stage.close()
            await stage["/A.x"].get()
        await client.close()

    answers = fail_first(2, busy, lambda r, c: number(1))
    renewed = []
    with FakeDaemon(
        BatchGetValues=answers,
        RenewLease=lambda r, c: (
            renewed.append(r.handle) or stagedoor._proto.v1.RenewLeaseResponse()
        ),
    ) as daemon:
        asyncio.run(use(daemon.address))
        assert daemon.calls.count("BatchGetValues") == 3
        assert renewed == ["h"] and daemon.calls[-1] == "CloseStage"


def test_what_must_be_awaited_is_a_clear_error(run):
    async def use(stage):
        prim = stage["/World"]
        for handle in (prim, prim["x"], prim.relationship("x")):
            with pytest.raises(TypeError, match=r"await \w+\.exists\(\)"):
                bool(handle)
        for container in (prim, stage):
            with pytest.raises(TypeError):
                "x" in container  # noqa: B015
            with pytest.raises(TypeError):
                iter(container)

    run(use)


def test_edits_are_made_one_after_the_other():
    running, most = [], []

    def edit(request, context):
        running.append(request)
        time.sleep(0.02)
        most.append(len(running))
        running.pop()
        return stagedoor._proto.v1.MuteLayersResponse(snapshot="t")

    async def use(address):
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            await asyncio.gather(*(stage.mute(f"layer{i}") for i in range(4)))
            return list(stage._session.request.muted_layers)

    with FakeDaemon(MuteLayers=edit) as daemon:
        assert asyncio.run(use(daemon.address)) == [f"layer{i}" for i in range(4)]
    assert most == [1] * 4


def test_keeper_outlives_a_function_that_cannot_make_the_token():
    tokens = ["one"]

    async def use(address):
        client = stagedoor.aio.connect(address, token=lambda: tokens[0])
        stage = await client.open("/x.usda")
        tokens.clear()  # now the function raises an IndexError
        stage._session.used -= stage._session.ttl
        assert await client.renew_leases() > 0
        await client.close()

    with FakeDaemon() as daemon:
        asyncio.run(use(daemon.address))


def test_traversal_is_received_while_its_loop_is_busy():
    names = ["/A", "/B", "/C"]
    release = threading.Event()

    def prims(request, context):
        for name in names:
            yield stagedoor._proto.v1.TraverseResponse(snapshot="s1", prims=[{"path": name}])
            release.wait(30)

    async def use(address):
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            loop = stage.traverse()
            found = [(await loop.__anext__()).path]
            (reading,) = (t for t in asyncio.all_tasks() if t.get_name() == "stagedoor-read-ahead")
            release.set()
            await asyncio.wait({reading}, timeout=30)
            assert reading.done()
            return found + [prim.path async for prim in loop]

    with FakeDaemon(Traverse=prims) as daemon:
        assert asyncio.run(use(daemon.address)) == names


def test_cancelled_task_ends_its_call(run):
    async def use(stage):
        task = asyncio.ensure_future(stage[SPHERE].get(1))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await stage[SPHERE].get(1) == 3.0

    run(use)


# Both clients have one interface: the asynchronous classes have the members of the synchronous ones
# with equal parameters, except for the names of pxr.Usd and what Python cannot await.
# A task that iterates over watch takes the place of on_change.
NOT_IN_AIO = {
    "__bool__",
    "__contains__",
    "__iter__",
    "__enter__",
    "__exit__",
    "_repr_html_",
    "on_change",
}
PAIRS = [
    (stagedoor.Client, stagedoor.aio.Client),
    (stagedoor.Stage, stagedoor.aio.Stage),
    (stagedoor.Prim, stagedoor.aio.Prim),
    (stagedoor.Attribute, stagedoor.aio.Attribute),
    (stagedoor.Relationship, stagedoor.aio.Relationship),
]


@pytest.mark.parametrize(("sync", "other"), PAIRS, ids=lambda kind: kind.__name__)
def test_surfaces_are_the_same(sync, other):
    for name in dir(sync):
        if name in NOT_IN_AIO or name[0].isupper() or (name[0] == "_" and name[1] != "_"):
            continue
        assert hasattr(other, name), name
        mine, theirs = inspect.getattr_static(sync, name), inspect.getattr_static(other, name)
        assert isinstance(theirs, type(mine)), name
        if inspect.isfunction(mine):
            parameters = list(inspect.signature(mine).parameters.values())
            assert parameters == list(inspect.signature(theirs).parameters.values()), name


def test_functions_are_the_same():
    for name in ("connect", "open"):
        mine, theirs = getattr(stagedoor, name), getattr(stagedoor.aio, name)
        assert list(inspect.signature(mine).parameters) == list(
            inspect.signature(theirs).parameters
        )
