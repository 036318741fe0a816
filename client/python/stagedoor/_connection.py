"""The connection of the synchronous client, and the thread that keeps its leases."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import grpc

from stagedoor._calls import Attempts, Call
from stagedoor._client_base import CLOSE_SECONDS, KEEPER_SECONDS, ClientBase, Connections
from stagedoor._coalescer import Coalescer
from stagedoor._diagnosis import Diagnosis
from stagedoor._options import Options
from stagedoor._proto import Message
from stagedoor._query_socket.sight import CAPABILITIES, LOOK_SECONDS, Sight, reply_of
from stagedoor._read_ahead import read_ahead
from stagedoor._session import Lease, Session

if TYPE_CHECKING:
    from stagedoor._query_socket.link import QueryLink


class Connection(ClientBase):
    """A client without the calls of the API, which derived classes have."""

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._lock = threading.Lock()
        self._made = Connections()
        self._keeper: threading.Thread | None = None
        self._wake = threading.Event()
        self._sight = Sight()
        # Not a reference to this object, which would live until a collection of garbage then.
        ask = weakref.WeakMethod(self._ask)
        self._joining = Coalescer(lambda made: _alive(ask)(made))

    def close(self) -> None:
        """Closes all stages, and the connection. Takes up to two seconds, and raises no errors."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        if self._keeper is not None:
            self._keeper.join(KEEPER_SECONDS)
        self._give_back(self._open_leases())
        with self._lock:
            self._closed = True
            made, self._made = self._made, Connections()
            link = self._sight.ended(None, None)
        if link is not None:
            link.close()
        for channel in made.channels.values():
            channel.close()

    def _callable(self, address: str, made: Call | Attempts) -> Any:
        """The function of gRPC that makes a call."""
        self._endpoint.check_process()
        found = self._made.callables.get((address, made.method.name))
        if found is None:
            with self._lock:
                found = self._find_callable(self._made, address, made.method)
        return found

    def _prepare(self) -> None:
        """Starts the daemon that the calls are for, if this client is to start it."""
        if not self._endpoint.is_ready:
            self._endpoint.revive()

    def _look(self, attempts: Attempts, error: grpc.RpcError) -> Diagnosis | None:
        return attempts.look(error)

    def _edit_lock(self) -> Any:
        return threading.Lock()

    def _read_ahead(self, rpc: Any) -> Iterator[Message]:
        return read_ahead(rpc)

    def _pause(self, seconds: float) -> None:
        time.sleep(seconds)

    # ------------------------------------------------------------------------------ query socket

    def _has_socket(self) -> bool:
        return self._sight.usable(self._endpoint.address) is not None

    def _carry(self, made: Call) -> Message | None:
        """The reply to a call that the query socket carries; None if gRPC is to carry it."""
        outcome = None
        if self._suits_socket(made):
            link = self._query_link()
            if link is not None:
                outcome = link.ask(made.request, self._endpoint.timeout, made.shared)
        if outcome is not None:
            self._count_query(made, True)
        return reply_of(outcome)

    def _ask(self, made: Call) -> Message:
        """Makes a unary call over gRPC: see the derived class."""
        raise NotImplementedError

    def _coalescer(self) -> Coalescer:
        return self._joining

    def _query_link(self) -> QueryLink | None:
        """The connection to the query socket. If there is none, one is looked for meanwhile."""
        address = self._endpoint.address
        link: QueryLink | None = self._sight.usable(address)
        if link is not None:
            return link
        with self._lock:
            begins = self._sight.begins(address)
        if begins:
            try:
                attempts = Attempts(self._endpoint, CAPABILITIES, LOOK_SECONDS)
                ask = self._callable(address, attempts)
                sent = ask.future(
                    attempts.request, timeout=attempts.timeout, metadata=attempts.metadata
                )
            except BaseException:
                self._found_socket(None, None)
                raise
            sent.add_done_callback(self._look_around)
        return None

    def _look_around(self, answered: Any) -> None:
        """Connects to the query socket that the daemon has named, if it did."""
        from stagedoor._query_socket.link import QueryLink  # which needs Linux

        path: str | None = None
        with contextlib.suppress(grpc.RpcError, grpc.FutureCancelledError):
            path = answered.result().query_socket
        self._found_socket(path, QueryLink.connect(path) if path else None)

    def _found_socket(self, path: str | None, link: QueryLink | None) -> None:
        with self._lock:
            if self._closing:
                outdated, link = link, None
            else:
                outdated = self._sight.ended(path, link)
        if outdated is not None:
            outdated.close()

    # ------------------------------------------------------------------------------------ leases

    def _keep(self, session: Session) -> None:
        """Keeps the lease of a session alive until it is closed."""
        with self._lock:
            self._remember(session)
            if self._keeper is None:
                self._keeper = threading.Thread(
                    target=_keep_leases,
                    args=(weakref.ref(self), self._wake),
                    name="stagedoor-leases",
                    daemon=True,
                )
                self._keeper.start()
                weakref.finalize(self, self._wake.set).atexit = False
        self._wake.set()  # its lease may be shorter than those of others

    def renew_leases(self) -> float:
        """Makes the calls that keep the leases: see the derived class."""
        raise NotImplementedError

    def _give_back(self, leases: Sequence[Lease]) -> None:
        """Ends leases, all at once, in at most CLOSE_SECONDS. They expire by themselves, too."""
        sent = []
        # Anything may be raised here, by a function that returns the token for example.
        for lease in leases:
            with contextlib.suppress(Exception):
                made = self._closing_call(lease)
                if made is not None:
                    call = self._callable(made.address, made)
                    sent.append(
                        call.future(made.request, timeout=made.timeout, metadata=made.metadata)
                    )
        deadline = time.monotonic() + CLOSE_SECONDS
        for future in sent:
            with contextlib.suppress(Exception):
                future.result(max(0.0, deadline - time.monotonic()))


def _alive(method: weakref.WeakMethod[Any]) -> Any:
    """The method of a client that makes a call, and so exists."""
    return method()


def _keep_leases(client: weakref.ref[Connection], wake: threading.Event) -> None:
    """Runs in the thread of a client, which it does not keep alive."""
    wait = 0.0
    while True:
        wake.wait(wait)
        wake.clear()
        alive = client()
        if alive is None or alive._closing:
            return
        wait = alive.renew_leases()
        del alive
