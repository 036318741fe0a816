"""Plans that find what to render: settings with their products, and passes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stagedoor._calls import Plan
from stagedoor._decode import asset_path, checked, damaged, enum_text, fields
from stagedoor._geom import Paths, Query
from stagedoor._proto import Message, v1
from stagedoor._results.rendering import pass_members
from stagedoor._session import Session
from stagedoor._values import path_list
from stagedoor.errors import from_item
from stagedoor.results import (
    PathTable,
    RenderPass,
    RenderProblem,
    RenderProduct,
    RenderSettings,
    RenderVar,
    VolumeField,
    VolumeFieldSample,
)


def settings(session: Session, path: str, namespaces: Sequence[str]) -> Plan[RenderSettings | None]:
    """Those of the prim at `path`; without one, those of the stage, or None if it has none."""
    request = v1.ComputeRenderSettingsRequest(paths=[path] if path else [], namespaces=namespaces)
    reply = yield from session.ask("ComputeRenderSettings", request)
    for status in reply.path_errors:
        raise from_item(status, path)
    return settings_of(reply.settings[0]) if reply.settings else None


def passes(
    session: Session, named: Paths, namespaces: Sequence[str], paths: Paths
) -> Plan[list[RenderPass]]:
    asked = path_list(paths)
    request = v1.ComputeRenderPassesRequest(passes=path_list(named), namespaces=namespaces)
    reply = yield from session.ask_about("ComputeRenderPasses", asked, request)
    for status in reply.path_errors:
        raise from_item(status, asked[checked(status.item, len(asked))])
    return [_pass(message, asked) for message in reply.passes]


def volume_fields(session: Session, query: Query) -> Plan[PathTable[dict[str, VolumeField]]]:
    def some(part: Query, pin: str) -> Plan[PathTable[dict[str, VolumeField]]]:
        request = v1.ComputeVolumeFieldsRequest(times=part.times())
        reply = yield from session.ask_about("ComputeVolumeFields", part.paths, request, pin)
        if len(reply.volumes) != len(part.paths):
            raise damaged(f"{len(reply.volumes)} results for {len(part.paths)} paths")
        rows = [{f.name: volume_field(f) for f in volume.fields} for volume in reply.volumes]
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from query.in_parts(some))


def volume_field(message: Message) -> VolumeField:
    return VolumeField(
        message.name, message.path, message.type_name, [_sample(s) for s in message.samples]
    )


def _sample(message: Message) -> VolumeFieldSample:
    return VolumeFieldSample(
        file=asset_path(message.file) if message.HasField("file") else None,
        field_name=message.field_name,
        field_index=message.field_index if message.HasField("field_index") else None,
        field_data_type=message.field_data_type,
        vector_data_role_hint=message.vector_data_role_hint,
        field_class=message.field_class,
        field_purpose=message.field_purpose,
    )


def settings_of(message: Message) -> RenderSettings:
    found = [_var(var) for var in message.vars]
    return RenderSettings(
        path=message.path,
        defaults=_product(message.defaults, found),
        products=[_product(product, found) for product in message.products],
        vars=found,
        included_purposes=list(message.included_purposes),
        material_binding_purposes=list(message.material_binding_purposes),
        rendering_color_space=message.rendering_color_space,
        settings=fields(message.settings),
        problems=[_problem(problem) for problem in message.problems],
    )


def _product(message: Message, known: Sequence[RenderVar]) -> RenderProduct:
    if len(message.data_window) != 4:
        raise damaged(f"a data window of {len(message.data_window)} numbers")
    return RenderProduct(
        path=message.path,
        type=message.type,
        name=message.name,
        camera=message.camera,
        resolution=(message.width, message.height),
        pixel_aspect_ratio=message.pixel_aspect_ratio,
        aspect_ratio_conform_policy=message.aspect_ratio_conform_policy,
        aperture=(message.horizontal_aperture, message.vertical_aperture),
        data_window=_quadruple(message.data_window),
        disable_motion_blur=message.disable_motion_blur,
        disable_depth_of_field=message.disable_depth_of_field,
        instantaneous_shutter=message.instantaneous_shutter,
        vars=[known[checked(var, len(known))] for var in message.vars],
        settings=fields(message.settings),
    )


def _quadruple(numbers: Iterable[float]) -> tuple[float, float, float, float]:
    a, b, c, d = numbers
    return (a, b, c, d)


def _var(message: Message) -> RenderVar:
    return RenderVar(
        path=message.path,
        data_type=message.data_type,
        source_name=message.source_name,
        source_type=message.source_type,
        settings=fields(message.settings),
    )


def _problem(message: Message) -> RenderProblem:
    reason = enum_text(v1.RenderProblem.Reason, "REASON_", message.reason)
    return RenderProblem(reason, message.prim, message.target)


def _pass(message: Message, paths: Sequence[str]) -> RenderPass:
    if len(message.members) != len(paths):
        raise damaged(f"{len(message.members)} results for {len(paths)} paths")
    return RenderPass(
        path=message.path,
        type=message.type,
        command=list(message.command),
        file_name=asset_path(message.file_name) if message.HasField("file_name") else None,
        sources=list(message.sources),
        input_passes=list(message.input_passes),
        settings=fields(message.settings),
        members={path: pass_members(bits) for path, bits in zip(paths, message.members)},
    )
