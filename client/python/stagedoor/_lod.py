"""Plans that choose levels of detail."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from stagedoor._calls import Plan
from stagedoor._cameras import conform_policy
from stagedoor._decode import checked, damaged, enum_text
from stagedoor._geom import Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor._values import Path, path_text
from stagedoor.results import Frustum, LodChoice, LodRoot, PathTable


@dataclasses.dataclass(frozen=True)
class LodOptions:
    """From where prims are seen, and which heuristics count."""

    camera: Path | None = None
    viewpoint: Sequence[float] | None = None
    frustum: Frustum | None = None
    aspect_ratio: float = 0.0
    conform: str = "fit"
    domain: str = "imaging"
    distance_hysteresis: float = 0.0
    screen_size_hysteresis: float = 0.0

    def fields(self) -> dict[str, Any]:
        ways = [self.camera, self.viewpoint, self.frustum]
        if sum(way is not None for way in ways) != 1:
            raise ValueError("one of camera, viewpoint and frustum must be given")
        return {
            "camera": "" if self.camera is None else path_text(self.camera),
            "view": self._view(),
            "aspect_ratio": self.aspect_ratio,
            "conform_policy": conform_policy(self.conform),
            "domain": self.domain,
            "distance_hysteresis": self.distance_hysteresis,
            "screen_size_hysteresis": self.screen_size_hysteresis,
        }

    def _view(self) -> Message | None:
        if self.viewpoint is not None:
            return v1.LodView(viewpoint=[float(x) for x in self.viewpoint])
        if self.frustum is None:
            return None
        kind = "ORTHOGRAPHIC" if self.frustum.orthographic else "PERSPECTIVE"
        return v1.LodView(
            view_matrix=np.ravel(self.frustum.view).tolist(),
            projection=v1.CameraProjection.Value("CAMERA_PROJECTION_" + kind),
            window=np.ravel(self.frustum.window).tolist(),
            clipping_range=[self.frustum.near, self.frustum.far],
        )


def levels_of_detail(
    session: Session, query: Query, whole_stage: bool, options: LodOptions
) -> Plan[PathTable[LodRoot]]:
    fields = options.fields()

    def some(part: Query, pin: str) -> Plan[PathTable[LodRoot]]:
        request = v1.ComputeLevelsOfDetailRequest(**part.fields(), **fields)
        reply = yield from session.ask("ComputeLevelsOfDetail", request, pin)
        rows = [_root(message, part) for message in reply.roots]
        if whole_stage:
            return PathTable({root.path: root for root in rows}, {}, reply.snapshot)
        if len(rows) != len(part.paths):
            raise damaged(f"{len(rows)} results for {len(part.paths)} paths")
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    if whole_stage:
        return (yield from some(query, ""))
    if not query.paths:  # a request without paths would be about the whole stage
        return PathTable({}, {}, "")
    return (yield from query.in_parts(some))


def _root(message: Message, query: Query) -> LodRoot:
    levels = tuple(message.levels)
    choices = [_choice(choice, levels) for choice in message.choices]
    if choices and len(choices) != len(query.codes):
        raise damaged(f"{len(choices)} choices for {len(query.codes)} times")
    single = query.single and choices
    return LodRoot(message.path, levels, choices[0] if single else choices)


def _choice(message: Message, levels: tuple[str, ...]) -> LodChoice:
    shown: dict[str, float] = {}
    kind = enum_text(v1.LodShown, "LOD_SHOWN_", message.shown)
    if kind == "all":
        shown = dict.fromkeys(levels, 1.0)
    elif kind == "levels":
        shown[levels[checked(message.level, len(levels))]] = 1.0 - message.blend
        if message.blend:
            shown[levels[checked(message.level + 1, len(levels))]] = message.blend
    reason = enum_text(v1.LodReason, "LOD_REASON_", message.reason)
    return LodChoice(
        shown=shown,
        reason=reason,
        heuristic=message.heuristic,
        measure=message.measure if message.heuristic else None,
        override_prim=message.override_prim,
        override_mode=message.override_mode,
    )
