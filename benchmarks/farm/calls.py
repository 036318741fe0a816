"""The calls that a render process makes for a frame.

Aggregation: the batches, skinning calls and array calls of a frame, which a node makes one after
another, are one Call with their sums. Work and bytes are as without aggregation, and a node still
has one call in flight. A group waits in shares (SharedRate) rather than call by call, which is the
limit of the daemon's turns between clients. What is lost are the latencies of single calls: only
their mean is known. Farm.single_calls turns the aggregation off.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from farm.parameters import Costs, Shot

StageKey = tuple[int, int]  # shot, version of its assets

STREAM_BYTES = 2 * (1 << 20)  # of a stream, held at a time: two chunks of 1 MiB


@dataclass(frozen=True)
class Asset:
    """A part of a scene's files that is read when it is first needed."""

    key: Hashable
    bytes: float
    files: int


@dataclass(frozen=True)
class Call:
    """A call, or `count` calls of a kind that a client makes one after another."""

    kind: str
    stage: StageKey
    count: int
    core_s: float
    reply_bytes: float
    reserved_bytes: float
    asset: Asset | None = None


def open_call(stage: StageKey, costs: Costs) -> Call:
    return Call("open", stage, 1, costs.call_s, 500.0, 0.0)


def frame_calls(
    stage: StageKey, frame: int, first: bool, shot: Shot, costs: Costs
) -> Iterator[Call]:
    """The calls after OpenStage; `first`: the process has no static arrays of this version yet."""
    streams = STREAM_BYTES
    yield Call(
        "traverse", stage, 1, costs.call_s + shot.prims * costs.traversed_prim_s,
        shot.prims * costs.traversed_prim_bytes, streams,
    )  # fmt: skip
    batches = max(1, -(-shot.values // shot.batch))
    yield Call(
        "values", stage, batches, batches * costs.call_s + shot.values * costs.value_s,
        shot.values * costs.value_bytes, shot.batch * costs.value_bytes,
    )  # fmt: skip
    count, points = max(1, shot.skin_calls), shot.skinned_points
    yield Call(
        "skin", stage, count, count * costs.call_s + points * costs.skinned_point_s,
        points * costs.point_bytes, streams,
    )  # fmt: skip
    yield static_arrays(stage, first, shot, costs)
    count = max(1, round(shot.frame_bytes / shot.array_call_bytes))
    files = Asset((stage, frame), shot.frame_bytes, shot.frame_files)
    yield Call(
        "arrays", stage, count, count * costs.call_s + shot.frame_bytes * costs.array_byte_s,
        shot.frame_bytes, streams, files,
    )  # fmt: skip


def static_arrays(stage: StageKey, first: bool, shot: Shot, costs: Costs) -> Call:
    count = max(1, round(shot.static_bytes / shot.array_call_bytes))
    if not first:  # digests instead; a digest costs about as much as a value
        return Call(
            "static", stage, count, count * costs.call_s + shot.static_arrays * costs.value_s,
            shot.static_arrays * costs.digest_bytes, 0.0,
        )  # fmt: skip
    files = Asset((stage, "static"), shot.static_bytes, max(1, shot.layers // 10))
    return Call(
        "static", stage, count, count * costs.call_s + shot.static_bytes * costs.array_byte_s,
        shot.static_bytes, STREAM_BYTES, files,
    )  # fmt: skip
