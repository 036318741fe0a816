"""Plans that find coordinate systems, color spaces and membership of collections."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stagedoor._calls import Plan
from stagedoor._decode import checked, damaged
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor._values import path_list
from stagedoor.results import ColorSpace, ColorSpaceDefinition, CoordSysBinding, PathTable


def coordinate_systems(
    session: Session, paths: Paths
) -> Plan[PathTable[tuple[CoordSysBinding, ...]]]:
    def some(part: Query, pin: str) -> Plan[PathTable[tuple[CoordSysBinding, ...]]]:
        request = v1.ComputeCoordSysBindingsRequest()
        reply = yield from session.ask_about("ComputeCoordSysBindings", part.paths, request, pin)
        _check_count(len(reply.set), part)
        sets = [()] + [
            tuple(CoordSysBinding(b.name, b.target, b.relationship) for b in row.bindings)
            for row in reply.sets
        ]
        rows = [sets[checked(number, len(sets))] for number in reply.set]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def color_spaces(session: Session, paths: Paths) -> Plan[PathTable[ColorSpace | None]]:
    def some(part: Query, pin: str) -> Plan[PathTable[ColorSpace | None]]:
        request = v1.ComputeColorSpacesRequest()
        reply = yield from session.ask_about("ComputeColorSpaces", part.paths, request, pin)
        _check_count(len(reply.color_space), part)
        found = [None, *map(_color_space, reply.color_spaces)]
        rows = [found[checked(number, len(found))] for number in reply.color_space]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def memberships(
    session: Session, paths: Paths, collections: Paths
) -> Plan[PathTable[tuple[str, ...]]]:
    named = path_list(collections)

    def some(part: Query, pin: str) -> Plan[PathTable[tuple[str, ...]]]:
        request = v1.ComputeMembershipRequest(collections=named)
        reply = yield from session.ask_about("ComputeMembership", part.paths, request, pin)
        rows = _members(named, reply.members, len(part.paths))
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def _check_count(count: int, query: Query) -> None:
    if count != len(query.paths):
        raise damaged(f"{count} results for {len(query.paths)} paths")


def _color_space(message: Message) -> ColorSpace:
    return ColorSpace(
        message.name, _definition(message.definition) if message.HasField("definition") else None
    )


def _definition(message: Message) -> ColorSpaceDefinition:
    return ColorSpaceDefinition(
        prim=message.prim,
        red=_pair(message.red_chroma),
        green=_pair(message.green_chroma),
        blue=_pair(message.blue_chroma),
        white=_pair(message.white_point),
        gamma=message.gamma,
        linear_bias=message.linear_bias,
    )


def _pair(numbers: Sequence[float]) -> tuple[float, float]:
    if len(numbers) != 2:
        raise damaged(f"a chromaticity of {len(numbers)} numbers")
    return (numbers[0], numbers[1])


def _members(
    collections: Sequence[str], members: Sequence[bytes], count: int
) -> list[tuple[str, ...]]:
    """For each path the collections that it is in."""
    if len(members) != len(collections) or any(len(m) != (count + 7) // 8 for m in members):
        raise damaged(f"{len(members)} results for {len(collections)} collections")
    rows: list[tuple[str, ...]] = [()] * count
    for name, packed in zip(collections, members):
        bits = np.unpackbits(np.frombuffer(packed, np.uint8), count=count, bitorder="little")
        for path in np.flatnonzero(bits).tolist():
            rows[path] += (name,)
    return rows
