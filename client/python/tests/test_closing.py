"""Closing stages and clients, pickling them, and asyncio clients in several event loops."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import signal
import threading
import time
import weakref

import numpy as np
import pytest
from fake import FakeDaemon, number

import stagedoor
from stagedoor.aio._connection import _keep_leases


def hang(_: object, context: object) -> None:
    """Answers a call when its client has given up."""
    while context.is_active():  # type: ignore[attr-defined]
        time.sleep(0.02)


# The time limit of closing, in seconds: it takes at most two, and the machine may be busy.
LIMIT = 8


def seconds(function: object) -> float:
    begin = time.monotonic()
    function()  # type: ignore[operator]
    return time.monotonic() - begin


def test_closing_is_bounded_if_the_daemon_hangs():
    with FakeDaemon(CloseStage=hang, RenewLease=hang) as daemon:
        client = stagedoor.connect(daemon.address)
        stages = [client.open("/x.usda") for _ in range(5)]
        assert seconds(stages[0].close) < LIMIT
        assert seconds(client.close) < LIMIT
        assert daemon.calls.count("CloseStage") == 5
        stage = stagedoor.open("/x.usda", daemon.address)
        assert seconds(stage.close) < LIMIT
        with pytest.raises(ValueError, match="client is closed"):
            stage._client.stages()


def test_closing_is_bounded_while_a_lease_is_renewed():
    renewing = threading.Event()

    def renew(request: object, context: object) -> None:
        renewing.set()
        hang(request, context)

    with FakeDaemon(CloseStage=hang, RenewLease=renew) as daemon:
        client = stagedoor.connect(daemon.address, lease_ttl=0.2)
        client.open("/x.usda")
        stage = client.open("/x.usda")
        assert renewing.wait(30)
        assert seconds(client.close) < LIMIT
        assert stage._session.closed


@pytest.mark.parametrize("asynchronous", [False, True])
def test_block_ends_soon_if_the_process_of_the_daemon_is_stopped(own_daemon, folder, asynchronous):
    process = own_daemon._process.pid

    def use() -> None:
        with stagedoor.open(folder / "shot.usda", own_daemon.address) as stage:
            assert stage["/World/Types.double"].get() == 2.5
            os.kill(process, signal.SIGSTOP)

    async def use_async() -> None:
        path = folder / "shot.usda"
        async with await stagedoor.aio.open(path, own_daemon.address) as stage:
            assert await stage["/World/Types.double"].get() == 2.5
            os.kill(process, signal.SIGSTOP)

    begin = time.monotonic()
    if asynchronous:
        asyncio.run(use_async())
    else:
        use()
    assert time.monotonic() - begin < LIMIT  # it was 60, the deadline of the client


def test_closing_raises_no_errors(own_daemon, folder):
    stage = stagedoor.open(folder / "shot.usda", own_daemon.address)
    other = stagedoor.open(folder / "shot.usda", own_daemon.address)
    own_daemon.stop()
    assert seconds(stage.close) < LIMIT
    stage.close()

    def fails() -> str:
        raise RuntimeError("no token")

    object.__setattr__(other._client.options, "token", fails)
    other._client._endpoint._authorization._token = fails
    other.close()


# ---------------------------------------------------------------------------------------- asyncio


def test_asyncio_client_works_in_one_loop_after_the_other(daemon, folder):
    client = stagedoor.aio.connect(daemon.address)

    async def first() -> object:
        stage = await client.open(folder / "shot.usda")
        assert await stage["/World/Types.double"].get() == 2.5
        return stage

    async def second(stage: object) -> None:
        assert await stage["/World/Types.double"].get() == 2.5  # type: ignore[index]
        with_edits = stage["/World/Types.double"]  # type: ignore[index]
        await asyncio.gather(*(with_edits.set(value) for value in (3.0, 4.0)))
        assert "World" in [p.name async for p in stage.traverse()]  # type: ignore[attr-defined]
        assert client._state().keeper is not None
        await client.close()

    stage = asyncio.run(first())
    asyncio.run(second(stage))


def test_asyncio_client_works_in_two_loops_at_once(daemon, folder):
    client = stagedoor.aio.connect(daemon.address)
    both = threading.Barrier(2)

    async def use() -> None:
        stage = await client.open(folder / "shot.usda")
        both.wait(30)
        assert await stage["/World/Types.double"].get() == 2.5

    other = threading.Thread(target=lambda: asyncio.run(use()))
    other.start()
    asyncio.run(use())
    other.join()
    asyncio.run(client.close())


def test_keeper_of_leases_ends_although_it_is_woken_at_the_same_moment():
    async def use() -> bool:
        client = stagedoor.aio.connect("127.0.0.1:1")
        wake = asyncio.Event()
        keeper = asyncio.create_task(_keep_leases(weakref.ref(client), wake))
        while not wake._waiters:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        wake.set()
        keeper.cancel()
        await asyncio.wait({keeper}, timeout=LIMIT)
        await client.close()
        return keeper.cancelled()

    assert asyncio.run(use())


def test_asyncio_closing_is_bounded_if_the_daemon_hangs():
    with FakeDaemon(CloseStage=hang, BatchGetValues=lambda *_: number(2.0)) as daemon:

        async def use() -> float:
            client = stagedoor.aio.connect(daemon.address)
            for _ in range(3):
                stage = await client.open("/x.usda")
            begin = time.monotonic()
            await stage.close()
            await client.close()
            return time.monotonic() - begin

        assert asyncio.run(use()) < LIMIT


# ------------------------------------------------------------------------------------------ pickle


def test_handles_cannot_be_pickled_and_say_what_to_do(stage, client, daemon, folder):
    opened = f"stagedoor.open('{folder}/shot.usda', '{daemon.address}')"
    for thing, again in (
        (client, f"stagedoor.connect('{daemon.address}')"),
        (stage, opened),
        (stage["/World"], f"{opened}['/World']"),
        (stage["/World/Types.wave"], f"{opened}['/World/Types'].attribute('wave')"),
        (stage["/World"].relationship("proxyPrim"), "['/World'].relationship('proxyPrim')"),
    ):
        with pytest.raises(TypeError, match="cannot be pickled") as info:
            pickle.dumps(thing)
        assert again in str(info.value)
        if thing is not client and thing is not stage:
            found = eval(again if again.startswith("stagedoor") else opened + again)
            assert found == thing or found.path == thing.path
            (found.stage if isinstance(found, stagedoor.Prim) else found.prim.stage).close()
    assert copy.copy(stage["/World"]) == copy.deepcopy(stage["/World"]) == stage["/World"]


def test_asyncio_handles_cannot_be_pickled(daemon, folder):
    async def use() -> None:
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            for thing in (stage, stage["/World"], stage._client):
                with pytest.raises(TypeError, match=r"in the other process use stagedoor\.aio\."):
                    pickle.dumps(thing)

    asyncio.run(use())


def test_results_are_pickled(stage):
    values = stage.values(["/World/Types.wave", "/World/Static.points", "/Nope.x"], [1, 2])
    again = pickle.loads(pickle.dumps(values))
    assert again["/World/Types.wave"] == values["/World/Types.wave"]
    assert np.array_equal(again["/World/Static.points", 1], values["/World/Static.points", 1])
    table = stage.transforms(["/World", "/Nope"])
    again = pickle.loads(pickle.dumps(table))
    assert list(again) == ["/World"] and isinstance(again.errors["/Nope"], stagedoor.NotFoundError)
