"""A query connection in an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket

from stagedoor._calls import SharedBytes
from stagedoor._proto import Message
from stagedoor._query_socket.channel import Flight, Outcome
from stagedoor._query_socket.connection import PATIENCE, QueryConnection, connect, late
from stagedoor._query_socket.sockets import receive, send


class _Awaited(Flight):
    """A query that a task awaits."""

    def __init__(self, shared: SharedBytes | None, future: asyncio.Future[None]) -> None:
        super().__init__(shared)
        self.future = future

    def end(self, outcome: Outcome) -> None:
        super().end(outcome)
        if not self.future.done():
            self.future.set_result(None)


class LoopLink(QueryConnection):
    """A connection to a query socket, for the tasks of the event loop that has made it.

    What tasks ask in one turn of the loop is sent together.
    """

    def __init__(self, connected: socket.socket, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(connected)
        self._loop = loop
        self._flush_due = False
        self._begun = loop.create_future()
        self._waits_to_send = False
        loop.add_reader(connected, self._read)

    @classmethod
    async def connect(cls, path: str) -> LoopLink | None:
        """A connection to the daemon that listens at a path; None if none answers there."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        if not connect(connected, path):
            return None
        link = cls(connected, asyncio.get_running_loop())
        await asyncio.wait({link._begun}, timeout=PATIENCE)
        return link._if_begun()

    async def ask(self, request: Message, seconds: float, shared: SharedBytes | None) -> Outcome:
        """Asks a BatchGetValuesRequest, and waits for the answer."""
        flight = _Awaited(shared, self._loop.create_future())
        if not self._channel.ask(request, seconds, flight):
            return None
        self._flush_soon()
        timer = self._loop.call_later(seconds, self._expire, flight)
        try:
            await flight.future
        finally:
            timer.cancel()
            if not flight.ended:  # the task was cancelled
                self._abandon(flight, None)
        return flight.outcome

    def close(self) -> None:
        """Breaks the connection. Tasks that wait are to ask over gRPC."""
        self._channel.end()
        if not self._begun.done():
            self._begun.set_result(None)
        if self._socket.fileno() >= 0:
            with contextlib.suppress(RuntimeError):  # the loop may be closed
                self._loop.remove_reader(self._socket)
                self._loop.remove_writer(self._socket)
            self._socket.close()

    def _expire(self, flight: _Awaited) -> None:
        self._abandon(flight, late())

    def _abandon(self, flight: _Awaited, outcome: Outcome) -> None:
        self._channel.abandon(flight, outcome)
        self._flush_soon()

    def _read(self) -> None:
        arrived = receive(self._socket, self._channel.wanted)
        if arrived is None:
            return
        self._channel.receive(*arrived)
        if not self._begun.done() and (self._channel.window or self.broken):
            self._begun.set_result(None)
        if self.broken:
            self.close()
        else:
            self._flush_soon()

    def _flush_soon(self) -> None:
        """Sends when the tasks that are ready have asked."""
        if not self._flush_due and self._channel.unsent:
            self._flush_due = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flush_due = False
        if self.broken:
            return
        send(self._socket, self._channel.unsent)
        if bool(self._channel.unsent) == self._waits_to_send:
            return
        self._waits_to_send = not self._waits_to_send
        if self._waits_to_send:
            self._loop.add_writer(self._socket, self._flush)
        else:
            self._loop.remove_writer(self._socket)
