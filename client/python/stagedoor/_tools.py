"""Plans of edits, and of tools that read layers or write files."""

from __future__ import annotations

import contextlib
import os
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, BinaryIO, Union

from stagedoor import _times
from stagedoor._calls import Call, Plan, call
from stagedoor._decode import decode, enum_text, fields, first
from stagedoor._digests import ArrayCache, Key
from stagedoor._options import Options
from stagedoor._proto import Message, v1
from stagedoor._session import Session, StreamOf
from stagedoor._values import Path, expect, path_list
from stagedoor.errors import from_item, sendable
from stagedoor.results import (
    Asset,
    CompositionError,
    Dependency,
    Diagnostic,
    Layer,
    Progress,
    Spec,
    StageSummary,
    WarmResult,
)

Paths = Union[Path, Iterable[Path]]

# ----------------------------------------------------------------------------------------- opening

_WINDOWS_PATH = re.compile(r"[A-Za-z]:[/\\]|\\\\")
_POLICIES = {None: 0, "fixed": 1, "on_open": 2, "follow": 3}
_LOAD = {"all": 1, "none": 2}
_RULES = {"all": 1, "only": 2, "none": 3}


def session_layer_message(layer: str) -> Message:
    """A session layer: usda text, or the identifier of a layer."""
    if layer.lstrip().startswith("#usda"):
        return v1.SessionLayer(content=layer)
    return v1.SessionLayer(identifier=layer)


@sendable()
def open_request(
    root_layer: str,
    *,
    session_layer: str | None = None,
    load: str = "all",
    load_rules: Mapping[str, str] | None = None,
    mask: Paths | None = None,
    variant_fallbacks: Mapping[str, Sequence[str]] | None = None,
    muted_layers: Sequence[str] = (),
    interpolation: str = "linear",
    session: str = "",
    on_change: str | None = None,
    search_paths: Sequence[str] = (),
    pins: Mapping[str, str] | None = None,
    pin_files: Sequence[str] = (),
    layers: Mapping[str, str] | None = None,
) -> Message:
    """An OpenStageRequest; see Client.open."""
    request = v1.OpenStageRequest(
        root_layer=root_layer,
        load_policy=_choice("load", load, _LOAD),
        population_mask=path_list(mask) if mask is not None else [],
        muted_layers=path_list(muted_layers),
        interpolation=_choice("interpolation", interpolation, {"linear": 1, "held": 2}),
        session=session,
        change_policy=_choice("on_change", on_change, _POLICIES),
    )
    if session_layer is not None:
        request.session_layer.CopyFrom(session_layer_message(session_layer))
    for path, rule in (load_rules or {}).items():
        request.load_rules.add(path=path, rule=_choice("load rule", rule, _RULES))
    for name, choices in (variant_fallbacks or {}).items():
        request.variant_fallbacks.add(variant_set=name, choices=choices)
    context = v1.ResolverContext(
        search_paths=path_list(search_paths), pin_files=path_list(pin_files)
    )
    for asset_path, target in (pins or {}).items():
        context.pins.add(asset_path=asset_path, target=target)
    for identifier, content in (layers or {}).items():
        context.layers.add(identifier=identifier, content=content)
    if context.ByteSize():
        request.resolver_context.CopyFrom(context)
    return request


def absolute(root_layer: str | os.PathLike[str], layers: Any) -> str:
    """An absolute path or URI for a root layer, as the command line makes it."""
    name = os.fspath(root_layer)
    if "://" in name or os.path.isabs(name) or name in (layers or ()):
        return name
    if _WINDOWS_PATH.match(name):  # the daemon may map it, wherever this process runs
        return name
    return os.path.abspath(name)


def fill_lease(request: Message, options: Options) -> None:
    """Sets what the settings of a client say about its leases."""
    request.client_name = options.client_name
    if options.lease_ttl is not None:
        request.lease_ttl.seconds = int(options.lease_ttl)
        request.lease_ttl.nanos = int(options.lease_ttl % 1 * 1e9)


@contextlib.contextmanager
def new_file(target: str) -> Iterator[BinaryIO]:
    """A file to write, which gets its name only when the block has ended without an error."""
    part = f"{target}.{uuid.uuid4().hex[:8]}.part"
    try:
        with open(part, "xb") as file:
            yield file
        os.replace(part, target)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)
        raise


def start_again(file: BinaryIO) -> None:
    """Drops what was written to a file."""
    file.seek(0)
    file.truncate()


def _choice(what: str, name: Any, known: Mapping[Any, int]) -> int:
    if name not in known:
        raise ValueError(f"unknown {what} {name!r}; use one of {[k for k in known if k]}")
    return known[name]


def details(session: Session, detail: str) -> Plan[Message]:
    request = v1.GetStageRequest(details=[v1.StageDetail.Value(f"STAGE_DETAIL_{detail}")])
    reply = yield from session.ask("GetStage", request)
    session.saw(reply.stage.snapshot)
    return reply.stage


def info(session: Session) -> Plan[Message]:
    """The description of the newest snapshot; also renews the lease."""
    reply = yield from session.ask("GetStage", v1.GetStageRequest())
    session.saw(reply.stage.snapshot)
    session.info = reply.stage
    return reply.stage


def composition_errors(session: Session) -> Plan[list[CompositionError]]:
    stage = yield from details(session, "COMPOSITION_ERRORS")
    return [CompositionError(e.type, e.prim_path, e.message) for e in stage.composition_errors]


def stage_metadata(session: Session) -> Plan[dict[str, Any]]:
    stage = yield from details(session, "METADATA")
    return fields(stage.metadata)


# ------------------------------------------------------------------------------------------- edits


def set_session_layer(session: Session, layer: str | None, expected: str | None) -> Plan[str]:
    made = session_layer_message(layer) if layer is not None else None
    request = v1.SetSessionLayerRequest(session_layer=made)
    reply = yield from session.edit("SetSessionLayer", request, expected)
    session.fold_session_layer(made)
    return str(reply.snapshot)


def load(
    session: Session, paths: Paths, without_descendants: bool, expected: str | None
) -> Plan[str]:
    names = path_list(paths)
    request = v1.LoadPrimsRequest(paths=names, without_descendants=without_descendants)
    reply = yield from session.edit("LoadPrims", request, expected)
    session.fold_load_rules(names, "ONLY" if without_descendants else "ALL")
    return str(reply.snapshot)


def unload(session: Session, paths: Paths, expected: str | None) -> Plan[str]:
    names = path_list(paths)
    reply = yield from session.edit("UnloadPrims", v1.UnloadPrimsRequest(paths=names), expected)
    session.fold_load_rules(names, "NONE")
    return str(reply.snapshot)


def mute(
    session: Session, mute: Sequence[str], unmute: Sequence[str], expected: str | None
) -> Plan[str]:
    request = v1.MuteLayersRequest(mute=mute, unmute=unmute)
    reply = yield from session.edit("MuteLayers", request, expected)
    session.fold_muting(mute, unmute)
    return str(reply.snapshot)


def reload(session: Session, expected: str | None) -> Plan[list[str]]:
    reply = yield from session.edit("ReloadStage", v1.ReloadStageRequest(), expected)
    return list(reply.reloaded_layers)


# ------------------------------------------------------------------------------------------- tools


def file_format(path: str, name: str | None) -> int:
    """The number of a format: that of `name`, or else that of the extension of a file."""
    if name is None:
        name = "usda" if path.endswith(".usda") else "usdc"
    return _choice("format", name, {"usda": 1, "usdc": 2})


def flatten(session: Session, number: int, layer_stack_only: bool) -> StreamOf[bytes]:
    request = v1.FlattenStageRequest(format=number, layer_stack_only=layer_stack_only)
    return StreamOf(session, "FlattenStage", request, lambda reply: iter([reply.data]))


def dependencies(session: Session) -> StreamOf[Dependency]:
    def items(reply: Message) -> Iterator[Dependency]:
        for entry in reply.dependencies:
            kind = enum_text(v1.Dependency.Kind, "KIND_", entry.kind)
            yield Dependency(kind, entry.authored_path, entry.resolved_path, entry.layer)

    return StreamOf(session, "ListDependencies", v1.ListDependenciesRequest(), items)


@sendable()
def warm(
    session: Session, paths: Paths | None, interval: _times.Interval
) -> StreamOf[Progress | WarmResult]:
    request = v1.WarmStageRequest(prim_paths=path_list(paths) if paths is not None else [])
    if interval is not None:
        request.interval.CopyFrom(_times.interval_message(interval))

    def items(reply: Message) -> Iterator[Progress | WarmResult]:
        if not reply.HasField("result"):
            phase = enum_text(v1.WarmStageResponse.Phase, "PHASE_", reply.phase)
            yield Progress(phase, reply.done, reply.total)
            return
        made = reply.result
        yield WarmResult(
            prims=made.prims,
            attributes=made.attributes,
            skipped_attributes=made.skipped_attributes,
            clips=made.clips,
            skipped_clips=made.skipped_clips,
            errors=tuple(from_item(status) for status in made.errors),
        )

    return StreamOf(session, "WarmStage", request, items)


def read_layer(identifier: str, without_values: bool, arrays: ArrayCache) -> Plan[Layer]:
    """A layer with its specs, which depend on no stage."""
    request = v1.ReadLayerRequest(identifier=identifier, without_values=without_values)
    key = Key(f"{identifier} layer")
    held = expect(arrays, request, [key.name])
    replies = yield call("ReadLayer", request)
    header = first(replies, f"layer {identifier}").layer
    specs: dict[str, Spec] = {}
    for spec in (spec for reply in replies for spec in reply.specs):
        if spec.HasField("error"):
            raise from_item(spec.error, spec.path)
        values = {f.name: decode(f.value, held, key) for f in spec.fields}
        specs[spec.path] = Spec(spec.path, enum_text(v1.Spec.Type, "TYPE_", spec.type), values)
    kind = enum_text(v1.LayerFormat, "LAYER_FORMAT_", header.format)
    return Layer(header.identifier, kind, fields(header.fields), specs)


def read_asset(
    path: str, anchor: str, offset: int, length: int | None, version: str
) -> Plan[Asset]:
    request = v1.ReadAssetRequest(
        asset_path=path, anchor=anchor, offset=offset, length=length, version=version
    )
    replies = yield call("ReadAsset", request)
    info = first(replies, f"asset {path}").asset
    data = b"".join(reply.data for reply in replies)
    return Asset(info.identifier, info.resolved_path, info.version, info.size, data)


def convert_call(identifier: str, number: int) -> Call:
    return call("ConvertLayer", v1.ConvertLayerRequest(identifier=identifier, format=number))


def validate(identifier: str) -> Plan[list[Diagnostic]]:
    reply = yield call("ValidateLayer", v1.ValidateLayerRequest(identifier=identifier))
    return [
        Diagnostic(
            enum_text(v1.Diagnostic.Severity, "SEVERITY_", d.severity),
            d.message,
            d.file,
            d.line,
            d.column,
            d.path,
        )
        for d in reply.diagnostics
    ]


def list_stages() -> Plan[list[StageSummary]]:
    found: list[StageSummary] = []
    token = ""
    while True:
        reply = yield call("ListStages", v1.ListStagesRequest(page_token=token))
        found += [
            StageSummary(s.id, s.root_layer, s.snapshot, s.lease_count, tuple(s.client_names))
            for s in reply.stages
        ]
        token = reply.next_page_token
        if not token:
            return found


def server_version() -> Plan[str]:
    reply = yield call("GetCapabilities", v1.GetCapabilitiesRequest())
    return str(reply.version)
