"""Motion within a shutter: policies of requests, and the samples of replies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from stagedoor._decode import damaged
from stagedoor._proto import Message, v1
from stagedoor.results import Motion, MotionSample, Shutter
from stagedoor.types import TimeCode

if TYPE_CHECKING:
    from stagedoor._geom import Query

# A shutter, or when it opens and closes.
ShutterLike = Union[Shutter, tuple[float, float], None]


def policy(shutter: ShutterLike) -> Message | None:
    """The SamplePolicy of a request; None for a request about times."""
    if shutter is None:
        return None
    if not isinstance(shutter, Shutter):
        opens, closes = shutter
        shutter = Shutter(opens, closes)
    return v1.SamplePolicy(
        shutter_open=shutter.open,
        shutter_close=shutter.close,
        segments=shutter.segments,
        max_samples=shutter.max_samples,
        samples_at_ends=shutter.at_ends,
        with_sources=shutter.sources,
    )


def rows(query: Query, samples: Message, values: Any) -> list[Any]:
    """For each path, the motion of its values, or a list of these for several times.

    values: an element for each sample, in order.
    """
    counts = np.fromiter(samples.counts, np.int64)
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    items = len(query.paths) * len(query.codes)
    if len(counts) != items or len(samples.times) != total or len(values) != total:
        raise damaged(f"samples of {len(counts)} items for {items}")
    times = np.fromiter(samples.times, np.float64)
    thinned = set(samples.thinned_items)
    sources = tuple(samples.sources)

    def motion(item: int) -> Motion:
        part = slice(int(ends[item] - counts[item]), int(ends[item]))
        return Motion(times[part], values[part], item in thinned, sources[part])

    return by_path(query, motion)


def by_path(query: Query, result: Callable[[int], Any]) -> list[Any]:
    """For each path, the result of its item, or a list of these for several times."""
    count = len(query.codes)
    if query.single:
        return [result(item) for item in range(len(query.paths))]
    return [[result(p * count + t) for t in range(count)] for p in range(len(query.paths))]


def owners(query: Query, samples: Message) -> list[int]:
    """For each sample, the index of its path."""
    count = len(query.codes)
    if len(samples.counts) != len(query.paths) * count:
        raise damaged(f"samples of {len(samples.counts)} items for {len(query.paths)} paths")
    return [item // count for item, n in enumerate(samples.counts) for _ in range(n)]


def joined(items: Sequence[tuple[Message, Any]]) -> Motion:
    """The motion of an item of a stream: its samples with their values."""
    return Motion(
        np.array([sample.time for sample, _ in items], np.float64),
        [value for _, value in items],
        any(sample.thinned for sample, _ in items),
        tuple(sample.source for sample, _ in items),
    )


def sample_of(message: Message, frame: TimeCode) -> MotionSample | None:
    """Which sample an item of a stream is; None without a shutter."""
    if not message.HasField("sample"):
        return None
    sample = message.sample
    return MotionSample(frame, sample.index, sample.count, sample.thinned, sample.source)


def time_of(message: Message, frame: TimeCode) -> TimeCode:
    """The time of an item of a stream."""
    return TimeCode(message.sample.time) if message.HasField("sample") else frame
