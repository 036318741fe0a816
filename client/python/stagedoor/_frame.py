"""Frames: what they know without asking, and how they are read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar, cast

from stagedoor import _times
from stagedoor._calls import Call
from stagedoor._frame_contents import NOTHING, Arrival, Contents
from stagedoor._frame_request import FrameOptions
from stagedoor._handles import Unpicklable
from stagedoor._proto import Message, v1
from stagedoor._session import MAX_REOPENS, Delivery, Session, StreamOf
from stagedoor.errors import Error
from stagedoor.results import (
    FrameCamera,
    FrameGeometries,
    FrameLights,
    FrameLightSets,
    FrameMaterials,
    FramePart,
    FramePrims,
    FrameSubsets,
    FrameTransforms,
    FrameVisibility,
    Progress,
    RenderSettings,
)
from stagedoor.types import Time, TimeCode, Warning

F = TypeVar("F", bound="FrameHandle")

OnProgress = Callable[[Progress], object]


class FrameHandle(Unpicklable):
    """The contents of a frame, and the request for the next one."""

    def __init__(
        self,
        stage: Any,
        time: Time,
        options: FrameOptions,
        *,
        changes_between_snapshots: bool = False,
        progress: OnProgress | None = None,
        before: FrameHandle | None = None,
    ) -> None:
        self._stage = stage
        self._session: Session = stage._session
        self._time = _times.time_code(time)
        self._options = options
        self._fields = options.fields(self._time)
        self._changes = changes_between_snapshots
        self._progress = progress
        self._base = NOTHING if before is None else before._contents()
        self._base_token = b"" if before is None else before._arrived.token
        self._base_snapshot = "" if before is None else before.snapshot
        self._base_changed: tuple[int, ...] = ()
        if before is not None and not before.complete:  # they are likely to change again
            self._base_changed = before._arrived.changed
        self._arrival: Arrival | None = None
        self._done = False
        self._lock = threading.Lock()  # guards what follows
        self._reading = False
        self._cancelled = False
        self._rpc: Any = None

    def next(self: F, time: Time = None, *, progress: OnProgress | None = None) -> F:
        """A frame at another time, for which only what differs from this one is asked.

        It iterates over the parts that differ, and holds all parts, of which it shares the others
        with this frame. This frame stays as it is. The next one is of the newest snapshot of the
        stage, and has the options of this frame. All is sent if the snapshot is another one, unless
        this frame was asked for with `changes_between_snapshots`.

        progress: as of Stage.frame.
        """
        if not self._done:
            raise ValueError("the frame was not read to its end: call its method read() before")
        return type(self)(
            self._stage,
            time,
            self._options,
            changes_between_snapshots=self._changes,
            progress=progress,
            before=self,
        )

    # ------------------------------------------------------------------------------ description

    @property
    def time(self) -> TimeCode:
        """The time that was asked for."""
        return self._time

    @property
    def done(self) -> bool:
        """Whether all of the frame has arrived."""
        return self._done

    @property
    def snapshot(self) -> str:
        """The fingerprint of the snapshot that was read."""
        return str(self._header.snapshot)

    @property
    def complete(self) -> bool:
        """Whether all of the frame was sent, not only what differs from the frame before."""
        return bool(self._header.complete)

    @property
    def token(self) -> bytes:
        """The token that names the frame to the daemon; empty as long as it is not `done`."""
        return self._arrived.token

    @property
    def prim_count(self) -> int:
        """How many prims can be drawn; those that are left out at this time are counted."""
        return int(self._header.prim_count)

    @property
    def meters_per_unit(self) -> float:
        return float(self._header.meters_per_unit)

    @property
    def time_codes_per_second(self) -> float:
        return float(self._header.time_codes_per_second)

    @property
    def up_axis(self) -> str:
        """ "Y" or "Z"."""
        return str(self._header.up_axis)

    # ----------------------------------------------------------------------------------- objects

    @property
    def settings(self) -> RenderSettings | None:
        """The render settings that were asked for, or those of the stage; None if it has none."""
        return self._contents().settings

    @property
    def camera(self) -> FrameCamera | None:
        """The camera that was asked for, or that of the settings; None if there is none."""
        return self._contents().camera

    @property
    def prims(self) -> FramePrims:
        """The prims to draw."""
        return cast(FramePrims, self._contents().view("prims"))

    @property
    def visibility(self) -> FrameVisibility:
        """Whether prims and lights are visible."""
        return cast(FrameVisibility, self._contents().view("visibility"))

    @property
    def transforms(self) -> FrameTransforms:
        """Where prims and lights are."""
        return cast(FrameTransforms, self._contents().view("transforms"))

    @property
    def geometry(self) -> FrameGeometries:
        """The arrays and other values of prims.

        After changes of the stage, it may have some that no prim has any more. So may `materials`
        and `subsets`.
        """
        return cast(FrameGeometries, self._contents().view("geometry"))

    @property
    def subsets(self) -> FrameSubsets:
        """The GeomSubsets of prims."""
        return cast(FrameSubsets, self._contents().view("subsets"))

    @property
    def materials(self) -> FrameMaterials:
        """The materials that prims, subsets and lights are bound to."""
        return cast(FrameMaterials, self._contents().view("materials"))

    @property
    def lights(self) -> FrameLights:
        """The lights and light filters."""
        return cast(FrameLights, self._contents().view("lights"))

    @property
    def light_sets(self) -> FrameLightSets:
        """The sets of lights that prims are linked to."""
        return cast(FrameLightSets, self._contents().view("light_sets"))

    @property
    def errors(self) -> Mapping[str, Error]:
        """The errors of prims that could not be computed, by path.

        Of parts that were not computed again since the frame before, that frame has the errors.
        """
        return self._arrived.errors

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """The problems that were met when the frame was computed."""
        return self._arrived.warnings

    def __repr__(self) -> str:
        count = f"{self.prim_count:,} prims" if self._done else "not read"
        time = f"{self._time.value:g}" if self._time.kind == "numeric" else self._time
        return f"<Frame of {self._session.request.root_layer} at {time}: {count}>"

    def _again(self) -> str:
        return f"{self._stage._again()}.frame({self._time!r})"

    @property
    def _arrived(self) -> Arrival:
        if self._arrival is None:
            raise ValueError("the frame was not read: loop over it, or call its method read()")
        return self._arrival

    @property
    def _header(self) -> Message:
        header = self._arrived.header
        if header is None:
            raise ValueError("nothing of the frame has arrived")
        return header

    def _contents(self) -> Contents:
        return self._arrived.contents()

    # ----------------------------------------------------------------------------------- reading

    def _begin(self, shown: bool) -> FrameDelivery:
        """Begins to read the frame. `shown`: whether the parts are handed out."""
        request = v1.ExtractFrameRequest(
            base_token=self._base_token,
            changes_between_snapshots=self._changes,
            **self._fields,
        )
        held = self._session.frame_arrays.expect(self._time, self._expected())
        if self._session.frame_arrays.enabled:
            request.digest_options.known.extend(held.known)
            request.digest_options.SetInParent()
        with self._lock:
            if self._reading:
                raise ValueError("the frame is being read: use one loop at a time")
            self._reading, self._cancelled, self._rpc = True, False, None
        self._arrival = Arrival(self._base, held)
        stream: StreamOf[FramePart] = StreamOf(
            self._session, "ExtractFrame", request, lambda _: iter(()), ordered=True
        )
        timeout = self._stage._client._endpoint.timeout
        return FrameDelivery(stream, self._arrival, timeout, shown, self._progress)

    def _expected(self) -> Iterable[int] | None:
        """The objects whose arrays may come; None if they may be those of all."""
        if not self._base_token or self._session.snapshot != self._base_snapshot:
            return None
        return self._base_changed

    def _started(self, rpc: Any) -> None:
        """Takes note of the call that is to be cancelled in the end."""
        with self._lock:
            self._rpc = rpc
            if self._cancelled:
                rpc.cancel()

    def _finish(self) -> None:
        """Takes note that all of the frame has arrived."""
        self._arrived.end()
        self._base, self._base_changed = NOTHING, ()
        self._done = True

    def _stop(self) -> None:
        """Ends the reading of the frame, whether it is done or not."""
        with self._lock:
            self._reading = False
            if self._rpc is not None:
                self._rpc.cancel()


class FrameDelivery(Delivery[FramePart]):
    """The progress of a frame's stream, and whether another call may go on after it.

    If its daemon is lost, another one is asked for the frame from its beginning. Parts that have
    been handed out are not handed out again; if none have been, it may be of another snapshot.
    """

    def __init__(
        self,
        stream: StreamOf[FramePart],
        arrival: Arrival,
        timeout: float,
        shown: bool,
        progress: OnProgress | None,
    ) -> None:
        super().__init__(stream, timeout)
        self._arrival = arrival
        self._shown = shown
        self._progress = progress

    def call(self) -> Call:
        self._arrival.begin(again=self._handed_out > 0)
        return super().call()

    def take(self, message: Message) -> Iterator[FramePart]:
        """The parts of a message that are new."""
        self._receive(str(message.header.snapshot))
        self._stream.session.saw(message.header.snapshot)
        for part in self._arrival.take(message):
            if self._shown:
                self._handed_out += 1
                self._failures_left = MAX_REOPENS
            yield part
        if self._progress is not None:
            done, total = self._arrival.prim_count, self._arrival.total
            self._progress(Progress("prims", total if message.token else done, total))
