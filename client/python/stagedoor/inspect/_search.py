"""Searches a stage, and streams what is found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from stagedoor._proto import Message, v1
from stagedoor._session import StreamOf
from stagedoor.inspect import _query
from stagedoor.inspect._ask import Ask, cut
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._index import NameIndex, built
from stagedoor.inspect._shown import shown
from stagedoor.inspect._tree import SHOWS, predicate
from stagedoor.types import State, TimeCode

MAX_FOUND = 500
_VALUES_AT_ONCE = 1000
_FOUND_AT_ONCE = 50

Line = dict[str, Any]


async def search(held: HeldStage, ask: Ask) -> AsyncIterator[Line]:
    """Lines with what is found and how many prims were examined; the last one has `done`.

    {"found": [{"path", "type", "property", "value"}, …], "examined": 1000}
    `more`: whether there is more than `limit`.
    """
    query = _query.parse(ask.text("find"))
    show, limit = ask.choice("show", SHOWS), ask.whole("limit", MAX_FOUND, 1, MAX_FOUND)
    if query == _query.Query():
        yield {"done": True, "more": False}
        return
    time = ask.time()
    count = 0
    source = (
        _by_names(held, query, show) if query.is_about_names else _read(held, query, show, time)
    )
    async for line in source:
        found = line.get("found", [])
        more = count + len(found) > limit
        if more:
            line["found"] = found[: limit - count]
        count += len(found)
        yield line
        if more:
            yield {"done": True, "more": True}
            return
    yield {"done": True, "more": False}


async def _by_names(held: HeldStage, query: _query.Query, show: str) -> AsyncIterator[Line]:
    index: NameIndex | None = None
    async for step in built(held, show):
        if isinstance(step, NameIndex):
            index = step
        else:
            yield {"examined": step}
    if index is None:  # too large to keep
        async for line in _read(held, query, show, TimeCode.Default()):
            yield line
        return
    found: list[dict[str, str]] = []
    for hit in index.find(query):
        found.append({"path": hit.path, "type": cut(hit.type, 200)})
        if len(found) == _FOUND_AT_ONCE:
            yield {"found": found, "examined": len(index)}
            found = []
    yield {"found": found, "examined": len(index)}


async def _read(
    held: HeldStage, query: _query.Query, show: str, time: TimeCode
) -> AsyncIterator[Line]:
    """Reads all prims of the types, and tests them."""
    request = v1.TraverseRequest(
        predicate=predicate(show),
        read_mask={"paths": _fields(query)},
        schema_types=query.types,
    )
    stream = StreamOf(held.session, "Traverse", request, lambda reply: iter([reply]), ordered=True)
    examined = 0
    async for message in held.stage._client.iterate(stream):
        prims = [
            prim
            for prim in message.prims
            if query.matches_name(prim.path)
            and query.matches_prim(prim.kind, list(prim.api_schemas))
        ]
        examined += len(message.prims)
        if not query.is_about_properties:
            found = [{"path": prim.path, "type": cut(prim.type_name, 200)} for prim in prims]
            yield {"found": found, "examined": examined}
            continue
        for part in _parts(_properties(query, prims)):
            yield {"found": await _tested(held, query, part, time), "examined": examined}
        yield {"examined": examined}


def _fields(query: _query.Query) -> list[str]:
    fields = ["type_name"]
    fields += ["kind"] if query.kinds else []
    fields += ["api_schemas"] if query.schemas else []
    return [*fields, "properties"] if query.is_about_properties else fields


def _properties(query: _query.Query, prims: list[Message]) -> list[tuple[str, Message]]:
    """The properties whose names match, with the paths of their prims."""
    return [
        (prim.path, found)
        for prim in prims
        for found in prim.properties
        if query.matches_property(found.name) and not (query.values and _cannot_be_compared(found))
    ]


def _cannot_be_compared(found: Message) -> bool:
    return bool(found.kind != v1.Property.KIND_ATTRIBUTE or found.type_name.endswith("[]"))


def _parts(items: list[Any]) -> list[list[Any]]:
    return [items[at : at + _VALUES_AT_ONCE] for at in range(0, len(items), _VALUES_AT_ONCE)]


async def _tested(
    held: HeldStage, query: _query.Query, part: list[tuple[str, Message]], time: TimeCode
) -> list[dict[str, Any]]:
    """The properties, of some, that a search finds, with their values if these decide."""
    lines = [
        {"path": path, "property": found.name, "type": cut(found.type_name, 200)}
        for path, found in part
    ]
    if not query.values:
        return lines
    paths = [f"{line['path']}.{line['property']}" for line in lines]
    values = await held.stage.values(paths, time)
    kept = []
    for line, path in zip(lines, paths):
        value = values[path] if values.state(path) is State.VALUE else None
        if all(test.holds(value, line["type"]) for test in query.values):
            kept.append({**line, "value": shown(value, line["type"])})
    return kept
