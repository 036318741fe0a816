"""The rows of the tree: the children of prims, a page at a time."""

from __future__ import annotations

import contextlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from stagedoor import _prims
from stagedoor._calls import Call
from stagedoor._decode import enum_text
from stagedoor._proto import Message, v1
from stagedoor._session import StreamOf
from stagedoor.errors import Error
from stagedoor.inspect._ask import MAX_TEXT, Ask, Refused, cut
from stagedoor.inspect._held import HeldStage
from stagedoor.types import TimeCode

MAX_ROWS = 500  # of a page
_MAX_KEPT_BYTES = 64 << 20  # names of children, for each stage
_NAME_BYTES = 60  # what a name takes in memory besides its characters, roughly
_MAX_VARIANT_SETS = 16

# Which prims are shown: those that are defined and not abstract, loaded or not, active or not; or
# all, with overs and classes.
SHOWS = ("defined", "all")
_ROW_FIELDS = [*_prims.FIELDS[_prims.BASIC], "kind", "children", "variant_sets"]
_ROW_FIELDS_WITHOUT_CHILDREN = [name for name in _ROW_FIELDS if name != "children"]
_MAX_REPLY_BYTES = 32 << 20
_CHUNK_BYTES = 256 << 10
_FLAGS = (
    *("inactive", "unloaded", "undefined", "abstract", "model", "group"),
    *("instance", "instance_proxy", "has_payload"),
)


def prim_path(ask: Ask, name: str = "path") -> str:
    """The parameter that is the path of a prim."""
    try:
        return _prims.checked_prim_path(ask.text(name, "/"))
    except ValueError as error:
        raise Refused(str(error)) from None


def predicate(show: str) -> Message:
    """Which prims are shown."""
    flags: dict[str, Any] = {}
    if show == "defined":
        flags["required_flags"] = [v1.PrimFlag.Value("PRIM_FLAG_DEFINED")]
        flags["excluded_flags"] = [v1.PrimFlag.Value("PRIM_FLAG_ABSTRACT")]
    return v1.PrimPredicate(preset=v1.PrimPredicate.PRESET_ALL, instance_proxies=True, **flags)


class Names:
    """The names of the children of prims at one snapshot. The oldest are dropped beyond a limit.

    A prim may have millions of children, whose names are one reply; rows are read for those that
    are seen.
    """

    def __init__(self, snapshot: str) -> None:
        self.snapshot = snapshot
        self._names: OrderedDict[tuple[str, str], Sequence[str]] = OrderedDict()
        self._bytes = 0

    def get(self, key: tuple[str, str]) -> Sequence[str] | None:
        names = self._names.get(key)
        if names is not None:
            self._names.move_to_end(key)
        return names

    def put(self, key: tuple[str, str], names: Sequence[str]) -> None:
        self._bytes += _size(names) - _size(self._names.pop(key, ()))
        self._names[key] = names
        while len(self._names) > 1 and self._bytes > _MAX_KEPT_BYTES:
            _, oldest = self._names.popitem(last=False)
            self._bytes -= _size(oldest)


def _size(names: Sequence[str]) -> int:
    return sum(map(len, names)) + _NAME_BYTES * len(names)


async def children(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """A page of the children of a prim."""
    path, show = prim_path(ask), ask.choice("show", SHOWS)
    offset = ask.whole("offset", 0, 0, 1 << 31)
    limit = ask.whole("limit", 200, 1, MAX_ROWS)
    time = ask.time()
    names = await child_names(held, path, show)
    wanted = _prims.child_paths(path, names[offset : offset + limit])
    found = await _rows(held, wanted, show, time)
    return {"snapshot": held.session.snapshot, "total": len(names), "rows": found}


async def rows(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The rows of prims that are named: of ancestors of a prim to show, or after a change."""
    show, paths = ask.choice("show", SHOWS), ask.texts("paths", MAX_ROWS)
    time = ask.time()
    found = await _rows(held, paths, show, time)
    return {"snapshot": held.session.snapshot, "rows": found}


async def position(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Where a prim is among its siblings, and each prim above it among its own.

    Empty from the first prim on that is not shown.
    """
    path, show = prim_path(ask), ask.choice("show", SHOWS)
    found = []
    above = ""
    for name in path.split("/")[1:] if path != "/" else []:
        names = await child_names(held, above or "/", show)
        try:
            index = names.index(name)
        except ValueError:
            break
        above = f"{above}/{name}"
        found.append({"path": above, "index": index, "total": len(names)})
    return {"snapshot": held.session.snapshot, "positions": found}


def known_names(held: HeldStage) -> Names:
    """The names that are known at the newest snapshot."""
    names: Names | None = held.cache.get("names")
    if names is None or names.snapshot != held.session.snapshot:
        names = held.cache["names"] = Names(held.session.snapshot)
    return names


async def child_names(held: HeldStage, path: str, show: str) -> Sequence[str]:
    known = known_names(held).get((path, show))
    if known is not None:
        return known
    request = v1.GetPrimRequest(
        path=path, read_mask={"paths": ["children"]}, predicate=predicate(show)
    )
    reply = await held.run(held.session.ask("GetPrim", request))
    names = list(reply.prim.children)
    known_names(held).put((path, show), names)
    return names


async def _rows(
    held: HeldStage, paths: Sequence[str], show: str, time: TimeCode
) -> list[dict[str, Any]]:
    """Rows for prims, without those that are not shown any more."""
    if not paths:
        return []
    found, left = [], _MAX_REPLY_BYTES
    async for message in held.stage._client.stream(_row_call(held, paths, show, _ROW_FIELDS)):
        left -= message.ByteSize()
        found += [_row(prim) for prim in message.prims]
        for prim in message.prims:
            if not prim.HasField("error"):
                known_names(held).put((prim.path, show), list(prim.children))
        if left <= 0:
            break
    known = {row["path"] for row in found}
    rest = [path for path in paths if path not in known] if left <= 0 else []
    if rest:  # the numbers of their children are not worth the names
        made = _row_call(held, rest, show, _ROW_FIELDS_WITHOUT_CHILDREN)
        async for message in held.stage._client.stream(made):
            found += [{**_row(prim), "children": None} for prim in message.prims]
    await _add_visibility(held, found, time)
    return found


def _row_call(held: HeldStage, paths: Sequence[str], show: str, fields: Sequence[str]) -> Call:
    request = v1.TraverseRequest(
        roots=paths, predicate=predicate(show), read_mask={"paths": fields}, max_depth=0
    )
    request.stream_options.chunk_bytes = _CHUNK_BYTES
    return StreamOf(held.session, "Traverse", request, lambda reply: iter(reply.prims)).call()


def _row(prim: Message) -> dict[str, Any]:
    """A row. `children`: their number, or None if they are too many to count here."""
    if prim.HasField("error"):
        return {"path": prim.path, "children": None, "message": cut(prim.error.message)}
    row = {
        "path": prim.path,
        "type": cut(prim.type_name, MAX_TEXT),
        "kind": cut(prim.kind, MAX_TEXT),
        "specifier": enum_text(v1.Specifier, "SPECIFIER_", prim.specifier),
        "flags": [name for name in _FLAGS if getattr(prim, name)],
        "children": len(prim.children),
    }
    if prim.prototype:
        row["prototype"] = str(prim.prototype)
    if prim.variant_sets:
        row["variants"] = [
            [cut(entry.name, 200), cut(entry.selection, 200)]
            for entry in prim.variant_sets[:_MAX_VARIANT_SETS]
        ]
    return row


async def _add_visibility(held: HeldStage, found: list[dict[str, Any]], time: TimeCode) -> None:
    """Marks the rows of prims that are invisible, with what they inherit."""
    paths = [row["path"] for row in found if row.get("type")]
    if not paths:
        return
    with contextlib.suppress(Error):  # the tree is of use without it
        table = await held.stage.visibility(paths, time)
        for row in found:
            answer = table.get(row["path"])
            if answer is not None and not answer.visible:
                row["invisible"] = True


# ------------------------------------------------------------------------------------------ errors


async def errors(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The composition errors of the stage, a page at a time, and how many prims have how many."""
    offset = ask.whole("offset", 0, 0, 1 << 31)
    limit = ask.whole("limit", 200, 1, MAX_ROWS)
    known = held.cache.get("errors")
    if known is None or known[0] != held.session.snapshot:
        found = await held.stage.composition_errors
        known = held.cache["errors"] = (held.session.snapshot, found)
    snapshot, found = known
    counts: dict[str, int] = {}
    for error in found:
        if len(counts) < MAX_ROWS or error.prim_path in counts:
            counts[error.prim_path] = counts.get(error.prim_path, 0) + 1
    return {
        "snapshot": snapshot,
        "total": len(found),
        "errors": [
            {"type": error.type, "path": error.prim_path, "message": cut(error.message)}
            for error in found[offset : offset + limit]
        ],
        "counts": counts,
    }
