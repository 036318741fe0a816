"""Consistent hashing with bounded load, as HAProxy does it (hash-balance-factor)."""

from __future__ import annotations

import bisect
import hashlib
import math
from collections.abc import Mapping


def hash_of(text: str) -> int:
    """A hash that is equal in every run and on every machine, unlike hash()."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


class HashRing:
    """Places keys on members; a member that joins or leaves moves only its share of the keys."""

    def __init__(self, points_per_member: int = 160) -> None:
        self._points_per_member = points_per_member
        self._points: list[tuple[int, str]] = []

    def add(self, member: str) -> None:
        for i in range(self._points_per_member):
            bisect.insort(self._points, (hash_of(f"{member}#{i}"), member))

    def remove(self, member: str) -> None:
        self._points = [point for point in self._points if point[1] != member]

    def order(self, key: str) -> list[str]:
        """All members, in the order in which they are asked for a key."""
        start = bisect.bisect_left(self._points, (hash_of(key), ""))
        turned = self._points[start:] + self._points[:start]
        return list(dict.fromkeys(member for _, member in turned))


def within_bound(order: list[str], loads: Mapping[str, int], factor: float) -> str:
    """The first member whose load does not exceed factor times the average with one more call.

    A factor of 0 means that loads do not matter.
    """
    if not order:
        raise ValueError("no member is available")
    if factor:
        total = 1 + sum(loads[member] for member in order)
        most = math.ceil(factor * total / len(order))
        for member in order:
            if loads[member] < most:
                return member
    return order[0]
