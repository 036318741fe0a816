"""Watching a stage: what the synchronous and the asyncio client have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from stagedoor import _html
from stagedoor._calls import Call, call
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.errors import Error

# A watch lasts until it is ended. The daemon ends calls after a while (--max-call-seconds), which
# are then repeated.
CALL_SECONDS = 24 * 3600.0

# Between two calls of which the first brought nothing.
PAUSE_SECONDS = 0.5

_LOST = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED"})


@dataclass(frozen=True)
class Changes:
    """The changes between two snapshots of a stage. Corresponds to Usd.Notice.ObjectsChanged.

    resynced_paths: prims and properties that have appeared, disappeared or may be composed in
      another way, each with everything below it; "/" if everything may have changed.
    changed_info: other prims and properties with changed opinions, and the names of the fields,
      such as "default" and "timeSamples".
    """

    previous_snapshot: str
    snapshot: str
    resynced_paths: tuple[str, ...] = ()
    changed_info: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def affects(self, path: str) -> bool:
        """Whether the prim or property at a path may have changed."""
        if path in self.changed_info:
            return True
        return any(
            path == root or root == "/" or path.startswith((f"{root}/", f"{root}."))
            for root in self.resynced_paths
        )

    def _repr_html_(self) -> str:
        return _html.changes(self)


class WatchState:
    """Where a watch is. Makes no calls."""

    def __init__(self, session: Session, paths: Iterable[str], interval: float) -> None:
        self.session = session
        self._paths = [str(path) for path in paths]
        self._interval = interval
        self._since = session.snapshot  # so that no change after what was read is missed

    def call(self) -> Call:
        request = v1.WatchStageRequest(stage=self.session.ref(self._since), paths=self._paths)
        request.min_interval.FromNanoseconds(round(self._interval * 1e9))
        return call("WatchStage", request, self.session.routing_key)

    def take(self, message: Message) -> Changes | None:
        """The changes that a message reports; None for the first one, if there are none."""
        self._since = message.snapshot
        if message.snapshot == message.previous_snapshot or not message.previous_snapshot:
            return None
        self.session.saw(message.snapshot)
        return Changes(
            message.previous_snapshot,
            message.snapshot,
            tuple(message.resynced_paths),
            {info.path: tuple(info.fields) for info in message.changed_infos},
        )


def continues_after(error: Error) -> bool:
    """Whether the watch continues with another call, because only this one is over."""
    return error.code in _LOST
