"""Edits in a session, which others see only if they join it, and how they are undone.

Stages that are opened to look at them are not edited: an edit needs a session of its own, private
to the pages that know its name, or with a name that others can join.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from stagedoor.errors import ConflictError
from stagedoor.inspect._ask import Ask, Refused, cut
from stagedoor.inspect._held import HeldStage, Stages, stage_key
from stagedoor.inspect._overview import file_name
from stagedoor.inspect._shown import whole_text
from stagedoor.inspect._tree import prim_path
from stagedoor.inspect._why import property_path
from stagedoor.types import AssetPath, State, Time

MAX_LAYER = 8 << 20  # characters of a session layer, beyond which edits are not undone
MAX_VALUE = 1 << 20  # characters of a value that is set
MAX_TEXT = 100_000  # of a value that is shown to be changed
_TEXT_TYPES = ("string", "token", "asset", "pathExpression")
_NUMBERS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


class _EditedElsewhere(Exception):
    """The session layer is not the one that the edit has left."""


@dataclass(frozen=True)
class UndoStep:
    """A step that undoes an edit."""

    words: str
    undo: Callable[[HeldStage], Awaitable[object]]
    size: int


def begin(stages: Stages, ask: Ask) -> dict[str, str]:
    """A session to edit in: of the name that is given, or else a private one."""
    name = ask.text("name", "", limit=200).strip()
    if name.startswith("private:"):
        raise Refused("the name of a session must not begin with 'private:'")
    stage_key(ask)
    return {"session": name or stages.begin_private()}


async def end(stages: Stages, ask: Ask) -> dict[str, Any]:
    """Ends the inspector's lease on a session; a private one is gone with its edits."""
    key = stage_key(ask)
    if not key.session:
        raise Refused("no session is named")
    await stages.close(key)
    return {}


async def edit(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Makes an edit, and remembers what undoes it."""
    kind = ask.text("kind")
    if not held.key.session:
        raise Refused("the stage is open to look at it only", "begin a session in Edit")
    if kind not in _KINDS:
        raise Refused(f"unknown edit '{kind}'; use one of {', '.join(_KINDS)}")
    async with held.edit_lock:
        step = await _KINDS[kind](held, ask)
        if step is None:
            held.undo.clear()
        else:
            held.remember_undo(step, step.size)
        return _state(held)


async def undo(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Undoes the latest edit that was made here, unless the session was edited elsewhere since."""
    async with held.edit_lock:
        if not held.undo:
            raise Refused("there is nothing to undo", status=409)
        step, _ = held.undo[-1]
        try:
            await step.undo(held)
        except (ConflictError, _EditedElsewhere):
            held.undo.clear()
            raise Refused(
                "the session has been edited elsewhere since, so that the edit cannot be undone",
                "clear or set again what is wrong",
                status=409,
            ) from None
        held.undo.pop()
        return _state(held)


async def export(held: HeldStage, ask: Ask) -> Response:
    """The session layer as a file."""
    text = await held.stage.export_session_layer()
    stem = file_name(held.key.root).rpartition(".")[0] or "stage"
    safe = "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in stem)
    headers = {"content-disposition": f'attachment; filename="{safe[:80]}.session.usda"'}
    return Response(text, headers=headers, media_type="text/plain; charset=utf-8")


def _state(held: HeldStage) -> dict[str, Any]:
    held.is_edited = True
    return {
        "snapshot": held.session.snapshot,
        "undo": len(held.undo),
        "last": held.undo[-1][0].words if held.undo else "",
    }


# ------------------------------------------------------------------------------------------ kinds


async def _layer_edit(
    held: HeldStage, words: str, make: Callable[[], Awaitable[object]]
) -> UndoStep | None:
    """Makes an edit of the session layer, which is undone by the layer that there was before."""
    before = await held.stage.export_session_layer()
    await make()
    after = await held.stage.export_session_layer()
    if len(before) > MAX_LAYER:
        return None
    left = _digest(after)

    async def back(stage: HeldStage) -> None:
        # Other snapshots may have come since, because files have changed.
        newest = await stage.stage.refresh()
        if _digest(await stage.stage.export_session_layer()) != left:
            raise _EditedElsewhere
        await stage.stage.set_session_layer(before or None, expected=newest)

    return UndoStep(cut(words, 200), back, len(before))


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


async def _set(held: HeldStage, ask: Ask) -> UndoStep | None:
    prim, name = property_path(ask)
    attribute = held.stage.attribute(f"{prim}.{name}")
    type_name = await attribute.type_name
    value = parsed(ask.text("value", limit=MAX_VALUE), type_name)
    time: Time = ask.time() if ask.text("at", "default") == "time" else None
    return await _layer_edit(held, f"set {name}", lambda: attribute.set(value, time))


async def _block(held: HeldStage, ask: Ask) -> UndoStep | None:
    prim, name = property_path(ask)
    return await _layer_edit(held, f"block {name}", held.stage.attribute(f"{prim}.{name}").block)


async def _clear(held: HeldStage, ask: Ask) -> UndoStep | None:
    prim, name = property_path(ask)
    return await _layer_edit(
        held, f"clear {name}", lambda: held.stage.remove_spec(f"{prim}.{name}")
    )


async def _revert(held: HeldStage, ask: Ask) -> UndoStep | None:
    path = prim_path(ask)
    return await _layer_edit(held, f"revert {path}", lambda: held.stage.remove_spec(path))


async def _active(held: HeldStage, ask: Ask) -> UndoStep | None:
    path, active = prim_path(ask), ask.flag("on")
    words = f"{'activate' if active else 'deactivate'} {path}"
    return await _layer_edit(held, words, lambda: held.stage.prim(path).set_active(active))


async def _variant(held: HeldStage, ask: Ask) -> UndoStep | None:
    path, name, choice = prim_path(ask), ask.text("set"), ask.text("choice", "")
    variants = held.stage.prim(path).variant_set(name)
    words = f"select {name} = {choice or 'as before'}"
    return await _layer_edit(
        held, words, lambda: variants.select(choice) if choice else variants.clear()
    )


async def _load(held: HeldStage, ask: Ask) -> UndoStep | None:
    path, load = prim_path(ask), ask.flag("on")
    await (held.stage.load(path) if load else held.stage.unload(path))

    async def back(stage: HeldStage) -> None:
        await (stage.stage.unload(path) if load else stage.stage.load(path))

    return UndoStep(cut(f"{'load' if load else 'unload'} {path}", 200), back, len(path))


async def _mute(held: HeldStage, ask: Ask) -> UndoStep | None:
    layer, mute = ask.text("layer"), ask.flag("on")
    await (held.stage.mute(layer) if mute else held.stage.unmute(layer))

    async def back(stage: HeldStage) -> None:
        await (stage.stage.unmute(layer) if mute else stage.stage.mute(layer))

    return UndoStep(cut(f"{'mute' if mute else 'unmute'} {layer}", 200), back, len(layer))


_KINDS: dict[str, Callable[[HeldStage, Ask], Awaitable[UndoStep | None]]] = {
    "set": _set,
    "block": _block,
    "clear": _clear,
    "revert": _revert,
    "active": _active,
    "variant": _variant,
    "load": _load,
    "mute": _mute,
}


# ------------------------------------------------------------------------------------------ values


def parsed(text: str, type_name: str) -> Any:
    """The value that somebody has written: JSON, as values are shown; texts without quotes, too."""
    is_text = type_name in _TEXT_TYPES
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        if not is_text and text.strip() not in _NUMBERS:
            raise Refused(
                f"'{cut(text, 100)}' is not a value of the type {type_name}",
                "write it as it is shown: 1.5, true, [1, 2, 3]",
            ) from None
        value = text if is_text else text.strip()
    if is_text:
        return value if isinstance(value, str) else text
    return _numbers(value)


def _numbers(value: Any) -> Any:
    """Names of numbers that JSON does not have, replaced by them."""
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    if isinstance(value, str):
        return _NUMBERS.get(value, value)
    return value


async def editable(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The whole value of an attribute as text to be changed, if it is short enough."""
    prim, name = property_path(ask)
    attribute = held.stage.attribute(f"{prim}.{name}")
    type_name = await attribute.type_name
    state, value = await attribute.state(ask.time()), None
    if state is State.VALUE:
        value = await attribute.get(ask.time())
    if isinstance(value, AssetPath):
        value = value.authored
    text, is_cut = whole_text(value, type_name, MAX_TEXT) if value is not None else ("", False)
    return {"type": type_name, "text": text, "cut": is_cut}
