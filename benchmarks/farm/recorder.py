"""What a simulation has seen: counts, and latencies by interval."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence

import simpy

PERCENTILES = (50.0, 95.0, 99.0)


def percentile(sorted_values: Sequence[float], percent: float) -> float:
    """The value at a percentile, between two values by their distance; 0 if there are none."""
    if not sorted_values:
        return 0.0
    place = (len(sorted_values) - 1) * percent / 100
    low = int(place)
    high = min(low + 1, len(sorted_values) - 1)
    return sorted_values[low] + (sorted_values[high] - sorted_values[low]) * (place - low)


class Recorder:
    """Attempts end in exactly one of the outcomes answered, refused, lost and late."""

    def __init__(self, env: simpy.Environment, interval: float) -> None:
        self._env = env
        self.interval = interval
        self.counts: Counter[str] = Counter()
        self.node_core_s = 0.0  # of the cores of all nodes, to read scenes
        self._latencies: dict[tuple[str, int], array[float]] = {}
        self._events: Counter[tuple[str, int]] = Counter()

    def count(self, name: str, amount: int = 1) -> None:
        self.counts[name] += amount
        self._events[name, self._bin()] += amount

    def latency(self, kind: str, seconds: float) -> None:
        self._latencies.setdefault((kind, self._bin()), array("d")).append(seconds)

    def in_interval(self, name: str, begin: float) -> int:
        """What was counted in the interval that begins at a time."""
        return self._events[name, round(begin / self.interval)]

    def latencies(self, kind: str, begin: float = 0.0, end: float = float("inf")) -> list[float]:
        """The latencies of what ended in the intervals that begin in [begin, end), sorted."""
        found: list[float] = []
        for (name, at), values in self._latencies.items():
            if name == kind and begin <= at * self.interval < end:
                found += values
        return sorted(found)

    def percentiles(self, kind: str, begin: float = 0.0, end: float = float("inf")) -> list[float]:
        """PERCENTILES of latencies()."""
        found = self.latencies(kind, begin, end)
        return [percentile(found, percent) for percent in PERCENTILES]

    def _bin(self) -> int:
        return int(self._env.now / self.interval)
