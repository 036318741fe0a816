"""Plans that compute bounds: of prims, of instances of point instancers, and of models."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from stagedoor._calls import Plan
from stagedoor._decode import damaged, unpack
from stagedoor._geom import PURPOSES, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor._values import Path, path_list
from stagedoor.results import BBox, PathTable
from stagedoor.types import Array

_SPACES = {"world": 1, "untransformed": 2, "local": 3}
_RELATIVE = 4


@dataclasses.dataclass(frozen=True)
class BoundsOptions:
    """The options of Stage.bounds."""

    space: str = "world"
    purposes: Sequence[str] = ("default", "render", "proxy")
    use_extents_hint: bool = False
    ignore_visibility: bool = False
    relative_to: Path | None = None
    instances: Sequence[int] | None = None
    base_time: float | None = None

    def __post_init__(self) -> None:
        if self.space not in _SPACES:
            raise ValueError(f"unknown space {self.space!r}; use one of {sorted(_SPACES)}")
        if self.relative_to is not None and self.space != "world":
            raise ValueError("relative_to is a space of its own: leave out space")
        if self.instances is not None and len(self.instances) == 0:
            raise ValueError("instances is empty: name at least one")

    def request(self, query: Query) -> Message:
        request = v1.ComputeBoundsRequest(
            space=_SPACES[self.space],
            purposes=[PURPOSES[name] for name in self.purposes if name in PURPOSES],
            other_purposes=[name for name in self.purposes if name not in PURPOSES],
            use_extents_hint=self.use_extents_hint,
            ignore_visibility=self.ignore_visibility,
            times=query.times(),
        )
        if self.relative_to is not None:
            request.space = _RELATIVE
            [request.relative_to] = path_list(self.relative_to)
        if self.instances is not None:
            request.instance_indices.extend(int(index) for index in self.instances)
        if self.base_time is not None:
            request.base_time.numeric = self.base_time
        return request

    def rows(self, query: Query, items: Array) -> Array:
        """The elements of each path, which may have an axis of times, and one of instances."""
        if self.instances is None:
            return query.rows(items)
        count = len(self.instances)
        if len(items) % count:
            raise damaged(f"{len(items)} bounds for {count} instances")
        return query.rows(items.reshape((-1, count, *items.shape[1:])))


def bounds(session: Session, query: Query, options: BoundsOptions) -> Plan[PathTable[Array]]:
    def some(part: Query, pin: str) -> Plan[PathTable[Array]]:
        request = options.request(part)
        reply = yield from session.ask_about("ComputeBounds", part.paths, request, pin)
        rows = options.rows(part, unpack(reply.bounds))
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def bounding_boxes(session: Session, query: Query, options: BoundsOptions) -> Plan[PathTable[BBox]]:
    def some(part: Query, pin: str) -> Plan[PathTable[BBox]]:
        request = options.request(part)
        request.with_boxes = True
        reply = yield from session.ask_about("ComputeBounds", part.paths, request, pin)
        ranges = options.rows(part, unpack(reply.box_ranges))
        matrices = options.rows(part, unpack(reply.box_matrices))
        boxes = list(map(BBox, ranges, matrices))
        return part.table(boxes, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def extents_hints(session: Session, query: Query, options: BoundsOptions) -> Plan[PathTable[Any]]:
    """For each path, the corners, or a list with those at each time."""

    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = options.request(part)
        request.with_extents_hints = True
        reply = yield from session.ask_about("ComputeBounds", part.paths, request, pin)
        corners = unpack(reply.extents_hints)
        ends = np.cumsum(np.fromiter(reply.extents_hint_sizes, np.int64))
        times = len(part.codes)
        if len(ends) != len(part.paths) * times or (len(ends) and ends[-1] != len(corners)):
            raise damaged(f"{len(corners)} corners of {len(ends)} hints")
        items = np.split(corners, ends[:-1]) if len(ends) else []
        rows: list[Any] = [items[i : i + times] for i in range(0, len(items), times)]
        found = [row[0] for row in rows] if part.single else rows
        return part.table(found, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))
