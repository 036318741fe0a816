"""The connections of the asyncio client, and the task that keeps its leases."""

from __future__ import annotations

import asyncio
import contextlib
import weakref
from collections.abc import AsyncIterator, Awaitable, Sequence
from typing import TYPE_CHECKING, Any

import grpc.aio

from stagedoor._calls import Attempts, Call
from stagedoor._client_base import CLOSE_SECONDS, KEEPER_SECONDS, ClientBase, Connections
from stagedoor._diagnosis import Diagnosis
from stagedoor._options import Options
from stagedoor._proto import Message
from stagedoor._query_socket.sight import CAPABILITIES, LOOK_SECONDS, Sight, reply_of
from stagedoor._read_ahead import read_ahead_async
from stagedoor._session import Lease, Session
from stagedoor.aio._coalescer import Coalescer

if TYPE_CHECKING:
    from stagedoor._query_socket.loop_link import LoopLink


class Connection(ClientBase):
    """A client without the calls of the API, which derived classes have."""

    _grpc = grpc.aio

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._loops: dict[asyncio.AbstractEventLoop, _LoopState] = {}

    async def close(self) -> None:
        """Closes all stages, and the connection. Takes up to two seconds, and raises no errors."""
        if self._closing:
            return
        self._closing = True
        here = self._state()
        here.wake.set()
        if here.keeper is not None:
            await asyncio.wait({here.keeper}, timeout=KEEPER_SECONDS)
            here.keeper.cancel()
        await self._give_back(self._open_leases())
        self._closed = True
        running = asyncio.get_running_loop()
        for loop, state in list(self._loops.items()):
            if loop is running:
                await state.close()
            elif loop.is_running():  # in another thread
                asyncio.run_coroutine_threadsafe(state.close(), loop)
        self._loops.clear()

    def _callable(self, address: str, made: Call | Attempts) -> Any:
        """The function of gRPC that makes a call."""
        self._endpoint.check_process()
        state = self._state()
        found = state.callables.get((address, made.method.name))
        return found if found is not None else self._find_callable(state, address, made.method)

    def _state(self) -> _LoopState:
        """The connections of the event loop that runs; new ones in a loop that is new."""
        loop = asyncio.get_running_loop()
        state = self._loops.get(loop)
        if state is None:
            for old in [found for found in self._loops if found.is_closed()]:
                del self._loops[old]
            state = self._loops[loop] = _LoopState()
            if self._known_sessions() and not self._closing:
                state.keep(self)
        return state

    async def _prepare(self) -> None:
        """Starts the daemon that the calls are for, if this client is to start it."""
        if not self._endpoint.is_ready:
            await asyncio.get_running_loop().run_in_executor(None, self._endpoint.revive)

    async def _look(self, attempts: Attempts, error: grpc.RpcError) -> Diagnosis | None:
        if not attempts.needs_look(error):
            return None
        return await asyncio.get_running_loop().run_in_executor(None, attempts.look, error)

    def _edit_lock(self) -> LoopLock:
        return LoopLock()

    def _read_ahead(self, rpc: Any) -> AsyncIterator[Message]:
        return read_ahead_async(rpc)

    async def _pause(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    # ------------------------------------------------------------------------------ query socket

    def _has_socket(self) -> bool:
        address = self._endpoint.address
        return any(
            state.sight.usable(address) is not None
            for loop, state in list(self._loops.items())
            if not loop.is_closed()
        )

    async def _carry(self, made: Call) -> Message | None:
        """The reply to a call that the query socket carries; None if gRPC is to carry it."""
        outcome = None
        if self._suits_socket(made):
            link = self._query_link()
            if link is not None:
                outcome = await link.ask(made.request, self._endpoint.timeout, made.shared)
        if outcome is not None:
            self._count_query(made, True)
        return reply_of(outcome)

    async def _ask(self, made: Call) -> Message:
        """Makes a unary call over gRPC: see the derived class."""
        raise NotImplementedError

    def _coalescer(self) -> Coalescer:
        state = self._state()
        if state.coalescer is None:
            ask = weakref.WeakMethod(self._ask)
            state.coalescer = Coalescer(lambda made: _alive(ask)(made))
        return state.coalescer

    def _query_link(self) -> LoopLink | None:
        """The connection to the query socket. If there is none, one is looked for meanwhile."""
        state, address = self._state(), self._endpoint.address
        link: LoopLink | None = state.sight.usable(address)
        if link is None and state.sight.begins(address):
            state.looking = asyncio.create_task(self._look_around(state, address))
        return link

    async def _look_around(self, state: _LoopState, address: str) -> None:
        """Asks the daemon for its query socket, and connects to it."""
        from stagedoor._query_socket.loop_link import LoopLink  # which needs Linux

        path: str | None = None
        link = None
        try:
            attempts = Attempts(self._endpoint, CAPABILITIES, LOOK_SECONDS)
            call = self._callable(address, attempts)
            with contextlib.suppress(grpc.RpcError):
                reply = await call(
                    attempts.request, timeout=attempts.timeout, metadata=attempts.metadata
                )
                path = reply.query_socket
            link = await LoopLink.connect(path) if path else None
        finally:
            outdated = state.sight.ended(path, link)
            if outdated is not None:
                outdated.close()

    # ------------------------------------------------------------------------------------ leases

    def _keep(self, session: Session) -> None:
        """Keeps the lease of a session alive until it is closed."""
        self._remember(session)
        state = self._state()
        state.keep(self)
        state.wake.set()  # its lease may be shorter than those of others

    async def renew_leases(self) -> float:
        """Makes the calls that keep the leases: see the derived class."""
        raise NotImplementedError

    async def _give_back(self, leases: Sequence[Lease]) -> None:
        """Ends leases, all at once, in at most CLOSE_SECONDS. They expire by themselves, too."""
        sent = []
        # Anything may be raised here, by a function that returns the token for example.
        for lease in leases:
            with contextlib.suppress(Exception):
                made = self._closing_call(lease)
                if made is not None:
                    call = self._callable(made.address, made)
                    sent.append(call(made.request, timeout=made.timeout, metadata=made.metadata))
        if sent:
            _, late = await asyncio.wait(
                [asyncio.create_task(_ended(call)) for call in sent], timeout=CLOSE_SECONDS
            )
            for task in late:
                task.cancel()


class _LoopState(Connections):
    """The connections of a client in one event loop, to which those of gRPC belong."""

    def __init__(self) -> None:
        super().__init__()
        self.wake = asyncio.Event()
        self.keeper: asyncio.Task[None] | None = None
        self.sight = Sight()
        self.looking: asyncio.Task[None] | None = None
        self.coalescer: Coalescer | None = None

    def keep(self, client: Connection) -> None:
        """Starts the task that keeps the leases alive while the loop runs."""
        if self.keeper is None:
            self.keeper = asyncio.create_task(_keep_leases(weakref.ref(client), self.wake))

    async def close(self) -> None:
        self.wake.set()
        if self.looking is not None:
            self.looking.cancel()
            await asyncio.wait({self.looking})
        link = self.sight.ended(None, None)
        if link is not None:
            link.close()
        for channel in self.channels.values():
            await channel.close()


def _alive(method: weakref.WeakMethod[Any]) -> Any:
    """The method of a client that makes a call, and so exists."""
    return method()


class LoopLock:
    """A lock for the tasks of one event loop, in each loop that uses it."""

    def __init__(self) -> None:
        self._locks: weakref.WeakKeyDictionary[Any, asyncio.Lock] = weakref.WeakKeyDictionary()

    async def __aenter__(self) -> None:
        loop = asyncio.get_running_loop()
        if loop not in self._locks:
            self._locks[loop] = asyncio.Lock()
        await self._locks[loop].acquire()

    async def __aexit__(self, *_: object) -> None:
        self._locks[asyncio.get_running_loop()].release()


async def _keep_leases(client: weakref.ref[Connection], wake: asyncio.Event) -> None:
    """Runs as a task of a client, which it does not keep alive."""
    wait = 0.0
    while True:
        await _woken(wake, wait)
        wake.clear()
        alive = client()
        if alive is None or alive._closing:
            return
        wait = await alive.renew_leases()
        del alive


async def _woken(wake: asyncio.Event, seconds: float) -> None:
    """Waits until `wake` is set, and sets it after some seconds.

    Before Python 3.12, asyncio.wait_for ignores a cancellation that comes together with its event.
    Then asyncio.run would wait for the task forever.
    """
    timer = asyncio.get_running_loop().call_later(seconds, wake.set)
    try:
        await wake.wait()
    finally:
        timer.cancel()


async def _ended(call: Awaitable[object]) -> None:
    """Waits for a call whose result nobody wants."""
    with contextlib.suppress(grpc.RpcError):
        await call
