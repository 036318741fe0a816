"""The asyncio client."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import weakref
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

import grpc.aio

from stagedoor import _tools
from stagedoor._assemble import Assembler
from stagedoor._calls import Attempts, Call, Plan, call_options
from stagedoor._client_base import CLOSE_SECONDS, KEEPER_SECONDS, ClientBase, Connections
from stagedoor._diagnosis import Diagnosis
from stagedoor._options import Options
from stagedoor._proto import Message
from stagedoor._read_ahead import read_ahead_async
from stagedoor._session import MAX_REOPENS, Delivery, Lease, Session, StreamOf
from stagedoor._values import Path
from stagedoor.aio.stage import Stage
from stagedoor.errors import Error, LeaseError, UnavailableError, not_utf8
from stagedoor.results import Diagnostic, Layer, StageSummary

T = TypeVar("T")


class Client(ClientBase):
    """A connection as that of stagedoor.Client, whose methods and properties are awaited.

    Made by `stagedoor.aio.connect`. It has a connection in each event loop that it is used in.
    """

    _grpc = grpc.aio

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._loops: dict[asyncio.AbstractEventLoop, _LoopState] = {}

    # ---------------------------------------------------------------------------------- stages

    async def open(
        self,
        root_layer: str | os.PathLike[str],
        *,
        session_layer: str | None = None,
        load: str = "all",
        load_rules: Mapping[str, str] | None = None,
        mask: Path | Sequence[Path] | None = None,
        variant_fallbacks: Mapping[str, Sequence[str]] | None = None,
        muted_layers: Sequence[str] = (),
        interpolation: str = "linear",
        session: str = "",
        on_change: str | None = None,
        search_paths: Sequence[str] = (),
        pins: Mapping[str, str] | None = None,
        pin_files: Sequence[str] = (),
        layers: Mapping[str, str] | None = None,
    ) -> Stage:
        """Opens a stage, or joins one that the daemon has open. Close it, or use `async with`.

        The options are those of stagedoor.Client.open.
        """
        request = _tools.open_request(
            _tools.absolute(root_layer, layers),
            session_layer=session_layer,
            load=load,
            load_rules=load_rules,
            mask=mask,
            variant_fallbacks=variant_fallbacks,
            muted_layers=muted_layers,
            interpolation=interpolation,
            session=session,
            on_change=on_change,
            search_paths=search_paths,
            pins=pins,
            pin_files=pin_files,
            layers=layers,
        )
        _tools.fill_lease(request, self.options)
        opened = Session(request, self.arrays, LoopLock(), self.path_sets)
        await self.run(opened.open())
        self._keep(opened)
        return Stage(self, opened)

    async def stages(self) -> list[StageSummary]:
        """The stages that the daemon holds; for operators."""
        return await self.run(_tools.list_stages())

    # ---------------------------------------------------------------------------------- layers

    async def layer(self, identifier: str, *, values: bool = True) -> Layer:
        """A layer without composition; without the values of attributes if `values` is false."""
        return await self.run(_tools.read_layer(identifier, not values, self.arrays))

    async def validate(self, identifier: str) -> list[Diagnostic]:
        """What is wrong with a layer, and where; empty if it is valid."""
        return await self.run(_tools.validate(identifier))

    async def convert(self, identifier: str, target: str, *, format: str | None = None) -> None:
        """Writes a layer in another format: that of the extension of `target`, or `format`."""
        made = _tools.convert_call(identifier, _tools.file_format(target, format))
        with _tools.new_file(target) as file:
            async for reply in self.stream(made, restart=lambda: _tools.start_again(file)):
                file.write(reply.data)

    @property
    async def server_version(self) -> str:
        """The version of the daemon."""
        return await self.run(_tools.server_version())

    # ------------------------------------------------------------------------------- life cycle

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

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    # --------------------------------------------------------------- calls, for the other modules

    async def run(self, plan: Plan[T]) -> T:
        """Carries out a plan."""
        try:
            made = next(plan)
            while True:
                try:
                    reply = await self._invoke(made)
                except Error as error:
                    made = plan.throw(error)
                else:
                    made = plan.send(reply)
        except StopIteration as done:
            result: T = done.value
            return result
        except UnicodeEncodeError as error:
            raise not_utf8(error) from None

    async def iterate(self, stream: StreamOf[T]) -> AsyncIterator[T]:
        """The items of a stream about a stage, which goes on at another daemon if one is lost."""
        delivery = Delivery(stream, self._endpoint.timeout)
        while True:
            made, ahead = delivery.call(), stream.read_ahead
            try:
                async for message in self.stream(made, ahead=ahead, timeout=delivery.timeout):
                    for item in delivery.take(message):
                        yield item
                return
            except (LeaseError, UnavailableError) as error:
                again = delivery.failed(error)
            await self.run(again)

    async def write(self, stream: StreamOf[bytes], file: BinaryIO) -> None:
        """Writes a stream about a stage to a file; from its beginning if a daemon is lost."""

        def restart() -> None:
            _tools.start_again(file)

        for reopens_left in reversed(range(MAX_REOPENS + 1)):
            lost = stream.session.handle
            try:
                async for message in self.stream(stream.call(), restart=restart):
                    file.writelines(stream.items(message))
                return
            except LeaseError:
                if not reopens_left:
                    raise
            restart()
            await self.run(stream.session.reopen(lost))

    async def stream(
        self,
        made: Call,
        *,
        ahead: bool = False,
        timeout: float | None = None,
        started: Callable[[Any], object] | None = None,
        restart: Callable[[], object] | None = None,
    ) -> AsyncIterator[Message]:
        """The whole messages of a stream. Ending the iteration early cancels the call.

        ahead: whether they are received while the caller is busy with earlier ones.
        timeout: instead of that of the client or of call_options.
        started: receives the call of gRPC, to cancel it.
        restart: drops the messages so far. With it, a stream is repeated from its beginning if its
          connection breaks; without it, only if no message had arrived.
        """
        await self._prepare()
        attempts = Attempts(self._endpoint, made, timeout)
        received = False
        busy = 0.0  # seconds that the caller needed for messages
        while True:
            assembler = Assembler(made.method.response)
            call = self._callable(attempts.address, made)
            rpc = call(made.request, timeout=attempts.timeout, metadata=attempts.metadata)
            if started is not None:
                started(rpc)
            try:
                async for part in read_ahead_async(rpc) if ahead else rpc:
                    received = True
                    whole = assembler.take(part)
                    if whole is not None:
                        begin = time.monotonic()
                        yield whole
                        busy += 0.0 if ahead else time.monotonic() - begin
                assembler.finish()
                return
            except grpc.RpcError as error:
                kept = received and restart is None
                found = await self._look(attempts, error)
                pause = attempts.failed(error, received=kept, busy=busy, diagnosis=found)
                if restart is not None:
                    restart()
            finally:
                rpc.cancel()
            await asyncio.sleep(pause)

    async def _invoke(self, made: Call) -> Any:
        if made.method.streams:
            messages: list[Message] = []
            async for message in self.stream(made, restart=messages.clear):
                messages.append(message)
            return messages
        await self._prepare()
        attempts = Attempts(self._endpoint, made)
        while True:
            call = self._callable(attempts.address, made)
            try:
                reply = await call(
                    made.request, timeout=attempts.timeout, metadata=attempts.metadata
                )
            except grpc.RpcError as error:
                pause = attempts.failed(error, diagnosis=await self._look(attempts, error))
            else:
                self._endpoint.daemon_known = True
                return reply
            await asyncio.sleep(pause)

    async def _look(self, attempts: Attempts, error: grpc.RpcError) -> Diagnosis | None:
        if not attempts.needs_look(error):
            return None
        return await asyncio.get_running_loop().run_in_executor(None, attempts.look, error)

    async def _prepare(self) -> None:
        """Lets the daemon be there that the calls are for."""
        if not self._endpoint.is_ready:
            await asyncio.get_running_loop().run_in_executor(None, self._endpoint.revive)

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

    # ------------------------------------------------------------------------------------ leases

    def _keep(self, session: Session) -> None:
        """Keeps the lease of a session alive until it is closed."""
        self._remember(session)
        state = self._state()
        state.keep(self)
        state.wake.set()  # its lease may be shorter than those of others

    async def renew_leases(self) -> float:
        """Renews the leases that were not used for long, and closes those of dropped stages.

        Returns the seconds until the next ones are due. Called by the task of the client.
        """
        while self._dropped:
            await self._give_back([self._dropped.popleft()])
        for session in self._due_sessions():
            # The next call that uses the stage reports what is wrong, or opens it again. Anything
            # may be raised here, by a function that returns the token for example.
            with contextlib.suppress(Exception), call_options(timeout=max(1.0, session.ttl / 3)):
                await self.run(session.renew())
        return self._seconds_until_due()

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
    """What a client has in one event loop. A connection of gRPC belongs to its loop."""

    def __init__(self) -> None:
        super().__init__()
        self.wake = asyncio.Event()
        self.keeper: asyncio.Task[None] | None = None

    def keep(self, client: Client) -> None:
        """Starts the task that keeps the leases alive while the loop runs."""
        if self.keeper is None:
            self.keeper = asyncio.create_task(_keep_leases(weakref.ref(client), self.wake))

    async def close(self) -> None:
        self.wake.set()
        for channel in self.channels.values():
            await channel.close()


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


async def _keep_leases(client: weakref.ref[Client], wake: asyncio.Event) -> None:
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
