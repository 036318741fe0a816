"""The common part of both kinds of clients, which differ in how they make calls."""

from __future__ import annotations

import threading
import time
import weakref
from collections import deque
from typing import Any

import grpc

from stagedoor import _joined
from stagedoor._calls import QUERIES, Attempts, Call, Endpoint
from stagedoor._digests import ArrayCache
from stagedoor._freed_memory import keep_freed_memory
from stagedoor._handles import Unpicklable
from stagedoor._options import (
    Options,
    channel_credentials,
    channel_options,
    may_use_query_socket,
)
from stagedoor._path_sets import PathSets
from stagedoor._query_socket import sight
from stagedoor._results.clients import ClientStatistics
from stagedoor._session import Lease, Session

_MAX_WAIT = 60.0  # seconds between two looks at the leases
_MIN_WAIT = 0.05

# How long closing waits for the daemon, and then for the thread or task that keeps the leases. What
# is not closed by then expires by itself.
CLOSE_SECONDS = 1.0
KEEPER_SECONDS = 0.5


class Connections:
    """The channels of a client, and the functions of gRPC that make calls with them."""

    def __init__(self) -> None:
        self.channels: dict[str, Any] = {}
        self.callables: dict[tuple[str, str], Any] = {}


class ClientBase(Unpicklable):
    """Settings, the cache of arrays, and the leases of a client."""

    # The module that makes channels: grpc, or grpc.aio.
    _grpc: Any = grpc

    def __init__(self, options: Options) -> None:
        keep_freed_memory()
        self.options = options
        self.arrays = ArrayCache(options.array_cache_bytes)
        self.path_sets = PathSets()
        self._endpoint = Endpoint(options)
        self._sessions: weakref.WeakSet[Session] = weakref.WeakSet()
        self._sessions_lock = threading.Lock()  # the keeper looks at them while others are opened
        # Leases of sessions that the program dropped without closing them.
        self._dropped: deque[Lease] = deque()
        self._closing = False
        self._closed = False
        self._may_use_socket = may_use_query_socket(options)
        self._counts_lock = threading.Lock()
        self._socket_queries = 0
        self._grpc_queries = 0

    @property
    def statistics(self) -> ClientStatistics:
        """How the values that the client reads travel."""
        with self._counts_lock:
            return ClientStatistics(self._has_socket(), self._socket_queries, self._grpc_queries)

    def _has_socket(self) -> bool:
        """Whether there is a connection to a query socket."""
        raise NotImplementedError

    def _suits_socket(self, made: Call) -> bool:
        """Whether a call may go over a query socket."""
        if not self._may_use_socket or made.method is not QUERIES:
            return False
        self._endpoint.check_process()
        return sight.suits(made)

    def _join_key(self, made: Call) -> _joined.Key | None:
        """Equal for calls that may travel together; None for one that travels by itself."""
        if not self.options.coalescing or made.method is not QUERIES:
            return None
        return _joined.key_of(made, self._endpoint.timeout)

    def _count_query(self, made: Call, on_socket: bool) -> None:
        if made.method is not QUERIES:
            return
        with self._counts_lock:
            self._socket_queries += on_socket
            self._grpc_queries += not on_socket

    def __repr__(self) -> str:
        return f"<{type(self).__module__}.Client of {', '.join(self.options.addresses)}>"

    def _again(self) -> str:
        return f"{type(self).__module__.rpartition('.')[0]}.connect({self._addresses()!r})"

    def _addresses(self) -> str:
        return ",".join(self.options.addresses)

    def _closing_call(self, lease: Lease) -> Attempts | None:
        """The call that gives a lease back; None if that was done."""
        made = next(lease.close(), None)
        left = min(self._endpoint.timeout, CLOSE_SECONDS)
        return None if made is None else Attempts(self._endpoint, made, left)

    def _remember(self, session: Session) -> None:
        weakref.finalize(session, self._dropped.append, session.lease).atexit = False
        with self._sessions_lock:
            self._sessions.add(session)

    def _known_sessions(self) -> list[Session]:
        with self._sessions_lock:
            return list(self._sessions)

    def _open_leases(self) -> list[Lease]:
        return [session.lease for session in self._known_sessions()] + list(self._dropped)

    def _due_sessions(self) -> list[Session]:
        """The sessions whose leases have not been used for long."""
        now = time.monotonic()
        sessions = [session for session in self._known_sessions() if not session.closed]
        return [session for session in sessions if now - session.used >= session.ttl / 3]

    def _seconds_until_due(self) -> float:
        """How long to wait before looking for due sessions again."""
        now = time.monotonic()
        sessions = [session for session in self._known_sessions() if not session.closed]
        waits = [session.used + session.ttl / 3 - now for session in sessions]
        return max(_MIN_WAIT, min([_MAX_WAIT, *waits]))

    def _find_callable(self, made: Connections, address: str, method: Any) -> Any:
        """The function of gRPC that calls a method. Not thread-safe."""
        if self._closed:
            raise ValueError("the client is closed")
        channel = made.channels.get(address)
        if channel is None:
            channel = made.channels[address] = self._connect(address)
        kind = channel.unary_stream if method.streams else channel.unary_unary
        found = kind(
            method.path,
            request_serializer=method.request.SerializeToString,
            response_deserializer=method.response.FromString,
        )
        made.callables[address, method.name] = found
        return found

    def _connect(self, address: str) -> Any:
        settings = channel_options(self.options)
        if self.options.tls is None:
            return self._grpc.insecure_channel(address, options=settings)
        credentials = channel_credentials(self.options.tls)
        return self._grpc.secure_channel(address, credentials, options=settings)
