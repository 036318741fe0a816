"""The asyncio client."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
import weakref
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

import grpc.aio

from stagedoor import _tools
from stagedoor._assemble import Assembler
from stagedoor._calls import Attempts, Call, Plan, call_options
from stagedoor._client_base import KEEPER_SECONDS, ClientBase
from stagedoor._options import Options
from stagedoor._proto import Message
from stagedoor._read_ahead import read_ahead_async
from stagedoor._session import MAX_REOPENS, Delivery, Lease, Session, StreamOf
from stagedoor._values import Path
from stagedoor.aio.stage import Stage
from stagedoor.errors import Error, LeaseError, UnavailableError
from stagedoor.results import Diagnostic, Layer, StageSummary

T = TypeVar("T")


class Client(ClientBase):
    """A connection as that of stagedoor.Client, whose methods and properties are awaited.

    Made by `stagedoor.aio.connect`. It belongs to the event loop in which it makes its first call.
    """

    _grpc = grpc.aio

    def __init__(self, options: Options) -> None:
        super().__init__(options)
        self._keeper: asyncio.Task[None] | None = None
        self._wake = asyncio.Event()

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
        opened = Session(request, self.arrays, asyncio.Lock())
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
        """Closes all stages, and the connection."""
        if self._closing:
            return
        self._closing = True
        self._wake.set()
        if self._keeper is not None:
            await asyncio.wait({self._keeper}, timeout=KEEPER_SECONDS)
            self._keeper.cancel()
        for lease in self._open_leases():
            await self._close_lease(lease)
        self._closed = True
        channels, self._channels = self._channels, {}
        self._callables = {}
        for channel in channels.values():
            await channel.close()

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
                pause = attempts.failed(error, received=kept, busy=busy)
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
        attempts = Attempts(self._endpoint, made)
        while True:
            call = self._callable(attempts.address, made)
            try:
                reply = await call(
                    made.request, timeout=attempts.timeout, metadata=attempts.metadata
                )
            except grpc.RpcError as error:
                pause = attempts.failed(error)
            else:
                self._endpoint.daemon_known = True
                return reply
            await asyncio.sleep(pause)

    def _callable(self, address: str, made: Call) -> Any:
        """The function of gRPC that makes a call."""
        self._endpoint.check_process()
        found = self._callables.get((address, made.method.name))
        return found if found is not None else self._find_callable(address, made.method)

    # ------------------------------------------------------------------------------------ leases

    def _keep(self, session: Session) -> None:
        """Keeps the lease of a session alive until it is closed."""
        self._remember(session)
        if self._keeper is None:
            self._keeper = asyncio.create_task(_keep_leases(weakref.ref(self), self._wake))
        self._wake.set()  # its lease may be shorter than those of others

    async def renew_leases(self) -> float:
        """Renews the leases that were not used for long, and closes those of dropped stages.

        Returns the seconds until the next ones are due. Called by the task of the client.
        """
        while self._dropped:
            await self._close_lease(self._dropped.popleft())
        for session in self._due_sessions():
            # The next call that uses the stage reports what is wrong, or opens it again. Anything
            # may be raised here, by a function that returns the token for example.
            with contextlib.suppress(Exception), call_options(timeout=max(1.0, session.ttl / 3)):
                await self.run(session.renew())
        return self._seconds_until_due()

    async def _close_lease(self, lease: Lease) -> None:
        with contextlib.suppress(Exception), call_options(timeout=5):  # it expires by itself
            await self.run(lease.close())


async def _keep_leases(client: weakref.ref[Client], wake: asyncio.Event) -> None:
    """Runs as a task of a client, which it does not keep alive."""
    wait = 0.0
    while True:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(wake.wait(), wait)
        wake.clear()
        alive = client()
        if alive is None or alive._closing:
            return
        wait = await alive.renew_leases()
        del alive
