"""The common part of synchronous and asynchronous clients: calls, their metadata, failover."""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
import itertools
import os
import sys
import time
import uuid
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc

from stagedoor import _diagnosis
from stagedoor._diagnosis import Diagnosis
from stagedoor._options import Authorization, Options
from stagedoor._proto import METHODS, Message, Method
from stagedoor._retry import RetryPolicy
from stagedoor.errors import Error, from_rpc, has_details, http_status, make_error
from stagedoor.types import Array

T = TypeVar("T")

_SLOW_LOOP = (
    "the deadline includes the time of the loop that receives the items: "
    "make a list of them first, or set call_options(timeout=...)"
)

_ROUTING_KEY = "stagedoor-routing-key"

# The calls that may go over a query socket.
QUERIES = METHODS["BatchGetValues"]

# By segment and offset: the arrays of a reply that came in shared memory.
SharedBytes = dict[tuple[int, int], Array]

# Not repeated, because the daemon may have carried them out.
_NOT_REPEATED = frozenset({"CloseStage"})


@dataclass(frozen=True)
class Call:
    """One call, which a client makes on behalf of a plan."""

    method: Method
    request: Message
    # The `routing_key` of the stage of the call; empty for a call without a stage.
    routing_key: str = ""
    # Where the arrays of the reply go that come in shared memory; None: none may.
    shared: SharedBytes | None = None

    @property
    def repeatable(self) -> bool:
        return self.method.name not in _NOT_REPEATED


def call(
    method: str, request: Message, routing_key: str = "", shared: SharedBytes | None = None
) -> Call:
    return Call(METHODS[method], request, routing_key, shared)


def routing_key(root_layer: str) -> str:
    """The key of a root layer, by which a proxy sends all calls for it to the same daemon."""
    return hashlib.sha256(root_layer.encode()).hexdigest()


# A plan yields calls and receives their replies: a message, or the list of messages of a stream. It
# has no other contact with the outside, so that both kinds of clients can carry it out.
Plan = Generator[Call, Any, T]


@dataclass(frozen=True)
class CallOptions:
    timeout: float | None = None
    metadata: tuple[tuple[str, str], ...] = ()


_NO_OPTIONS = CallOptions()
_current: contextvars.ContextVar[CallOptions] = contextvars.ContextVar(
    "stagedoor_call_options", default=_NO_OPTIONS
)


def current_options() -> CallOptions:
    """The options of the calls that this thread or task makes now."""
    return _current.get()


@contextlib.contextmanager
def call_options(
    *,
    timeout: float | None = None,
    request_id: str | None = None,
    traceparent: str | None = None,
    metadata: Mapping[str, str] | None = None,
) -> Iterator[None]:
    """Sets options for all calls that the block makes, in this thread or asyncio task.

    timeout: the deadline of each call, in seconds, retries included.
    request_id, traceparent: metadata by which the log of the daemon finds the calls again.
    metadata: any other metadata.

        with stagedoor.call_options(timeout=0.04, request_id="frame-12"):
            points = stage["/World/Char.points"].get(12)
    """
    outer = _current.get()
    entries = list((metadata or {}).items())
    entries += [("x-request-id", request_id)] if request_id is not None else []
    entries += [("traceparent", traceparent)] if traceparent is not None else []
    names = {name for name, _ in entries}
    kept = [entry for entry in outer.metadata if entry[0] not in names]
    options = CallOptions(timeout if timeout is not None else outer.timeout, tuple(kept + entries))
    token = _current.set(options)
    try:
        yield
    finally:
        _current.reset(token)


class Attempts:
    """One call with all its attempts. Not thread-safe."""

    def __init__(self, endpoint: Endpoint, made: Call, timeout: float | None = None) -> None:
        self._endpoint = endpoint
        self._call = made
        self.request, self.method = made.request, made.method
        options = _current.get()
        if timeout is None:
            timeout = endpoint.timeout
        self._policy = RetryPolicy(endpoint.options, timeout, time.monotonic())
        self.metadata = endpoint.metadata(options, made.routing_key)
        self.address = endpoint.address

    @property
    def timeout(self) -> float:
        """The seconds left for an attempt; raises an error if there are none."""
        left = self._policy.deadline - time.monotonic()
        if left <= 0:
            raise make_error(
                f"{self._call.method.name} did not end before its deadline",
                code="DEADLINE_EXCEEDED",
            )
        return left

    def is_puzzling(self, rpc_error: Any) -> bool:
        """Whether the daemon cannot be reached, and nothing is known about why."""
        details = rpc_error.details() or ""
        return (
            rpc_error.code() == grpc.StatusCode.UNAVAILABLE
            and not self._endpoint.daemon_known
            and not has_details(rpc_error)
            and self._endpoint.options.proxy != "environment"
            and http_status(rpc_error) is None
            and "DNS" not in details  # asking again would take as long
        )

    def is_lost(self, rpc_error: Any) -> bool:
        """Whether the private daemon has ended, and the call waits for another one."""
        return (
            self._endpoint.options.private_daemon is not None
            and rpc_error.code() == grpc.StatusCode.UNAVAILABLE
            and not has_details(rpc_error)
            and self._call.repeatable
        )

    def needs_look(self, rpc_error: Any) -> bool:
        """Whether `look` takes time."""
        return self.is_lost(rpc_error) or self.is_puzzling(rpc_error)

    def look(self, rpc_error: Any) -> Diagnosis | None:
        """Finds out why an attempt failed, or does something about it.

        Starts the private daemon again; otherwise says why the daemon cannot be reached, if that
        is not known.
        """
        if self.is_lost(rpc_error):
            self._endpoint.revive()
            return None
        if not self.is_puzzling(rpc_error):
            return None
        seconds = min(_diagnosis.SECONDS, self.timeout)
        options = self._endpoint.options
        # gRPC does not use a proxy for sockets of this machine.
        if options.proxy is None or self.address.startswith("unix:"):
            return _diagnosis.diagnose(self.address, options.tls, seconds)
        return _diagnosis.diagnose_proxy(options.proxy, self.address, seconds)

    def failed(
        self,
        rpc_error: Any,
        *,
        received: bool = False,
        busy: float = 0.0,
        diagnosis: Diagnosis | None = None,
    ) -> float:
        """Takes note of a failed attempt; returns the pause before the next one.

        Raises the error if no attempt follows: the call may not be repeated, or the stream has
        delivered a message. `busy` is how many seconds the caller needed for the messages so far.
        """
        error = from_rpc(rpc_error)
        if diagnosis is not None:
            return self._diagnosed(diagnosis)
        from_daemon = error.code != "UNAVAILABLE" or has_details(rpc_error)
        if self._unanswered(error, rpc_error, received) or not from_daemon:
            self._endpoint.leave(self.address)
        else:
            self._endpoint.daemon_known = True
        pause = None
        if self._call.repeatable and not received:
            pause = self._policy.pause(
                error,
                from_daemon=from_daemon,
                daemon_known=self._endpoint.daemon_known,
                now=time.monotonic(),
            )
        if pause is None:
            raise self._explained(error, from_daemon, busy) from None
        self.address = self._endpoint.address
        return pause

    def _diagnosed(self, diagnosis: Diagnosis) -> float:
        """As `failed`, if it is known why the daemon cannot be reached."""
        error = make_error(diagnosis.text, code=diagnosis.code)
        error.hint = diagnosis.hint
        error.metadata["method"] = self._call.method.name
        self._endpoint.leave(self.address)
        pause = None
        if self._policy.others_left or (
            diagnosis.refused and self._endpoint.options.wait_if_refused
        ):
            waiting = make_error("", code="UNAVAILABLE")
            now = time.monotonic()
            pause = self._policy.pause(waiting, from_daemon=False, daemon_known=False, now=now)
        if pause is None:
            raise self._explained(error, not diagnosis.refused, 0.0) from None
        self.address = self._endpoint.address
        return pause

    def _unanswered(self, error: Error, rpc_error: Any, received: bool) -> bool:
        """Whether nothing came before a deadline that was not too short: the host may be gone."""
        if error.code != "DEADLINE_EXCEEDED" or received or has_details(rpc_error):
            return False
        return self._policy.timeout >= self._endpoint.options.connect_timeout

    def _explained(self, error: Error, from_daemon: bool, busy: float) -> Error:
        error.metadata.setdefault("method", self._call.method.name)
        if error.code == "DEADLINE_EXCEEDED" and busy > self._policy.timeout / 2:
            error.hint = _SLOW_LOOP
        if not from_daemon and not self._endpoint.daemon_known:
            names = ", ".join(self._endpoint.options.addresses)
            through = self._endpoint.options.proxy_text
            error.message = f"no daemon answers at {names}{through}: {error.message}"
        return error


class Endpoint:
    """The daemons that a client may talk to, and what it knows about them. Thread-safe."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.daemon_known = False
        self._ready = options.private_daemon is None
        self._authorization = Authorization(options)
        self._index = 0
        self._pid = os.getpid()
        self._prefix = uuid.uuid4().hex[:12]
        self._numbers = itertools.count(1)

    @property
    def address(self) -> str:
        return self.options.addresses[self._index]

    @property
    def timeout(self) -> float:
        """The deadline of a call, in seconds."""
        asked = _current.get().timeout
        return asked if asked is not None else self.options.timeout

    def leave(self, address: str) -> None:
        """Turns to the next address, unless another thread has done so."""
        addresses = self.options.addresses
        if address == self.address:
            self._index = (self._index + 1) % len(addresses)

    @property
    def is_ready(self) -> bool:
        """Whether a call may be made; if not, `revive` has to be called before."""
        return self._ready

    def revive(self) -> None:
        """Starts the private daemon, if it is to be used and does not run."""
        self.check_process()
        if self.options.private_daemon is not None:
            self.options.private_daemon.ensure()
            self.daemon_known = True  # it has accepted a connection
        self._ready = True

    def check_process(self) -> None:
        """Raises an error in a child process of the one that made the client."""
        if os.getpid() != self._pid:
            raise Error(
                "this client belongs to the parent process: gRPC connections do not survive "
                "fork(); call stagedoor.connect() in the child, or start it with 'spawn'",
                code="FAILED_PRECONDITION",
            )

    def metadata(self, options: CallOptions, routing_key: str = "") -> list[tuple[str, str]]:
        entries = list(options.metadata)
        names = {name for name, _ in entries}
        if routing_key and _ROUTING_KEY not in names:
            entries.append((_ROUTING_KEY, routing_key))
        if "x-request-id" not in names:
            entries.append(("x-request-id", f"{self._prefix}-{next(self._numbers)}"))
        if "traceparent" not in names:
            traceparent = active_traceparent()
            if traceparent:
                entries.append(("traceparent", traceparent))
        authorization = self._authorization.header()
        if authorization:
            entries.append(("authorization", authorization))
        return entries


def active_traceparent() -> str:
    """The W3C trace context of the active OpenTelemetry span, if the program uses OpenTelemetry."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return ""
    context = trace.get_current_span().get_span_context()
    if not context.is_valid:
        return ""
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{int(context.trace_flags):02x}"
