"""A query connection that threads share."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import threading
import time

from stagedoor._calls import SharedBytes
from stagedoor._proto import Message
from stagedoor._query_socket.channel import Flight, Outcome
from stagedoor._query_socket.connection import PATIENCE, QueryConnection, connect, late
from stagedoor._query_socket.sockets import receive, send

# How long a read may wait: what others add to send is noticed that much later at most.
_LONGEST_READ = 0.1


class _Waiting(Flight):
    """A query that a thread waits for."""

    def __init__(self, shared: SharedBytes | None) -> None:
        super().__init__(shared)
        self._woken: threading.Lock | None = None  # locked while the thread waits

    def prepare(self) -> threading.Lock:
        if self._woken is None:
            self._woken = threading.Lock()
            self._woken.acquire()
        return self._woken

    def wake(self) -> None:
        if self._woken is not None and self._woken.locked():
            self._woken.release()

    def end(self, outcome: Outcome) -> None:
        super().end(outcome)
        self.wake()


class QueryLink(QueryConnection):
    """A connection to a query socket. Thread-safe.

    One of the threads that wait for answers reads the socket for all of them, so that a single
    caller waits in the system call that brings its answer. What threads ask while another one sends
    is in one message to the socket.
    """

    def __init__(self, connected: socket.socket) -> None:
        super().__init__(connected)
        self._lock = threading.Lock()
        self._reading = False

    @classmethod
    def connect(cls, path: str) -> QueryLink | None:
        """A connection to the daemon that listens at a path; None if none answers there."""
        connected = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        for option, seconds in (
            (socket.SO_SNDTIMEO, PATIENCE),
            (socket.SO_RCVTIMEO, _LONGEST_READ),
        ):
            wait = struct.pack("@ll", int(seconds), int(seconds % 1 * 1e6))
            connected.setsockopt(socket.SOL_SOCKET, option, wait)
        if not connect(connected, path):
            return None
        link = cls(connected)
        deadline = time.monotonic() + PATIENCE
        while not link._channel.window and not link.broken and time.monotonic() < deadline:
            link._read(_LONGEST_READ)
        return link._if_begun()

    def ask(self, request: Message, seconds: float, shared: SharedBytes | None) -> Outcome:
        """Asks a BatchGetValuesRequest, and waits for the answer."""
        flight = _Waiting(shared)
        deadline = time.monotonic() + seconds
        with self._lock:
            if not self._channel.ask(request, seconds, flight):
                return None
            self._send()
        try:
            while not flight.ended:
                self._wait(flight, deadline)
        except BaseException:  # such as KeyboardInterrupt
            self._abandon(flight, None)
            raise
        return flight.outcome

    def close(self) -> None:
        """Breaks the connection. Threads that wait are to ask over gRPC."""
        with self._lock:
            self._channel.end()
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)
            if not self._reading:
                self._socket.close()

    def _wait(self, flight: _Waiting, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            return self._abandon(flight, late())
        reads = False
        try:
            with self._lock:
                if flight.ended:
                    return None
                reads = not self._reading
                self._reading = True
                woken = None if reads else flight.prepare()
            if woken is not None:
                woken.acquire(timeout=left)
            while reads and not flight.ended and left > 0:
                self._read(left)
                left = deadline - time.monotonic()
        finally:
            if reads:
                self._pass_reading()

    def _pass_reading(self) -> None:
        """Lets another thread read, if one waits for an answer."""
        with self._lock:
            self._reading = False
            if self._channel.broken:
                self._socket.close()
            for other in self._channel.flights.values():
                other.wake()
                break

    def _abandon(self, flight: _Waiting, outcome: Outcome) -> None:
        with self._lock:
            self._channel.abandon(flight, outcome)
            self._send()

    def _read(self, left: float) -> None:
        """Reads once, for at most about `left` seconds, and ends the queries that are answered.
        For the thread that has the right to read."""
        flags = 0
        if self._channel.unsent or left < _LONGEST_READ:
            events = select.POLLIN | (select.POLLOUT if self._channel.unsent else 0)
            poll = select.poll()
            poll.register(self._socket, events)
            ready = poll.poll(min(left, _LONGEST_READ) * 1000)
            if not any(event & ~select.POLLOUT for _, event in ready):
                with self._lock:
                    self._send()
                return
            flags = socket.MSG_DONTWAIT
        arrived = receive(self._socket, self._channel.wanted, flags)
        if arrived is None:
            return
        with self._lock:
            self._channel.receive(*arrived)
            self._send()

    def _send(self) -> None:
        """Sends what waits, as far as the daemon takes it without waiting."""
        if self._channel.unsent:
            send(self._socket, self._channel.unsent)
