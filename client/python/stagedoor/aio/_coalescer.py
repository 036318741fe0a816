"""Joins the queries that the tasks of an event loop make at the same moment."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Awaitable, Callable

from stagedoor import _joined
from stagedoor._calls import Call
from stagedoor._proto import Message
from stagedoor.errors import Error

_Query = tuple[Call, "asyncio.Future[Message | None]"]


class _Group:
    """The queries that may be joined with each other."""

    def __init__(self) -> None:
        self.calls = 0  # in flight
        self.large = False  # whether values of the latest reply were too large to join queries
        self.waiting: list[_Query] = []
        self.timer: asyncio.TimerHandle | None = None


class Coalescer:
    """Sends the queries of the tasks of an event loop, several in a call while one is in flight."""

    def __init__(self, ask: Callable[[Call], Awaitable[Message]]) -> None:
        self._ask = ask
        self._groups: dict[_joined.Key, _Group] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # which their loop does not keep alive

    async def run(self, made: Call, key: _joined.Key) -> Message:
        group = self._groups.setdefault(key, _Group())
        if group.large or (group.calls == 0 and not group.waiting):
            return await self._alone(made, key, group)
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message | None] = loop.create_future()
        group.waiting.append((made, future))
        if len(group.waiting) >= _joined.MAX_QUERIES:
            self._flush(key, group)
        elif group.timer is None:
            group.timer = loop.call_later(_joined.WINDOW, self._flush, key, group)
        reply = await future
        return reply if reply is not None else await self._ask(made)

    async def _alone(self, made: Call, key: _joined.Key, group: _Group) -> Message:
        group.calls += 1
        large = group.large
        try:
            reply = await self._ask(made)
            large = _joined.is_large(reply, 1)
            return reply
        finally:
            self._ended(key, group, large)

    def _flush(self, key: _joined.Key, group: _Group) -> None:
        """Sends the queries that wait, but those of tasks that were cancelled."""
        if group.timer is not None:
            group.timer.cancel()
            group.timer = None
        queries = [query for query in group.waiting if not query[1].done()]
        group.waiting = []
        group.calls += 1
        task = asyncio.get_running_loop().create_task(self._send(key, group, queries))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _send(self, key: _joined.Key, group: _Group, queries: list[_Query]) -> None:
        large = False
        error: Error | None = None
        parts: list[Message] = []
        try:
            if queries:
                reply = await self._ask(_joined.join([made for made, _ in queries]))
                large = _joined.is_large(reply, len(queries))
                parts = _joined.split(reply, len(queries))
        except Error as failed:
            error = failed if _joined.concerns_all(failed) else None
        finally:  # also if the task is cancelled with its loop: then the others ask by themselves
            self._ended(key, group, large)
            for index, (_, future) in enumerate(queries):
                if future.done():
                    continue
                if error is not None:
                    future.set_exception(copy.copy(error))
                else:
                    future.set_result(parts[index] if parts else None)

    def _ended(self, key: _joined.Key, group: _Group, large: bool) -> None:
        group.large = large
        group.calls -= 1
        if group.calls:
            return
        if group.waiting:
            self._flush(key, group)
        else:
            self._groups.pop(key, None)
