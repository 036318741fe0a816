"""Watching stages: with a server that answers as a test says, and with a daemon."""

from __future__ import annotations

import asyncio
import pathlib
import queue
import threading
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from daemon import Daemon
from fake import FakeDaemon

import stagedoor
import stagedoor.aio
from stagedoor._proto import v1


def message(previous: str, snapshot: str, *resynced: str, **infos: list[str]) -> Any:
    changed = [
        v1.ChangedInfo(path=f"/{name.replace('__', '.')}", fields=fields)
        for name, fields in infos.items()
    ]
    return v1.WatchStageResponse(
        previous_snapshot=previous,
        snapshot=snapshot,
        resynced_paths=resynced,
        changed_infos=changed,
    )


class Script:
    """Answers each call of WatchStage with the next messages, and ends it with their error."""

    def __init__(self, *answers: tuple[list[Any], grpc.StatusCode]) -> None:
        self._answers = list(answers)
        self.requests: list[Any] = []

    def __call__(self, request: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        self.requests.append(request)
        messages, code = self._answers.pop(0)
        yield from messages
        context.abort(code, "")


def test_changes_say_what_they_affect() -> None:
    changes = stagedoor.Changes("a", "b", ("/A", "/B.x"), {"/C": ("kind",)})
    for path in ("/A", "/A/Child", "/A.x", "/B.x", "/C"):
        assert changes.affects(path), path
    for path in ("/", "/AB", "/B", "/B.xy", "/C.x", "/C/D"):
        assert not changes.affects(path), path
    assert stagedoor.Changes("a", "b", ("/",)).affects("/A.x")


def test_a_watch_continues_where_it_was_after_lost_connections() -> None:
    script = Script(
        ([message("s1", "s1"), message("s1", "s2", "/A")], grpc.StatusCode.UNAVAILABLE),
        ([message("s2", "s4", B__x=["default"])], grpc.StatusCode.DEADLINE_EXCEEDED),
        ([message("s4", "s4")], grpc.StatusCode.PERMISSION_DENIED),
    )
    with FakeDaemon(WatchStage=script) as fake, stagedoor.connect(fake.address) as client:
        stage = client.open("/a.usda")
        watch = stage.watch("/A", interval=0.5)
        assert next(watch) == stagedoor.Changes("s1", "s2", ("/A",), {})
        assert stage.snapshot == "s2"
        assert next(watch) == stagedoor.Changes("s2", "s4", (), {"/B.x": ("default",)})
        with pytest.raises(stagedoor.Error):
            next(watch)
    assert [request.stage.snapshot for request in script.requests] == ["s1", "s2", "s4"]
    assert script.requests[0].paths == ["/A"]
    assert script.requests[0].min_interval.ToMilliseconds() == 500


def test_a_watch_can_be_closed_while_it_waits() -> None:
    seen: queue.SimpleQueue[stagedoor.Changes] = queue.SimpleQueue()

    def wait(_: Any, context: grpc.ServicerContext) -> Iterator[Any]:
        yield message("s1", "s2", "/A")
        ended: queue.SimpleQueue[None] = queue.SimpleQueue()
        context.add_callback(lambda: ended.put(None))
        ended.get()

    with FakeDaemon(WatchStage=wait) as fake, stagedoor.connect(fake.address) as client:
        stage = client.open("/a.usda")
        subscription = stage.on_change(seen.put)
        assert seen.get(timeout=60).resynced_paths == ("/A",)
        assert subscription.alive
        subscription.close()
        subscription._thread.join(60)
        assert not subscription.alive
    assert seen.empty()


def test_closing_does_not_wait_for_a_callback_that_hangs() -> None:
    seen: queue.SimpleQueue[stagedoor.Changes] = queue.SimpleQueue()
    go_on = threading.Event()

    def hang(changes: stagedoor.Changes) -> None:
        seen.put(changes)
        go_on.wait(60)

    script = Script(
        ([message("s1", "s2", "/A"), message("s2", "s3", "/A")], grpc.StatusCode.UNAVAILABLE)
    )
    with FakeDaemon(WatchStage=script) as fake, stagedoor.connect(fake.address) as client:
        subscription = client.open("/a.usda").on_change(hang)
        seen.get(timeout=60)
        subscription.close()
        assert subscription.alive  # in the callback
        go_on.set()
        subscription._thread.join(60)
    assert seen.empty()  # the second change is not reported


def test_close_raises_the_error_of_a_callback() -> None:
    def fail(_: stagedoor.Changes) -> None:
        raise KeyError("callback")

    script = Script(([message("s1", "s2", "/A")], grpc.StatusCode.UNAVAILABLE))
    with FakeDaemon(WatchStage=script) as fake, stagedoor.connect(fake.address) as client:
        subscription = client.open("/a.usda").on_change(fail)
        subscription._thread.join(60)
        with pytest.raises(KeyError):
            subscription.close()


def test_edits_are_reported_by_the_daemon(daemon: Daemon, tmp_path: pathlib.Path) -> None:
    layer = '#usda 1.0\ndef "A" {\n  double x = 1\n}\n'
    (tmp_path / "a.usda").write_text(layer, encoding="utf-8")
    with stagedoor.connect(daemon.address) as client:
        mine = client.open(tmp_path / "a.usda", session="watch")
        yours = client.open(tmp_path / "a.usda", session="watch")
        attribute = mine["/A.x"]
        assert attribute.get() == 1
        with mine.watch() as watch:
            yours.set_session_layer('#usda 1.0\nover "A" {\n  double x = 2\n}\n')
            changes = next(watch)
        assert changes.resynced_paths == ("/A.x",)
        assert changes.snapshot == yours.snapshot == mine.snapshot
        assert attribute.get() == 2


def test_async_watch(daemon: Daemon, tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.usda").write_text('#usda 1.0\ndef "A" {\n}\n', encoding="utf-8")

    async def run() -> None:
        async with await stagedoor.aio.open(tmp_path / "a.usda", daemon.address) as stage:
            watch = stage.watch()
            await stage.set_session_layer('#usda 1.0\ndef "B" {\n}\n')
            await stage.set_session_layer('#usda 1.0\ndef "B" {\n}\ndef "C" {\n}\n')
            changes = await watch.__anext__()
            assert set(changes.resynced_paths) <= {"/B", "/C"}
            await watch.aclose()

    asyncio.run(run())
