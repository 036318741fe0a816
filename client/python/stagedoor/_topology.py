"""Plans that ask how points make up geometry, and what a stage consists of."""

from __future__ import annotations

from collections.abc import Iterable

from stagedoor._calls import Plan
from stagedoor._geom import Paths, Query, _item, _optional, _raise_error, _stream
from stagedoor._proto import Message, v1
from stagedoor._session import Session, StreamOf
from stagedoor._values import path_list
from stagedoor.errors import sendable
from stagedoor.results import CurveDataSizes, PrimCounts, StageStatistics, Topology


@sendable()
def topology(
    session: Session,
    query: Query,
    surface_faces: bool,
    inverted_elements: bool,
    segment_counts: bool,
    tangents: bool,
    problems: bool,
    data_sizes: Iterable[int],
) -> StreamOf[Topology]:
    request = v1.ComputeTopologyRequest(
        with_surface_faces=surface_faces,
        with_inverted_elements=inverted_elements,
        with_segment_counts=segment_counts,
        with_tangents=tangents,
        with_problems=problems,
        data_sizes=data_sizes,
        **query.fields(),
    )

    def of(message: Message) -> Topology:
        path, code = _item(query, message.item)
        _raise_error(message, path)
        return Topology(
            path=path,
            time=code,
            schema_type=message.schema_type,
            element_count=message.element_count,
            point_count=message.point_count,
            problem=message.problem,
            surface_faces=_optional(message, "surface_faces"),
            inverted_elements=_optional(message, "inverted_elements"),
            segment_counts=_optional(message, "segment_counts"),
            data_sizes=_data_sizes(message),
            points=_optional(message, "points"),
            tangents=_optional(message, "tangents"),
        )

    return _stream(session, "ComputeTopology", request, of)


def _data_sizes(message: Message) -> CurveDataSizes | None:
    if not message.HasField("data_sizes"):
        return None
    sizes = message.data_sizes
    return CurveDataSizes(
        uniform=sizes.uniform,
        varying=sizes.varying if sizes.HasField("varying") else None,
        vertex=sizes.vertex,
        interpolations=tuple(sizes.interpolations),
    )


def statistics(session: Session, roots: Paths | None) -> Plan[StageStatistics]:
    request = v1.ComputeStageStatisticsRequest(roots=[] if roots is None else path_list(roots))
    reply = yield from session.ask("ComputeStageStatistics", request)
    return StageStatistics(
        used_layer_count=reply.used_layer_count,
        model_count=reply.model_count,
        instanced_model_count=reply.instanced_model_count,
        asset_count=reply.asset_count,
        prototype_count=reply.prototype_count,
        primary=_counts(reply.primary),
        prototypes=_counts(reply.prototypes),
    )


def _counts(message: Message) -> PrimCounts:
    return PrimCounts(
        total=message.total,
        active=message.active,
        inactive=message.inactive,
        pure_over=message.pure_over,
        instance=message.instance,
        payload=message.payload,
        unloaded_payload=message.unloaded_payload,
        types={entry.type_name: entry.count for entry in message.types},
    )
