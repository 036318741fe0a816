# Generated from ../_async/client.py by tools/python_client.py: ./dev python_client.
"""The calls of clients, and how calls are repeated."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

import grpc

from stagedoor import _tools
from stagedoor._assemble import Assembler
from stagedoor._calls import Attempts, Call, Plan, call_options
from stagedoor._connection import Connection
from stagedoor._proto import Message
from stagedoor._session import MAX_REOPENS, Delivery, Session, StreamOf
from stagedoor._values import Path
from stagedoor.errors import Error, LeaseError, UnavailableError, unsendable
from stagedoor.results import Asset, Diagnostic, Layer, StageSummary
from stagedoor.stage import Stage

T = TypeVar("T")
C = TypeVar("C", bound="ClientCalls")


class ClientCalls(Connection):
    """The calls of a client."""

    # ---------------------------------------------------------------------------------- stages

    def open(
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
        """Opens a stage, or joins one that the daemon has open. Close it, or use `with`.

        root_layer: a path or URI, as the daemon sees it; relative paths are made absolute here.
        session_layer: usda text, or a path or URI.
        load: "all" or "none": which payloads are loaded if no rule decides.
        load_rules: {path: "all", "only" or "none"}.
        mask: the prims to populate, with their ancestors and descendants.
        variant_fallbacks: {variant set: the choices, most preferred first}.
        interpolation: "linear" or "held".
        session: a name under which others can join, and see and make edits.
        on_change: "fixed", "on_open" (the default) or "follow": what happens when files change.
        search_paths, pins, pin_files: how asset paths are resolved: further search paths,
          {asset path: replacement}, and JSON files with more of these.
        layers: {name: usda text} of layers that take precedence over files.
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
        opened = Session(request, self.arrays, self._edit_lock(), self.path_sets)
        self.run(opened.open())
        self._keep(opened)
        return Stage(self, opened)

    def stages(self) -> list[StageSummary]:
        """The stages that the daemon holds; for operators."""
        return self.run(_tools.list_stages())

    # ---------------------------------------------------------------------------------- layers

    def layer(self, identifier: str, *, values: bool = True) -> Layer:
        """A layer without composition; without the values of attributes if `values` is false."""
        return self.run(_tools.read_layer(identifier, not values, self.arrays))

    def asset(
        self,
        path: str,
        *,
        anchor: str = "",
        offset: int = 0,
        length: int | None = None,
        version: str = "",
    ) -> Asset:
        """The bytes of a layer, a texture, a package or a file in one, as they are stored.

        anchor: the resolved path of the layer that names the asset, for a relative path.
        offset, length: the bytes to read; all of them by default.
        version: that of an earlier part. If the asset has changed since, `Error` with the reason
          "ASSET_CHANGED" is raised.
        """
        return self.run(_tools.read_asset(path, anchor, offset, length, version))

    def validate(self, identifier: str) -> list[Diagnostic]:
        """The errors of a layer, with their places; empty if it is valid."""
        return self.run(_tools.validate(identifier))

    def convert(self, identifier: str, target: str, *, format: str | None = None) -> None:
        """Writes a layer in another format: that of the extension of `target`, or `format`."""
        made = _tools.convert_call(identifier, _tools.file_format(target, format))
        with _tools.new_file(target) as file:
            for reply in self.stream(made, restart=lambda: _tools.start_again(file)):
                file.write(reply.data)

    @property
    def server_version(self) -> str:
        """The version of the daemon."""
        return self.run(_tools.server_version())

    # ------------------------------------------------------------------------------- life cycle

    def __enter__(self: C) -> C:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    # --------------------------------------------------------------- calls, for the other modules

    def run(self, plan: Plan[T]) -> T:
        """Carries out a plan."""
        try:
            made = next(plan)
            while True:
                try:
                    reply = self._invoke(made)
                except Error as error:
                    made = plan.throw(error)
                else:
                    made = plan.send(reply)
        except StopIteration as done:
            result: T = done.value
            return result
        except ValueError as error:
            refused = unsendable(error)
            if refused is None:
                raise
            raise refused from None

    def iterate(self, stream: StreamOf[T]) -> Iterator[T]:
        """The items of a stream about a stage, which goes on at another daemon if one is lost."""
        delivery = Delivery(stream, self._endpoint.timeout)
        while True:
            made, ahead = delivery.call(), stream.read_ahead
            try:
                for message in self.stream(made, ahead=ahead, timeout=delivery.timeout):
                    for item in delivery.take(message):
                        yield item
                return
            except (LeaseError, UnavailableError) as error:
                again = delivery.failed(error)
            self.run(again)

    def write(self, stream: StreamOf[bytes], file: BinaryIO) -> None:
        """Writes a stream about a stage to a file; from its beginning if a daemon is lost."""

        def restart() -> None:
            _tools.start_again(file)

        for reopens_left in reversed(range(MAX_REOPENS + 1)):
            lost = stream.session.handle
            try:
                for message in self.stream(stream.call(), restart=restart):
                    file.writelines(stream.items(message))
                return
            except LeaseError:
                if not reopens_left:
                    raise
            restart()
            self.run(stream.session.reopen(lost))

    def stream(
        self,
        made: Call,
        *,
        ahead: bool = False,
        timeout: float | None = None,
        started: Callable[[Any], object] | None = None,
        restart: Callable[[], object] | None = None,
    ) -> Iterator[Message]:
        """The whole messages of a stream. Ending the iteration early cancels the call.

        ahead: whether they are received while the caller is busy with earlier ones.
        timeout: instead of that of the client or of call_options.
        started: receives the call of gRPC, to cancel it.
        restart: drops the messages so far. With it, a stream is repeated from its beginning if its
          connection breaks; without it, only if no message had arrived.
        """
        self._prepare()
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
                for part in self._read_ahead(rpc) if ahead else rpc:
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
                found = self._look(attempts, error)
                pause = attempts.failed(error, received=kept, busy=busy, diagnosis=found)
                if restart is not None:
                    restart()
            finally:
                rpc.cancel()
            self._pause(pause)

    def _invoke(self, made: Call) -> Any:
        if made.method.streams:
            messages: list[Message] = []
            for message in self.stream(made, restart=messages.clear):
                messages.append(message)
            return messages
        self._prepare()
        carried = self._carry(made)
        if carried is not None:
            self._endpoint.daemon_known = True
            return carried
        key = self._join_key(made)
        if key is not None:
            return self._coalescer().run(made, key)
        return self._ask(made)

    def _ask(self, made: Call) -> Message:
        """Makes a unary call over gRPC, with its retries."""
        self._count_query(made, False)
        attempts = Attempts(self._endpoint, made)
        while True:
            call = self._callable(attempts.address, made)
            try:
                reply: Message = call(
                    made.request, timeout=attempts.timeout, metadata=attempts.metadata
                )
            except grpc.RpcError as error:
                pause = attempts.failed(error, diagnosis=self._look(attempts, error))
            else:
                self._endpoint.daemon_known = True
                return reply
            self._pause(pause)

    # ------------------------------------------------------------------------------------ leases

    def renew_leases(self) -> float:
        """Renews the leases that were not used for long, and closes those of dropped stages.

        Returns the seconds until the next ones are due. Called by the thread or task of the client.
        """
        while self._dropped:
            self._give_back([self._dropped.popleft()])
        for session in self._due_sessions():
            # The next call that uses the stage reports what is wrong, or opens it again. Anything
            # may be raised here, by a function that returns the token for example.
            with contextlib.suppress(Exception), call_options(timeout=max(1.0, session.ttl / 3)):
                self.run(session.renew())
        return self._seconds_until_due()
