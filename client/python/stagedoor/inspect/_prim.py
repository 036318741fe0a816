"""The description of a prim: properties by pages, composition, variants and metadata."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stagedoor import _prims, _times
from stagedoor._decode import enum_text, fields, site
from stagedoor._proto import Message, v1
from stagedoor.errors import Error
from stagedoor.inspect._ask import MAX_LIST, MAX_TEXT, Ask, Refused, cut
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._shown import shown_error, shown_fields, shown_state
from stagedoor.inspect._sites import shown_site
from stagedoor.inspect._tree import prim_path
from stagedoor.types import State

MAX_PROPERTIES = 200  # of a page
MAX_VALUES = 200
MAX_ARCS = 500
_TARGETS = 20  # of a property
_FIELDS = [
    *(name for name in _prims.FIELDS[_prims.PRIM] if name != "children"),
    "prim_stack",
]
_DETAILS = ("source", "blocked", "might_be_time_varying", "connections", "targets")
_FLAGS = (
    *("inactive", "unloaded", "undefined", "abstract", "model", "group"),
    *("instance", "instanceable", "instance_proxy", "has_payload"),
)


async def prim(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The prim without the values of its properties, and the first page of these."""
    path = prim_path(ask)
    request = v1.GetPrimRequest(path=path, read_mask={"paths": _FIELDS})
    message = (await held.run(held.session.ask("GetPrim", request))).prim
    names = [found.name for found in message.properties]
    held.cache["properties"] = (held.session.snapshot, path, names)
    return {
        "snapshot": held.session.snapshot,
        **_described(message),
        "propertyCount": len(names),
        "properties": await _page(held, path, names[:MAX_PROPERTIES]),
    }


async def properties(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """A further page of properties."""
    path, offset = prim_path(ask), ask.whole("offset", 0, 0, 1 << 31)
    known = held.cache.get("properties")
    if known is None or known[:2] != (held.session.snapshot, path):
        data = await held.run(_prims.describe(held.session, path, _prims.PRIM))
        known = (held.session.snapshot, path, list(data.properties))
        held.cache["properties"] = known
    names = known[2]
    page = names[offset : offset + MAX_PROPERTIES]
    return {"propertyCount": len(names), "properties": await _page(held, path, page)}


async def arcs(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The arcs that compose the prim, strongest first, with the numbers of those they are from."""
    request = v1.GetPrimRequest(path=prim_path(ask), read_mask={"paths": ["arcs"]})
    found = (await held.run(held.session.ask("GetPrim", request))).prim.arcs
    return {
        "snapshot": held.session.snapshot,
        "total": len(found),
        "arcs": [
            {
                "type": arc.type,
                "layer": cut(arc.layer, MAX_TEXT),
                "path": cut(arc.path, MAX_TEXT),
                "parent": arc.parent,
                "implied": arc.implied,
                "ancestral": arc.ancestral,
                "specs": arc.spec_count,
            }
            for arc in found[:MAX_ARCS]
        ],
    }


async def values(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The values of attributes of a prim at a time, by name."""
    path, names, time = prim_path(ask), ask.texts("names", MAX_VALUES), ask.time()
    if not names:
        return {"snapshot": held.session.snapshot, "values": {}}
    paths = [f"{path}.{name}" for name in names]
    types = ask.texts("types", MAX_VALUES)
    if len(types) != len(names):
        raise Refused("each of 'names' needs its type in 'types'")
    found = await held.stage.values(paths, time)
    answer = {}
    for name, each, type_name in zip(names, paths, types):
        state = found.state(each)
        if state is State.ERROR:
            error = found.error(each)
            answer[name] = shown_error(error if error is not None else Error("it failed"))
        else:
            value = found[each] if state is State.VALUE else None
            answer[name] = shown_state(state, value, type_name)
    return {"snapshot": found.snapshot, "values": answer}


async def _page(held: HeldStage, path: str, names: Sequence[str]) -> list[dict[str, Any]]:
    """Properties with what it takes more than their declarations to know."""
    if not names:
        return []
    request = v1.GetPrimRequest(
        path=path,
        read_mask={"paths": [f"properties.{name}" for name in _DETAILS]},
        property_names=names,
        times=_times.selection([]),
    )
    reply = await held.run(held.session.ask("GetPrim", request))
    return [_property(message) for message in reply.prim.properties]


def _described(message: Message) -> dict[str, Any]:
    return {
        "path": message.path,
        "type": cut(message.type_name, MAX_TEXT),
        "specifier": enum_text(v1.Specifier, "SPECIFIER_", message.specifier),
        "kind": cut(message.kind, MAX_TEXT),
        "flags": [name for name in _FLAGS if getattr(message, name)],
        "schemas": [cut(name, 200) for name in message.api_schemas[:MAX_LIST]],
        "ancestors": list(message.schema_ancestors),
        "variants": [
            {
                "name": cut(entry.name, 200),
                "selection": entry.selection,
                "choices": list(entry.choices[:MAX_LIST]),
            }
            for entry in message.variant_sets[:MAX_LIST]
        ],
        "metadata": shown_fields(fields(message.metadata)),
        "stack": [shown_site(site(entry)) for entry in message.prim_stack[:MAX_LIST]],
        "stackCount": len(message.prim_stack),
    }


def _property(message: Message) -> dict[str, Any]:
    found: dict[str, Any] = {"name": message.name, "authored": message.authored}
    if message.custom:
        found["custom"] = True
    if message.kind == v1.Property.KIND_RELATIONSHIP:
        found["targets"] = [cut(path, MAX_TEXT) for path in message.targets[:_TARGETS]]
        found["targetCount"] = len(message.targets)
        return found
    found["type"] = message.type_name
    found["source"] = enum_text(v1.ValueSource, "VALUE_SOURCE_", message.source)
    if message.variability == v1.Variability.Value("VARIABILITY_UNIFORM"):
        found["uniform"] = True
    if message.blocked:
        found["blocked"] = True
    if message.might_be_time_varying:
        found["varying"] = True
    if message.connections:
        found["connections"] = [cut(path, MAX_TEXT) for path in message.connections[:_TARGETS]]
        found["connectionCount"] = len(message.connections)
    return found
