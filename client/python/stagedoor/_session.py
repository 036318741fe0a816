"""A stage as a client holds it: a lease on a session, which is opened again when it is lost."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from stagedoor._calls import Call, Plan, SharedBytes, call, routing_key
from stagedoor._digests import ArrayCache
from stagedoor._frame_arrays import FrameArrays
from stagedoor._path_sets import PathList, PathSets, is_answered
from stagedoor._proto import Message, v1
from stagedoor.errors import Error, LeaseError, NotFoundError, UnavailableError, make_error

T = TypeVar("T")

# Bounds of the time to live of a lease, in seconds. An expiry that the daemon states outside of
# them is not believed, because its clock and ours may differ. Renewing a lease more often than
# necessary costs little.
_MIN_TTL = 5.0
_MAX_TTL = 60.0

# How often one query opens its stage again.
MAX_REOPENS = 3

# The size of the edits of a session layer that a session remembers.
_MAX_EDIT_BYTES = 64 << 20


@dataclass(eq=False)
class Lease:
    """A handle. Outlives its session, so that it can be given back when that was only dropped."""

    handle: str = ""
    routing_key: str = ""
    closed: bool = False

    def close(self) -> Plan[None]:
        if self.closed:
            return
        self.closed = True
        # The daemon has forgotten it already, or will do so: when it ends, or the lease expires.
        with contextlib.suppress(LeaseError, UnavailableError):
            request = v1.CloseStageRequest(handle=self.handle)
            yield call("CloseStage", request, self.routing_key)


class Session:
    """The state of an open stage. Makes no calls; its plans do.

    The request that opened the stage is kept with the edits made since folded into it, so that a
    private session can be opened again as it was: after an expired lease, a restart of the daemon,
    or at another address.
    """

    def __init__(
        self,
        request: Message,
        arrays: ArrayCache,
        edit_lock: Any,
        path_sets: PathSets | None = None,
    ) -> None:
        # Held while an edit is made and folded, so that edits are folded in the order of the
        # daemon: a threading.Lock, or an asyncio.Lock.
        self.edit_lock = edit_lock
        self.request = request
        self._request_lock = threading.Lock()  # held while the request is changed or copied
        self.arrays = arrays
        self.path_sets = PathSets() if path_sets is None else path_sets
        self.info: Message = v1.Stage()
        self.snapshot = ""
        self.frame_arrays = FrameArrays(arrays)
        # Counts the snapshots seen, so that handles notice that what they have read is outdated.
        self.generation = 0
        self.routing_key = routing_key(request.root_layer)
        self.lease = Lease(routing_key=self.routing_key)
        self.used = 0.0  # when the lease was renewed last, by time.monotonic()
        self.ttl = _MAX_TTL  # how long the lease lives without being used, at least
        self._edited = False
        # The calls of EditStage since the session layer was set, to be made again if the stage is
        # opened again; None if they became too many.
        self._edits: list[Message] | None = []
        self._edit_bytes = 0

    @property
    def closed(self) -> bool:
        return self.lease.closed

    @property
    def handle(self) -> str:
        return self.lease.handle

    @property
    def named(self) -> bool:
        return bool(self.request.session)

    def ref(self, pin: str = "") -> Message:
        """The reference to the newest snapshot, or to the one that `pin` names."""
        if self.closed:
            raise ValueError(f"the stage {self.request.root_layer!r} is closed")
        self.used = time.monotonic()
        return v1.StageRef(handle=self.lease.handle, snapshot=pin)

    def saw(self, snapshot: str) -> None:
        """Takes note of the newest snapshot, as a reply states it."""
        if snapshot and snapshot != self.snapshot:
            self.snapshot = snapshot
            self.generation += 1

    # ------------------------------------------------------------------------------------- leases

    def open(self) -> Plan[None]:
        """Opens the stage for the first time."""
        asked = time.time()
        self._adopt((yield self._open_call()), asked)

    def reopen(self, lost: str) -> Plan[None]:
        """Opens the stage again, unless another call has done so since `lost` was the handle."""
        if self.closed or self.handle != lost:
            return
        if self.named and self._edited:
            raise make_error(
                f"the lease on the session {self.request.session!r} is gone, and perhaps its edits",
                code="FAILED_PRECONDITION",
                reason="LEASE_EXPIRED",
            )
        if self._edits is None:
            raise make_error(
                "the lease of the stage is gone, with more edits than this client remembers",
                code="FAILED_PRECONDITION",
                reason="LEASE_EXPIRED",
            )
        asked = time.time()
        reply = yield self._open_call()
        edited = yield from self._edit_again(reply.handle)
        if self.handle == lost:
            self._adopt(reply, asked)
            self.saw(edited)
        else:  # another call was faster
            yield from Lease(reply.handle, self.routing_key).close()

    def _edit_again(self, handle: str) -> Plan[str]:
        """Makes the edits of the session layer on a stage that was opened again.

        Returns the snapshot; empty if there are no edits.
        """
        snapshot = ""
        for edits in list(self._edits or ()):
            request = v1.EditStageRequest(stage=v1.StageRef(handle=handle))
            request.target.CopyFrom(edits.target)
            request.edits.extend(edits.edits)
            snapshot = str((yield call("EditStage", request, self.routing_key)).snapshot)
        return snapshot

    def _open_call(self) -> Call:
        request = v1.OpenStageRequest()
        with self._request_lock:
            request.CopyFrom(self.request)
        request.request_id = uuid.uuid4().hex
        return call("OpenStage", request, self.routing_key)

    def _adopt(self, reply: Message, asked: float) -> None:
        """Uses the handle of a reply to a request that was made at the time `asked`."""
        self.lease.handle = reply.handle
        self.info = reply.stage
        self.used = time.monotonic()
        expires = reply.lease_expire_time
        left = expires.seconds + expires.nanos / 1e9 - asked  # if our clock is that of the daemon
        self.ttl = min(max(left, _MIN_TTL), _MAX_TTL)
        if self.request.HasField("lease_ttl"):
            wanted = self.request.lease_ttl
            self.ttl = min(self.ttl, wanted.seconds + wanted.nanos / 1e9)
        self.saw(reply.stage.snapshot)

    def renew(self) -> Plan[None]:
        """Keeps the lease alive. Call it every `ttl / 3`."""
        if not self.closed:
            request = v1.RenewLeaseRequest(handle=self.lease.handle)
            if self.request.HasField("lease_ttl"):
                request.lease_ttl.CopyFrom(self.request.lease_ttl)
            self.used = time.monotonic()
            yield call("RenewLease", request, self.routing_key)

    # ---------------------------------------------------------------------------------- the calls

    def ask(
        self, method: str, request: Message, pin: str = "", shared: SharedBytes | None = None
    ) -> Plan[Message]:
        """Calls a method about the stage; opens the stage again if its lease is lost.

        More than once, because a proxy may have moved the stage again meanwhile. `shared` is where
        arrays go that come in shared memory, if they may.
        """
        for reopens_left in reversed(range(MAX_REOPENS + 1)):
            lost = self.lease.handle
            _set_stage(request, self.ref(pin))
            try:
                reply = yield call(method, request, self.routing_key, shared)
                break
            except LeaseError:
                if not reopens_left:
                    raise
            yield from self.reopen(lost)
            pin = ""
        if not pin:
            first = reply[0] if isinstance(reply, list) and reply else reply
            self.saw(getattr(first, "snapshot", ""))
        return reply

    def ask_about(
        self,
        method: str,
        paths: Sequence[str],
        request: Message,
        pin: str = "",
        shared: SharedBytes | None = None,
    ) -> Plan[Message]:
        """As `ask`, for a request about paths, to which it adds the paths.

        A long list that was sent before is named, and then referred to. If the daemon has forgotten
        it, for example because it was restarted, it is named again.
        """
        known = self.path_sets.look(paths)
        for _ in range(MAX_REOPENS):
            name = b"" if known is None else (yield from self._name_of(known))
            if known is None or not name:
                break
            request.path_set = name
            try:
                reply = yield from self.ask(method, request, pin)
            except NotFoundError as error:
                if error.reason != "PATH_SET_UNKNOWN":
                    raise
                self.path_sets.forget(known)
                continue
            if is_answered(method, reply):
                return reply
            self.path_sets.disable()
            break
        request.ClearField("path_set")
        request.paths.extend(paths)
        return (yield from self.ask(method, request, pin, shared))

    def _name_of(self, wanted: PathList) -> Plan[bytes]:
        """The name of a list of paths; empty if it is to be sent."""
        name = self.path_sets.name(wanted)
        if name is not None or not self.path_sets.seen(wanted):
            return name or b""
        try:
            request = v1.DefinePathsRequest(paths=wanted)
            name = bytes((yield call("DefinePaths", request, self.routing_key)).path_set)
        except Error as error:
            if isinstance(error, UnavailableError) or error.code == "DEADLINE_EXCEEDED":
                raise
            if error.code == "UNIMPLEMENTED":
                self.path_sets.disable()
            name = b""
        self.path_sets.set_name(wanted, name)
        return name

    def edit(self, method: str, request: Message, expected: str | None) -> Plan[Message]:
        """Makes an edit. `expected` is the snapshot that must be the newest, if it is given."""
        if expected is not None:
            request.expected_snapshot = expected
        request.request_id = uuid.uuid4().hex
        lost = self.lease.handle
        _set_stage(request, self.ref())
        try:
            reply = yield call(method, request, self.routing_key)
        except LeaseError:
            yield from self.reopen(lost)
            request.request_id = uuid.uuid4().hex  # as it is a different request now
            _set_stage(request, self.ref())
            reply = yield call(method, request, self.routing_key)
        self.saw(reply.snapshot)
        self._edited = True
        return reply

    # --------------------------------------------------------- folding edits into the open request

    def fold_session_layer(self, layer: Message | None) -> None:
        with self._request_lock:
            self._edits, self._edit_bytes = [], 0
            self.request.ClearField("session_layer")
            if layer is not None:
                self.request.session_layer.CopyFrom(layer)

    def keep_edits(self, request: Message) -> None:
        """Remembers a call of EditStage."""
        with self._request_lock:
            self._edit_bytes += request.ByteSize()
            if self._edits is None or self._edit_bytes > _MAX_EDIT_BYTES:
                self._edits = None
            else:
                self._edits.append(request)

    def fold_muting(self, mute: Iterable[str], unmute: Iterable[str]) -> None:
        with self._request_lock:
            left = [name for name in self.request.muted_layers if name not in set(unmute)]
            left += [name for name in mute if name not in left]
            del self.request.muted_layers[:]
            self.request.muted_layers.extend(left)

    def fold_load_rules(self, paths: Iterable[str], rule: str) -> None:
        """Replaces the load rules at and below `paths`, as the daemon does."""
        rules = self.request.load_rules
        number = v1.LoadRule.Rule.Value(f"RULE_{rule}")
        with self._request_lock:
            for path in paths:
                below = path.rstrip("/") + "/"
                kept = [r for r in rules if r.path != path and not r.path.startswith(below)]
                del rules[:]
                rules.extend(kept)
                rules.add(path=path, rule=number)


@dataclass(frozen=True)
class StreamOf(Generic[T]):
    """A stream about a stage whose items are handed out as they arrive, or together."""

    session: Session
    method: str
    request: Message
    items: Callable[[Message], Iterator[T]]
    pin: str = ""
    # Whether the messages are received while the program is busy with earlier ones.
    read_ahead: bool = False
    # Whether the same snapshot always gives the same items in the same order.
    ordered: bool = False

    def call(self) -> Call:
        _set_stage(self.request, self.session.ref(self.pin))
        return call(self.method, self.request, self.session.routing_key)

    def collect(self) -> Plan[list[T]]:
        """All items. Opens the stage again if its lease is lost; see Session.ask."""
        for reopens_left in reversed(range(MAX_REOPENS + 1)):
            lost = self.session.handle
            try:
                messages = yield self.call()
                break
            except LeaseError:
                if not reopens_left:
                    raise
            yield from self.session.reopen(lost)
        return [item for message in messages for item in self.items(message)]


class Delivery(Generic[T]):
    """The progress of a stream: the items handed out, and whether another call may go on after it.

    If the daemon of an ordered stream is lost, another one sends the same items again, of which
    those that the program has already got are left out.
    """

    def __init__(self, stream: StreamOf[T], timeout: float) -> None:
        self._stream = stream
        self._deadline = time.monotonic() + timeout
        self._snapshot = ""
        self._handed_out = 0
        self._seen = 0  # of the current call
        self._received = False  # whether the current call has brought anything
        self._error: Error | None = None  # why the call before this one ended
        self._failures_left = MAX_REOPENS
        self._lost = ""

    def call(self) -> Call:
        self._seen = 0
        self._received = False
        self._lost = self._stream.session.handle
        return self._stream.call()

    @property
    def timeout(self) -> float:
        """The seconds left; raises the error of the call before if there are none."""
        left = self._deadline - time.monotonic()
        if left <= 0 and self._error is not None:
            raise self._error
        return left

    def take(self, message: Message) -> Iterator[T]:
        """The items of a message that are new."""
        self._receive(str(getattr(message, "snapshot", "")))
        for item in self._stream.items(message):
            self._seen += 1
            if self._seen > self._handed_out:
                self._handed_out = self._seen
                self._failures_left = MAX_REOPENS
                yield item

    def _receive(self, snapshot: str) -> None:
        """Checks that the first message of a call goes on with the snapshot of the call before."""
        if self._received:
            return
        self._received = True
        if self._handed_out and self._error is not None and snapshot != self._snapshot:
            raise self._error
        self._snapshot = snapshot

    def failed(self, error: Error) -> Plan[None]:
        """Prepares the next call after a failed one; raises the error if none may follow."""
        goes_on = not self._handed_out or (self._stream.ordered and bool(self._snapshot))
        if isinstance(error, LeaseError):
            goes_on = goes_on and not self._received
        else:  # a call that has received nothing has been repeated until its deadline
            goes_on = goes_on and self._received
        if error is self._error or not goes_on or not self._failures_left:
            raise error
        self._failures_left -= 1
        self._error = error
        if isinstance(error, LeaseError):
            yield from self._stream.session.reopen(self._lost)


def _set_stage(request: Any, ref: Message) -> None:
    """Puts the reference to a stage where a request has it."""
    target = request.source if "source" in request.DESCRIPTOR.fields_by_name else request
    target.stage.CopyFrom(ref)
