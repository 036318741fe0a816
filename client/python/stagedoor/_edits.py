"""Edits of session layers: plans of single edits, and blocks that collect them into one call."""

from __future__ import annotations

import contextvars
from collections.abc import Iterable
from typing import Any, Union

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._encode import encode, needs_type, path_list_op
from stagedoor._prims import PRIM, data_of
from stagedoor._proto import Message, v1
from stagedoor._session import Session, StreamOf
from stagedoor._values import Path, path_list
from stagedoor.errors import NotFoundError
from stagedoor.types import Time, ValueBlock

Paths = Union[Path, Iterable[Path]]

_SPECIFIERS = {"def": 1, "over": 2, "class": 3}


class Batch:
    """The edits that a block has collected."""

    def __init__(self, session: Session, variant: str, expected: str | None) -> None:
        self.session = session
        self.expected = expected
        self.request = v1.EditStageRequest()
        self.request.target.variant_path = variant
        self.types: dict[str, str] = {}  # of the attributes that its edits create

    def send(self) -> Plan[str]:
        """Makes the edits, all of them or none; returns the snapshot."""
        if not self.request.edits:
            return self.session.snapshot
        return (yield from _make(self.session, self.request, self.expected))


_current: contextvars.ContextVar[Batch | None] = contextvars.ContextVar(
    "stagedoor_edits", default=None
)


def current(session: Session) -> Batch | None:
    """The innermost block around the caller, if it is one of this session."""
    batch = _current.get()
    return batch if batch is not None and batch.session is session else None


class EditBlock:
    """`with stage.edit(variant=…) as edits:` makes the edits of the block at its end, in one call.

    If the block raises an exception, none of them are made. `edits.snapshot` is the new snapshot.
    """

    def __init__(self, stage: Any, variant: str, expected: str | None) -> None:
        self._stage = stage
        self._batch = Batch(stage._session, variant, expected)
        self._token: Any = None
        self.snapshot = ""

    def __len__(self) -> int:
        """The number of edits so far."""
        return len(self._batch.request.edits)

    def _begin(self) -> None:
        self._token = _current.set(self._batch)

    def _end(self) -> None:
        _current.reset(self._token)


def _make(session: Session, request: Message, expected: str | None) -> Plan[str]:
    reply = yield from session.edit("EditStage", request, expected)
    session.keep_edits(request)
    return str(reply.snapshot)


def author(session: Session, *edits: Message) -> Plan[None]:
    """Adds edits to the block around the caller, or makes them now if there is none."""
    batch = current(session)
    if batch is not None:
        batch.request.edits.extend(edits)
        return
    yield from _make(session, v1.EditStageRequest(edits=edits), None)


# ----------------------------------------------------------------------------------------- values


def set_value(
    prim: Any,
    name: str,
    value: Any,
    time: Time,
    type_name: str = "",
    custom: bool = False,
    uniform: bool = False,
) -> Plan[None]:
    """Sets a value of an attribute. Asks for its type if the value does not tell it."""
    path = f"{prim.path}.{name}"
    known = type_name
    if not known and needs_type(value):
        known = yield from _type_of(prim, name, path)
    edit = v1.Edit()
    edit.set_value.path = path
    _set_time(edit.set_value, time)
    edit.set_value.value.CopyFrom(encode(value, known))
    edit.set_value.type_name = type_name
    edit.set_value.custom = custom
    edit.set_value.variability = 2 if uniform else 0
    batch = current(prim._session)
    if batch is not None and type_name:
        batch.types[path] = type_name
    yield from author(prim._session, edit)


def _type_of(prim: Any, name: str, path: str) -> Plan[str]:
    """The type of an attribute; empty if it does not exist yet."""
    batch = current(prim._session)
    if batch is not None and path in batch.types:
        return batch.types[path]
    data = prim._known(PRIM)
    if data is None:
        try:
            data = yield from data_of(prim._session, prim._group, prim.path, PRIM)
        except NotFoundError:
            return ""
        prim._data = data
    found = data.properties.get(name)
    return str(found.type_name) if found is not None else ""


def _set_time(message: Message, time: Time) -> None:
    code = _times.time_code(time)
    if code.kind == "numeric":
        message.time.numeric = code.value
    elif code.kind == "default":
        message.time.default_time.SetInParent()
    else:
        raise ValueError("values are set at a number or at the default time")


def clear(session: Session, path: str) -> Plan[None]:
    edit = v1.Edit()
    edit.clear_value.path = path
    yield from author(session, edit)


def clear_at(session: Session, path: str, time: Time) -> Plan[None]:
    edit = v1.Edit()
    edit.clear_value.path = path
    _set_time(edit.clear_value, time)
    yield from author(session, edit)


def block(session: Session, path: str) -> Plan[None]:
    """Removes all values of the session layer, and blocks those of weaker layers."""
    first, second = v1.Edit(), v1.Edit()
    first.clear_value.path = path
    second.set_value.path = path
    second.set_value.value.CopyFrom(encode(ValueBlock()))
    yield from author(session, first, second)


# --------------------------------------------------------------------------------- other opinions


def set_field(session: Session, path: str, name: str, value: Any, keys: str = "") -> Plan[None]:
    edit = v1.Edit()
    edit.set_field.path, edit.set_field.name, edit.set_field.key_path = path, name, keys
    edit.set_field.value.CopyFrom(encode(value))
    yield from author(session, edit)


def clear_field(session: Session, path: str, name: str, keys: str = "") -> Plan[None]:
    edit = v1.Edit()
    edit.set_field.path, edit.set_field.name, edit.set_field.key_path = path, name, keys
    yield from author(session, edit)


def select_variant(session: Session, path: str, variant_set: str, variant: str) -> Plan[None]:
    edit = v1.Edit()
    edit.select_variant.path, edit.select_variant.variant_set = path, variant_set
    edit.select_variant.variant = variant
    yield from author(session, edit)


def clear_variant(session: Session, path: str, variant_set: str) -> Plan[None]:
    edit = v1.Edit()
    edit.select_variant.path, edit.select_variant.variant_set = path, variant_set
    edit.select_variant.clear = True
    yield from author(session, edit)


def set_targets(session: Session, path: str, targets: Paths, custom: bool = False) -> Plan[None]:
    edit = v1.Edit()
    edit.set_targets.path, edit.set_targets.custom = path, custom
    edit.set_targets.targets.CopyFrom(path_list_op(path_list(targets)))
    yield from author(session, edit)


def clear_targets(session: Session, path: str) -> Plan[None]:
    edit = v1.Edit()
    edit.set_targets.path = path
    yield from author(session, edit)


def define_prim(stage: Any, path: Path, type_name: str, specifier: str) -> Plan[Any]:
    """Authors a prim; returns its handle."""
    prim = stage.prim(path)
    edit = v1.Edit()
    edit.define_prim.path = prim.path
    edit.define_prim.type_name = type_name
    edit.define_prim.specifier = _SPECIFIERS[specifier]
    yield from author(stage._session, edit)
    return prim


def remove_spec(session: Session, path: str) -> Plan[None]:
    edit = v1.Edit()
    edit.remove_spec.path = path
    yield from author(session, edit)


def export(session: Session) -> StreamOf[bytes]:
    request = v1.ExportSessionLayerRequest()
    return StreamOf(session, "ExportSessionLayer", request, lambda reply: iter([reply.data]))
