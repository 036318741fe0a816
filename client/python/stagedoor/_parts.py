"""Queries about many paths, which are sent in parts that the daemon and proxies accept."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from stagedoor._calls import Plan
from stagedoor._path_sets import PathList
from stagedoor.errors import Error

R = TypeVar("R", bound=Any)  # a result with the snapshot that was read

# The size of the paths of one request. The daemon accepts 64 MiB (--max-request-bytes), of which
# the digests of arrays that the client holds need some.
MAX_BYTES = 16 << 20

# How often a query begins again because the stage has changed between its parts.
_MAX_REPEATS = 3


def in_parts(paths: Sequence[str], ask: Callable[[Sequence[str], str], Plan[R]]) -> Plan[list[R]]:
    """The results of the parts of a query, in order, all of the same snapshot.

    ask: makes the calls for some paths, about the snapshot of that fingerprint ("" is the newest).
      If it fails with REQUEST_TOO_LARGE, the part is halved.
    """
    for repeats_left in reversed(range(_MAX_REPEATS + 1)):
        try:
            found = yield from _once(paths, ask)
        except Error as error:
            if error.reason != "SNAPSHOT_GONE" or not repeats_left:
                raise
        else:
            if found is not None:
                return found
    raise Error(
        "the stage changed between the parts of a query, each time that it was repeated; "
        "ask for fewer paths at a time",
        code="ABORTED",
    )


def _once(
    paths: Sequence[str], ask: Callable[[Sequence[str], str], Plan[R]]
) -> Plan[list[R] | None]:
    """As `in_parts`, without repeating the query: None if the stage has changed."""
    found: list[R] = []
    left = list(reversed(_split(paths)))
    while left:
        part = left.pop()
        pin = found[0].snapshot if found else ""
        try:
            result = yield from ask(part, pin)
        except Error as error:
            if error.reason != "REQUEST_TOO_LARGE" or len(part) < 2:
                raise
            middle = len(part) // 2
            left += [part[middle:], part[:middle]]
            continue
        if pin and result.snapshot != pin:
            return None
        found.append(result)
    return found


def _split(paths: Sequence[str]) -> list[Sequence[str]]:
    """Parts of up to MAX_BYTES."""
    size = paths.size if isinstance(paths, PathList) else len("".join(paths))
    if size * 4 <= MAX_BYTES:  # a character has up to four bytes
        return [paths]
    # The bytes of the paths up to each one.
    ends = list(
        itertools.accumulate(len(path.encode("utf-8", "surrogatepass")) + 8 for path in paths)
    )
    parts, begin, before = [], 0, 0
    while ends[-1] - before > MAX_BYTES:
        end = max(bisect.bisect_right(ends, before + MAX_BYTES), begin + 1)
        if end == len(paths):
            break
        parts.append(paths[begin:end])
        begin, before = end, ends[end - 1]
    return [*parts, paths[begin:]]
