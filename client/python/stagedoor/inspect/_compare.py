"""Compares two stages, two times of one, two snapshots, or a session with what it was before.

As `stagedoor diff` does, but what is found is streamed, and prims are compared by the bytes that
the daemon sends of them before anything else: those that differ are read again.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from stagedoor import _diff
from stagedoor._session import StreamOf
from stagedoor.errors import from_item
from stagedoor.inspect._ask import Ask, Refused, cut
from stagedoor.inspect._held import HeldStage, Stages, stage_key
from stagedoor.inspect._shown import shown, time_text
from stagedoor.inspect._tree import prim_path
from stagedoor.results import Difference
from stagedoor.types import State, TimeCode

MAX_DIFFERENCES = 5000
MAX_PRIMS = 2_000_000  # of a side
_REPORTED = 5000  # prims between two lines of progress

Line = dict[str, Any]


@dataclass(frozen=True)
class _Side:
    """One side of a comparison: a stage at a snapshot, and a time for its values."""

    name: str
    held: HeldStage
    time: TimeCode
    pin: str = ""

    @property
    def described(self) -> dict[str, str]:
        snapshot = self.pin or self.held.session.snapshot
        return {"root": self.held.key.root, "time": time_text(self.time), "snapshot": snapshot}


async def compare(stages: Stages, ask: Ask) -> AsyncIterator[Line]:
    """Lines with progress and differences; the last one has `done`.

    The right side is what is shown; parameters that begin with "other-" name the left side, with
    which it is compared.
    """
    right = _Side("right", await stages.get(stage_key(ask)), ask.time(), _pin(ask, "snapshot"))
    other = stage_key(ask, "other-")
    left = _Side(
        "left", await stages.get(other), ask.time("other-time"), _pin(ask, "other-snapshot")
    )
    roots = [prim_path(ask)] if ask.text("path", "/") != "/" else []
    yield {"left": left.described, "right": right.described}
    count = 0
    async for line in _differences(left, right, roots):
        found: list[Difference] = line.pop("found", [])
        more = count + len(found) > MAX_DIFFERENCES
        found = found[: MAX_DIFFERENCES - count]
        count += len(found)
        types: dict[str, str] = line.pop("types", {})
        shown_ones = [_shown(difference, types.get(difference.path, "")) for difference in found]
        yield {**line, "differences": shown_ones}
        if more:
            yield {"done": True, "more": True}
            return
    yield {"done": True, "more": False}


def _pin(ask: Ask, name: str) -> str:
    return ask.text(name, "", limit=64)


async def _differences(left: _Side, right: _Side, roots: list[str]) -> AsyncIterator[Line]:
    # One word for both times, so that values are compared although the times differ.
    same = left.time == right.time
    words = None if same else ["the times"]
    if not roots and not (left.pin or right.pin):
        facts = [
            await side.held.run(_diff.stage_facts(side.held.session)) for side in (left, right)
        ]
        yield {"found": list(_diff.compared(*facts))}
    hashes: list[_diff.Hashes] = []
    for side in (left, right):
        found: _diff.Hashes = {}
        async for count in _hashed(side, roots, found):
            yield {"side": side.name, "read": count}
        hashes.append(found)
    yield {"found": list(_diff.one_sided(*hashes))}
    differing = _diff.differing(*hashes)
    done = 0
    for paths in _diff.batches(differing):
        sides = [
            await side.held.run(_diff.facts(side.held.session, paths, [side.time], words, side.pin))
            for side in (left, right)
        ]
        done += len(paths)
        found_ones = list(_diff.compared(*sides))
        yield {
            "found": found_ones,
            "types": _types(sides),
            "compared": done,
            "of": len(differing),
        }


def _types(sides: list[_diff.Facts]) -> dict[str, str]:
    """The types of attributes, which their declarations end in."""
    return {
        path: str(fact.value).rpartition(" ")[2]
        for facts in sides
        for (path, aspect), fact in facts.items()
        if aspect == "declaration"
    }


async def _hashed(side: _Side, roots: list[str], found: _diff.Hashes) -> AsyncIterator[int]:
    """Fills in a hash and the type of each prim; yields how many there are, now and then.

    Prims with equal bytes are equal; those whose bytes differ may be equal all the same.
    """
    request = _diff.prims_to_compare(roots, [side.time])
    stream = StreamOf(
        side.held.session,
        "Traverse",
        request,
        lambda reply: iter(reply.prims),
        pin=side.pin,
        ordered=True,
    )
    reported = 0
    async for prim in side.held.stage._client.iterate(stream):
        if prim.HasField("error"):
            raise from_item(prim.error, prim.path)
        found[prim.path] = (_digest(prim.SerializeToString(deterministic=True)), prim.type_name)
        if len(found) > MAX_PRIMS:
            raise Refused(f"a side has more than {MAX_PRIMS} prims", "compare a part of the stage")
        if len(found) >= reported + _REPORTED:
            reported = len(found)
            yield reported
    yield len(found)


def _digest(data: bytes) -> bytes:
    # The hash of Python is keyed anew for each process, so that no scene can be made to collide.
    return hash(data).to_bytes(8, "little", signed=True)


def _shown(difference: Difference, type_name: str) -> dict[str, Any]:
    value_type = type_name if difference.time is not None else ""
    return {
        "path": difference.path,
        "aspect": cut(difference.aspect, 200),
        "left": _value(difference.left, value_type),
        "right": _value(difference.right, value_type),
    }


def _value(value: Any, type_name: str) -> dict[str, Any]:
    if value is State.BLOCKED:
        return {"text": "", "state": "blocked"}
    return shown(value, type_name)
