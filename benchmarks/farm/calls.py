"""The calls that a render process makes for a frame: one for all of it, or several for its parts.

Aggregation: the batches, skinning calls and array calls of a frame, which a node makes one after
another, are one Call with their sums. Work and bytes are as without aggregation, and a node still
has one call in flight. A group waits in shares (SharedRate) rather than call by call, which is the
limit of the daemon's turns between clients. What is lost are the latencies of single calls: only
their mean is known. Farm.single_calls turns the aggregation off.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from farm.parameters import Costs, Farm, Shot

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
    timeout_s: float = 0.0  # of all of it; 0: that of the client for each


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


def extracted_frame(
    stage: StageKey, frame: int, first: bool, shot: Shot, costs: Costs
) -> Iterator[Call]:
    """ExtractFrame: all of a frame if the process has none of this version, else what differs.

    The messages that have arrays of files are calls of their own here, since a Call reads one part
    of the files. What does not vary is not mentioned again, not even by digests.
    """
    parts, part_s, part_bytes = (
        (shot.rows, costs.row_s, costs.row_bytes)
        if first
        else (shot.changed_values, costs.changed_value_s, costs.changed_value_bytes)
    )
    yield Call(
        "extract", stage, 1,
        costs.call_s + parts * part_s + shot.skinned_points * costs.skinned_point_s,
        parts * part_bytes + shot.skinned_points * costs.point_bytes, STREAM_BYTES,
    )  # fmt: skip
    if first:
        static = static_arrays(stage, True, shot, costs)
        yield dataclasses.replace(static, count=1, core_s=shot.static_bytes * costs.array_byte_s)
    yield Call(
        "arrays", stage, 1, shot.frame_bytes * costs.array_byte_s, shot.frame_bytes,
        STREAM_BYTES, Asset((stage, frame), shot.frame_bytes, shot.frame_files),
    )  # fmt: skip


def calls_of(farm: Farm, stage: StageKey, frame: int, first: bool) -> Iterator[Call]:
    """The calls after OpenStage, in the way in which the farm's nodes ask for frames."""
    if not farm.frames:
        yield from frame_calls(stage, frame, first, farm.shot, farm.costs)
        return
    for call in extracted_frame(stage, frame, first, farm.shot, farm.costs):
        yield dataclasses.replace(call, timeout_s=farm.client.frame_timeout_s)


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
