"""The socket and the frames of one query connection, for threads or for an event loop."""

from __future__ import annotations

import socket
from typing import TypeVar

from stagedoor._query_socket.channel import QueryChannel
from stagedoor.errors import Error, make_error

PATIENCE = 1.0  # seconds for the window of a new connection

_Link = TypeVar("_Link", bound="QueryConnection")


class QueryConnection:
    """A connection to a query socket. Derived classes say who reads it, and who waits."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._channel = QueryChannel()

    @property
    def broken(self) -> bool:
        return self._channel.broken

    def close(self) -> None:
        """Breaks the connection. Those who wait are to ask over gRPC."""
        raise NotImplementedError

    def _if_begun(self: _Link) -> _Link | None:
        """The connection, if the daemon has announced its window; otherwise it is closed."""
        if self._channel.window and not self.broken:
            return self
        self.close()
        return None


def connect(connecting: socket.socket, path: str) -> bool:
    """Whether a daemon listens at a path; otherwise the socket is closed."""
    try:
        connecting.connect(path)
    except OSError:  # also if more clients wait for it than it lets
        connecting.close()
        return False
    return True


def late() -> Error:
    """The error of a query that has not been answered in time."""
    message = "BatchGetValues did not end before its deadline"
    return make_error(message, code="DEADLINE_EXCEEDED")
