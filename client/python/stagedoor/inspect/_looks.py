"""The looks of a prim as renderers derive them: material, lights, place, visibility; and why."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

import numpy as np

from stagedoor.errors import Error
from stagedoor.inspect._ask import MAX_LIST, Ask, cut, error_of
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._shown import finite, number_text, shown
from stagedoor.inspect._tree import prim_path
from stagedoor.results import MaterialNetwork, ShaderNode

_PURPOSES = ("", "full", "preview")
_MAX_NODES = 200
_MAX_PORTS = 200


async def looks(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The materials that a prim is bound to for each purpose, with all candidates; its lights."""
    path = prim_path(ask)
    materials = []
    for purpose in _PURPOSES:
        found = await held.stage.prim(path).explain_material(purpose)
        materials.append(
            {
                "purpose": purpose,
                "candidates": [
                    {
                        "material": candidate.binding.material,
                        "relationship": candidate.binding.relationship,
                        "collection": candidate.binding.collection,
                        "outcome": candidate.outcome,
                        "wrongTarget": candidate.wrong_target,
                    }
                    for candidate in found[:MAX_LIST]
                ],
            }
        )
    lights = (await held.stage.light_sets([path]))[path]
    return {
        "snapshot": held.session.snapshot,
        "materials": materials,
        "lights": sorted(lights)[:MAX_LIST],
        "lightCount": len(lights),
    }


async def light_link(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Whether a prim is linked to a light, and which rules say so."""
    found = await held.stage.explain_light_link(prim_path(ask, "light"), prim_path(ask))
    return {
        "linked": found.linked,
        "reason": found.reason,
        "expression": cut(found.expression),
        "rules": [
            {"path": rule.path, "rule": rule.rule, "outcome": rule.outcome}
            for rule in found.rules[:MAX_LIST]
        ],
    }


async def network(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The shaders of a material at a time."""
    path = prim_path(ask)
    return _network(await held.stage.prim(path).material_network((), ask.time()))


def _network(found: MaterialNetwork) -> dict[str, Any]:
    return {
        "terminals": [
            {"name": name, "node": terminal.source.node, "output": terminal.source.name}
            for name, terminal in sorted(found.terminals.items())
        ],
        "nodes": [_node(node) for node in list(found.nodes.values())[:_MAX_NODES]],
        "nodeCount": len(found.nodes),
        "base": found.base_material,
        "broken": [
            {"attribute": broken.attribute, "reason": broken.reason, "source": broken.source}
            for broken in found.broken[:MAX_LIST]
        ],
    }


def _node(node: ShaderNode) -> dict[str, Any]:
    code = next(iter(node.code.values()), None)
    return {
        "path": node.path,
        "id": cut(node.id or (code.asset if code is not None else ""), 200),
        "inputs": [
            {
                "name": port.name,
                "type": port.type_name,
                "value": shown(port.value, port.type_name),
                "from": [f"{source.node}.{source.name}" for source in port.connections[:20]],
                "valueSource": port.value_source,
            }
            for port in list(node.inputs.values())[:_MAX_PORTS]
        ],
    }


async def computed(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Visibility, purpose, transform and bounds at a time. What fails has its error instead."""
    path, time = prim_path(ask), ask.time()
    stage = held.stage
    answer: dict[str, Any] = {"snapshot": held.session.snapshot}
    seen = await _or_error(stage.visibility(path, time))
    if "error" in seen:
        return answer | {"error": seen["error"]}
    visibility = seen["found"].get(path)
    if visibility is None:
        return answer
    answer |= {"visible": bool(visibility.visible), "purpose": visibility.purpose}
    matrix = (await stage.transforms(path, time)).get(path)
    if matrix is not None:
        answer["transform"] = [[number_text(x) for x in row] for row in np.round(matrix, 6)]
    bounds = (await _or_error(stage.bounds(path, time))).get("found")
    box = bounds.get(path) if bounds is not None else None
    if box is not None and np.all(box[0] <= box[1]):
        answer["bounds"] = [[finite(x) for x in corner] for corner in box]
    return answer


async def _or_error(asked: Awaitable[Any]) -> dict[str, Any]:
    try:
        return {"found": await asked}
    except Error as error:
        return {"error": error_of(error)}
