"""Plans that compute how models are drawn, and where their constraint targets are."""

from __future__ import annotations

from typing import Any

from stagedoor._calls import Plan
from stagedoor._decode import damaged, decode, unpack
from stagedoor._geom import Query
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.results import ConstraintTarget, ModelDrawing, PathTable


def models(session: Session, query: Query, targets: bool) -> Plan[PathTable[Any]]:
    def some(part: Query, pin: str) -> Plan[PathTable[Any]]:
        request = v1.ComputeModelsRequest(times=part.times(), with_constraint_targets=targets)
        reply = yield from session.ask_about("ComputeModels", part.paths, request, pin)
        if len(reply.models) != len(part.paths):
            raise damaged(f"{len(reply.models)} models for {len(part.paths)} paths")
        rows = [_model(message, part) for message in reply.models]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def _model(message: Message, query: Query) -> ModelDrawing:
    color = tuple(message.draw_mode_color)
    return ModelDrawing(
        draw_mode=message.draw_mode,
        is_model=message.is_model,
        apply_draw_mode=message.apply_draw_mode,
        draw_mode_color=color if len(color) == 3 else None,
        card_geometry=message.card_geometry,
        card_textures={card.face: decode(card.texture) for card in message.card_textures},
        constraint_targets={
            target.name: _target(target, query) for target in message.constraint_targets
        },
    )


def _target(message: Message, query: Query) -> ConstraintTarget:
    matrices = unpack(message.local_to_world)
    if len(matrices) != len(query.codes):
        raise damaged(f"{len(matrices)} matrices for {len(query.codes)} times")
    return ConstraintTarget(message.identifier, matrices[0] if query.single else matrices)
