"""Plans that compute what prims look like: the materials they are bound to, and their shaders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._decode import checked, damaged, decode, enum_text, numbered
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.errors import Error, from_item
from stagedoor.results import (
    BindingCandidate,
    BoundMaterial,
    BrokenConnection,
    MaterialNetwork,
    MaterialTerminal,
    PathTable,
    ShaderCode,
    ShaderNode,
    ShaderPort,
    ShaderSource,
)


def bound_materials(
    session: Session, paths: Paths, purpose: str, bindings: bool
) -> Plan[PathTable[BoundMaterial | None]]:
    def some(part: Query, pin: str) -> Plan[PathTable[BoundMaterial | None]]:
        request = v1.ComputeBoundMaterialsRequest(purposes=[purpose], with_bindings=bindings)
        reply = yield from session.ask_about("ComputeBoundMaterials", part.paths, request, pin)
        if bindings:
            numbers, bound = reply.binding, list(map(_binding, reply.bindings))
        else:
            numbers = reply.material
            bound = [BoundMaterial(path, "", "", False) for path in reply.materials]
        rows = numbered(numbers, [None, *bound], len(part.paths))
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def explain_binding(session: Session, path: str, purpose: str) -> Plan[list[BindingCandidate]]:
    request = v1.ExplainBindingRequest(path=path, purpose=purpose)
    reply = yield from session.ask("ExplainBinding", request)
    return [
        BindingCandidate(
            binding=_binding(c.binding),
            outcome=enum_text(v1.BindingCandidate.Outcome, "OUTCOME_", c.outcome),
            wrong_target=c.wrong_target,
        )
        for c in reply.candidates
    ]


def _binding(message: Message) -> BoundMaterial:
    return BoundMaterial(
        message.material,
        message.relationship,
        message.collection,
        message.stronger_than_descendants,
    )


def material_networks(
    session: Session,
    paths: Paths,
    times: _times.Times,
    render_contexts: Sequence[str],
    as_graph: bool,
) -> Plan[PathTable[MaterialNetwork]]:
    def some(part: Query, pin: str) -> Plan[PathTable[MaterialNetwork]]:
        request = v1.ComputeMaterialNetworksRequest(
            times=part.times(), render_contexts=render_contexts, as_graph=as_graph
        )
        replies = yield from session.ask_about("ComputeMaterialNetworks", part.paths, request, pin)
        found: dict[int, MaterialNetwork] = {}
        errors: dict[str, Error] = {}
        for item in (item for reply in replies for item in reply.items):
            path = part.paths[checked(item.item, len(part.paths))]
            if item.HasField("error"):
                errors[path] = from_item(item.error, path)
            found[item.item] = network(item)
        rows = [found[i] for i in range(len(part.paths)) if i in found]
        if len(rows) != len(part.paths):
            raise damaged(f"{len(rows)} results for {len(part.paths)} paths")
        return part.table(rows, errors, replies[0].snapshot if replies else "")

    return (yield from Query(paths, times).in_parts(some))


def network(item: Message) -> MaterialNetwork:
    nodes = [node.path for node in item.nodes]

    def source(message: Message) -> ShaderSource:
        return ShaderSource(
            nodes[checked(message.node, len(nodes))], message.name, message.is_input
        )

    def port(message: Message) -> ShaderPort:
        return ShaderPort(
            name=message.name,
            type_name=message.type_name,
            values=[decode(value) for value in message.values],
            connections=[source(connection) for connection in message.connections],
            value_source=message.value_source,
            color_space=message.color_space,
        )

    def ports(messages: Any) -> dict[str, ShaderPort]:
        return {message.name: port(message) for message in messages}

    return MaterialNetwork(
        terminals={
            t.name: MaterialTerminal(source(t.source), t.render_context) for t in item.terminals
        },
        nodes={
            n.path: ShaderNode(
                n.path, n.type_name, n.id, _code(n.code), ports(n.inputs), ports(n.outputs)
            )
            for n in item.nodes
        },
        base_material=item.base_material,
        broken=[_broken(message) for message in item.broken],
    )


def _code(messages: Any) -> dict[str, ShaderCode]:
    return {
        message.source_type: ShaderCode(
            asset=message.asset.resolved or message.asset.authored,
            text=message.text,
            sub_identifier=message.sub_identifier,
        )
        for message in messages
    }


def _broken(message: Message) -> BrokenConnection:
    reason = enum_text(v1.BrokenConnection.Reason, "REASON_", message.reason)
    return BrokenConnection(message.attribute, reason, message.source)
