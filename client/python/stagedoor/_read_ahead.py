"""Reads the messages of a stream while the program is busy with earlier ones.

So the deadline of the call includes only the time that the daemon and the network need. The
messages that wait are in memory, so this is only for streams with small ones.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import AsyncIterator, Iterator
from typing import Any

from stagedoor._proto import Message


class _End(Exception):
    """The stream has ended without an error."""


def read_ahead(rpc: Any) -> Iterator[Message]:
    """The messages of a call, which a thread receives. It ends when the call is cancelled."""
    arrived: queue.SimpleQueue[Message | BaseException] = queue.SimpleQueue()

    def receive() -> None:
        try:
            for message in rpc:
                arrived.put(message)
        except BaseException as error:
            arrived.put(error)
        else:
            arrived.put(_End())

    threading.Thread(target=receive, name="stagedoor-read-ahead", daemon=True).start()
    while True:
        found = arrived.get()
        if isinstance(found, _End):
            return
        if isinstance(found, BaseException):
            raise found
        yield found


async def read_ahead_async(rpc: Any) -> AsyncIterator[Message]:
    """The messages of a call, which a task receives. It ends when the call is cancelled."""
    arrived: asyncio.Queue[Message | BaseException] = asyncio.Queue()

    async def receive() -> None:
        try:
            async for message in rpc:
                arrived.put_nowait(message)
        except BaseException as error:
            arrived.put_nowait(error)
        else:
            arrived.put_nowait(_End())

    task = asyncio.create_task(receive(), name="stagedoor-read-ahead")
    try:
        while True:
            found = await arrived.get()
            if isinstance(found, _End):
                return
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        task.cancel()
