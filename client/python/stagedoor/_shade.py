"""Plans that compute what prims look like: the materials they are bound to."""

from __future__ import annotations

from collections.abc import Sequence

from stagedoor._calls import Plan
from stagedoor._decode import checked, damaged
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.results import BoundMaterial, PathTable


def bound_materials(
    session: Session, paths: Paths, purpose: str
) -> Plan[PathTable[BoundMaterial | None]]:
    def some(part: Query, pin: str) -> Plan[PathTable[BoundMaterial | None]]:
        request = v1.ComputeBoundMaterialsRequest(purposes=[purpose], with_bindings=True)
        reply = yield from session.ask_about("ComputeBoundMaterials", part.paths, request, pin)
        errors = part.errors(reply.path_errors)
        return part.table(_rows(reply, part.paths), errors, reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def _rows(reply: Message, paths: Sequence[str]) -> list[BoundMaterial | None]:
    if len(reply.binding) != len(paths):
        raise damaged(f"{len(reply.binding)} results for {len(paths)} paths")
    table = [None] + [
        BoundMaterial(b.material, b.relationship, b.collection, b.stronger_than_descendants)
        for b in reply.bindings
    ]
    return [table[checked(number, len(table))] for number in reply.binding]
