"""Plans that find collision groups and the masses of rigid bodies."""

from __future__ import annotations

import numpy as np

from stagedoor._calls import Plan
from stagedoor._decode import checked, damaged
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.results import (
    ColliderGroups,
    ColliderMass,
    CollisionGroup,
    CollisionGroupTable,
    PathTable,
    RigidBodyMass,
)
from stagedoor.types import Array


def collision_groups(session: Session) -> Plan[CollisionGroupTable]:
    reply = yield from session.ask("ComputeCollisionGroups", v1.ComputeCollisionGroupsRequest())
    groups = tuple(
        CollisionGroup(
            group.path, group.merge_group if group.HasField("merge_group") else None, group.inverted
        )
        for group in reply.groups
    )
    return CollisionGroupTable(groups, _enabled(reply), reply.snapshot)


def _enabled(reply: Message) -> Array:
    rows = [group.row for group in reply.groups]
    count = max(rows, default=-1) + 1
    stride = (count + 7) // 8
    packed = np.frombuffer(reply.enabled, np.uint8)
    if count > len(rows) or len(packed) != count * stride:
        raise damaged(f"{len(packed)} bytes for {count} collision groups")
    if not rows:
        return np.zeros((0, 0), bool)
    table = np.unpackbits(packed.reshape(count, stride), axis=1, bitorder="little")
    enabled: Array = table[np.ix_(rows, rows)].astype(bool)
    return enabled


def collider_groups(session: Session, paths: Paths) -> Plan[PathTable[ColliderGroups]]:
    def some(part: Query, pin: str) -> Plan[PathTable[ColliderGroups]]:
        request = v1.ComputeCollisionGroupsRequest()
        reply = yield from session.ask_about("ComputeCollisionGroups", part.paths, request, pin)
        if len(reply.colliders) != len(part.paths):
            raise damaged(f"{len(reply.colliders)} results for {len(part.paths)} paths")
        names = [group.path for group in reply.groups]
        rows = [
            ColliderGroups(
                tuple(names[checked(group, len(names))] for group in row.groups),
                tuple(row.filtered_pairs),
            )
            for row in reply.colliders
        ]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def mass_properties(
    session: Session, paths: Paths | None, colliders: bool
) -> Plan[PathTable[RigidBodyMass]]:
    def some(part: Query, pin: str) -> Plan[PathTable[RigidBodyMass]]:
        request = v1.ComputeMassPropertiesRequest(paths=part.paths, with_colliders=colliders)
        reply = yield from session.ask("ComputeMassProperties", request, pin)
        if paths is None:
            found = {body.path: _body(body) for body in reply.bodies}
            return PathTable(found, {}, reply.snapshot)
        if len(reply.bodies) != len(part.paths):
            raise damaged(f"{len(reply.bodies)} results for {len(part.paths)} paths")
        errors = part.errors(reply.path_errors)
        rows = [None if body.path in errors else _body(body) for body in reply.bodies]
        return part.table(rows, errors, reply.snapshot)

    query = Query([] if paths is None else paths, None)
    if paths is None:
        return (yield from some(query, ""))
    if not query.paths:  # a request without paths would be about the whole stage
        return PathTable({}, {}, "")
    return (yield from query.in_parts(some))


def _numbers(field: Message, count: int) -> Array:
    if len(field) != count:
        raise damaged(f"{len(field)} numbers in place of {count}")
    return np.array(field, np.float32)


def _body(message: Message) -> RigidBodyMass:
    return RigidBodyMass(
        mass=message.mass,
        center_of_mass=_numbers(message.center_of_mass, 3),
        diagonal_inertia=_numbers(message.diagonal_inertia, 3),
        principal_axes=_numbers(message.principal_axes, 4),
        colliders=tuple(
            ColliderMass(
                path=collider.path,
                volume=collider.volume,
                density=collider.density,
                mass=collider.mass,
                material=collider.material,
                center_of_mass=_numbers(collider.center_of_mass, 3),
            )
            for collider in message.colliders
        ),
    )
