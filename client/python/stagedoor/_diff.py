"""The comparison of two stages, as the command `stagedoor diff` makes it.

The prims of both sides are read once, and only their hashes are kept; those that differ are read
again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._decode import decode, enum_text, site
from stagedoor._prims import everywhere
from stagedoor._proto import Message, v1
from stagedoor._session import Session, StreamOf
from stagedoor._tools import details
from stagedoor.errors import Error, from_item
from stagedoor.results import Difference
from stagedoor.types import Site, State, TimeCode

_FIELDS = [
    *("specifier", "type_name", "inactive", "unloaded", "instance", "abstract", "undefined"),
    *("kind", "api_schemas", "variant_sets", "metadata"),
    *(f"properties.{name}" for name in ("metadata", "values", "connections", "targets")),
]
_FLAGS = ["inactive", "unloaded", "instance", "abstract", "undefined"]
# How many prims are read again at a time.
_BATCH = 256


@dataclass(frozen=True)
class _Fact:
    """A fact about a prim or property of a stage, to compare with that of another one."""

    path: str
    aspect: str
    value: Any
    digest: bytes  # of the value
    # Whether a schema implies it. If the other side lacks it, the types differ, which is a
    # difference already.
    implied: bool = False
    time: TimeCode | None = None  # of a value


Facts = dict[tuple[str, str], _Fact]
Hashes = dict[str, tuple[bytes, str]]


def _digest(*parts: bytes) -> bytes:
    made = hashlib.blake2b(digest_size=16)
    for part in parts:
        made.update(len(part).to_bytes(8, "little"))
        made.update(part)
    return made.digest()


def _bytes_of(message: Message) -> bytes:
    return bytes(message.SerializeToString(deterministic=True))


class _Collector:
    """Gathers the facts about what is at one path."""

    def __init__(self, facts: Facts, path: str, implied: bool = False) -> None:
        self._facts = facts
        self._path = path
        self._implied = implied

    def add(self, aspect: str, value: Any, raw: bytes, time: TimeCode | None = None) -> None:
        fact = _Fact(self._path, aspect, value, _digest(raw), self._implied, time)
        self._facts[self._path, aspect] = fact

    def text(self, aspect: str, text: str) -> None:
        if text:
            self.add(aspect, text, text.encode())

    def texts(self, aspect: str, texts: Iterable[str]) -> None:
        items = list(texts)
        if items:
            self.add(aspect, items, _digest(*(item.encode() for item in items)))

    def fields(self, entries: Iterable[Message]) -> None:
        for entry in entries:
            self.add(entry.name, decode(entry.value), _bytes_of(entry.value))


def _declaration(message: Message) -> str:
    words = ["custom"] if message.custom else []
    if message.kind == v1.Property.KIND_RELATIONSHIP:
        return " ".join([*words, "rel"])
    words += (
        ["uniform"] if message.variability == v1.Variability.Value("VARIABILITY_UNIFORM") else []
    )
    return " ".join([*words, message.type_name])


def _value_at(message: Message, i: int) -> tuple[Any, bytes]:
    """The value at time `i` of the request, and bytes that are equal if the values are."""
    uniform = message.HasField("uniform_value") or not message.values
    at = 0 if uniform else i
    states = message.value_states
    if at < len(states) and states[at] == v1.ItemState.Value("ITEM_STATE_BLOCKED"):
        return State.BLOCKED, b"blocked"
    if uniform:
        value = message.uniform_value
    elif at < len(message.values):
        value = message.values[at]
    else:
        return None, b"none"
    if value.WhichOneof("kind") == "block":
        return State.BLOCKED, b"blocked"
    return decode(value), _bytes_of(value)


def _facts_of_prim(
    prim: Message, times: Sequence[TimeCode], words: Sequence[str] | None = None
) -> Facts:
    """The facts of a prim and its properties. `words` name the times, by default as they are."""
    facts: Facts = {}
    about = _Collector(facts, prim.path)
    about.text("specifier", enum_text(v1.Specifier, "SPECIFIER_", prim.specifier))
    about.text("type", prim.type_name)
    about.text("flags", " ".join(name for name in _FLAGS if getattr(prim, name)))
    about.text("kind", prim.kind)
    about.texts("apiSchemas", prim.api_schemas)
    for variants in prim.variant_sets:
        about.add(f"variant {variants.name}", variants.selection, variants.selection.encode())
    about.fields(prim.metadata)
    for message in prim.properties:
        path = f"{prim.path}.{message.name}"
        one = _Collector(facts, path, not message.authored)
        one.text("declaration", _declaration(message))
        one.fields(message.metadata)
        one.texts("connections", message.connections)
        one.texts("targets", message.targets)
        if message.kind == v1.Property.KIND_RELATIONSHIP:
            continue
        for i, time in enumerate(times):
            word = _word(time) if words is None else words[i]
            one.add(f"at {word}", *_value_at(message, i), time)
    return facts


def _word(time: TimeCode) -> str:
    if time.kind in ("default", "earliest"):
        return time.kind
    return f"pre:{time.value:g}" if time.kind == "pre" else repr(time.value)


def prims_to_compare(roots: Sequence[str], times: Sequence[TimeCode]) -> Message:
    """A request for all that is compared of the prims at and below roots."""
    return v1.TraverseRequest(
        roots=roots,
        predicate=everywhere(),
        read_mask={"paths": _FIELDS},
        times=_times.selection(list(times)),
    )


def _traverse(
    session: Session,
    times: Sequence[TimeCode],
    roots: Sequence[str] = (),
    words: Sequence[str] | None = None,
    pin: str = "",
) -> StreamOf[tuple[Message, Facts]]:
    """The prims at `roots`, or all of the stage, with their facts."""
    request = prims_to_compare(roots, times)
    if roots:
        request.max_depth = 0

    def items(reply: Message) -> Iterator[tuple[Message, Facts]]:
        for prim in reply.prims:
            if prim.HasField("error"):
                raise from_item(prim.error)
            yield prim, _facts_of_prim(prim, times, words)

    # Not read ahead: what is kept of a prim is much smaller than its message.
    return StreamOf(session, "Traverse", request, items, pin=pin, ordered=True)


def hashes(session: Session, times: Sequence[TimeCode]) -> StreamOf[tuple[str, bytes, str]]:
    """The path, a hash of all facts, and the type of each prim."""
    stream = _traverse(session, times)

    def items(reply: Message) -> Iterator[tuple[str, bytes, str]]:
        for prim, facts in stream.items(reply):
            parts = (f"{path} {aspect}".encode() + f.digest for (path, aspect), f in facts.items())
            yield prim.path, _digest(*sorted(parts)), prim.type_name

    return StreamOf(session, "Traverse", stream.request, items, ordered=True)


def stage_facts(session: Session) -> Plan[Facts]:
    """The metadata of the stage."""
    stage = yield from details(session, "METADATA")
    facts: Facts = {}
    about = _Collector(facts, "/")
    about.text("defaultPrim", stage.default_prim)
    numbers = {
        "timeCodesPerSecond": stage.time_codes_per_second,
        "framesPerSecond": stage.frames_per_second,
        "metersPerUnit": stage.meters_per_unit,
    }
    if stage.HasField("start_time_code"):
        numbers["startTimeCode"] = stage.start_time_code
    if stage.HasField("end_time_code"):
        numbers["endTimeCode"] = stage.end_time_code
    for name, number in numbers.items():
        about.add(name, number, repr(number).encode())
    about.text("upAxis", stage.up_axis)
    # The others have been added, with what holds if nothing is authored.
    known = {*numbers, "upAxis", "defaultPrim"}
    about.fields(entry for entry in stage.metadata if entry.name not in known)
    return facts


def differing(left: Hashes, right: Hashes) -> list[str]:
    """The paths of the prims that both sides have, with differences."""
    return [
        path for path, (digest, _) in left.items() if path in right and right[path][0] != digest
    ]


def one_sided(left: Hashes, right: Hashes) -> Iterator[Difference]:
    """The prims that one side lacks; of a subtree, only the top."""
    for here, there, on_left in ((left, right, True), (right, left, False)):
        top = ""
        for path, (_, type_name) in here.items():
            if path in there or (top and path.startswith(top + "/")):
                continue
            top = path
            yield Difference(
                path,
                "prim",
                left=type_name if on_left else None,
                right=None if on_left else type_name,
            )


def batches(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    for at in range(0, len(paths), _BATCH):
        yield paths[at : at + _BATCH]


def facts(
    session: Session,
    paths: Sequence[str],
    times: Sequence[TimeCode],
    words: Sequence[str] | None = None,
    pin: str = "",
) -> Plan[Facts]:
    """All facts about prims, at a snapshot or the newest one."""
    found = yield from _traverse(session, times, paths, words, pin).collect()
    return {key: fact for _, facts in found for key, fact in facts.items()}


def compared(left: Facts, right: Facts) -> Iterator[Difference]:
    """The differences between the facts of two sides."""
    for key in [*left, *(key for key in right if key not in left)]:
        one, other = left.get(key), right.get(key)
        known = one or other
        assert known is not None
        if one is None or other is None:
            if known.implied:
                continue
        elif one.digest == other.digest:
            continue
        yield Difference(
            known.path,
            known.aspect,
            time=known.time,
            left=one.value if one else None,
            right=other.value if other else None,
        )


# ------------------------------------------------------------------------------------ the layers


def layers_of(session: Session, difference: Difference) -> Plan[tuple[str, ...]]:
    """The layers that make one side of a difference; see Difference."""
    path, _, name = difference.path.partition(".")
    if path == "/":
        return ()
    try:
        if difference.time is not None:
            return (yield from _layers_of_value(session, difference.path, difference.time))
        return (yield from _layers_of_specs(session, path, name))
    except Error as error:
        if error.code == "NOT_FOUND":  # this side lacks it
            return ()
        raise


def _layers_of_value(session: Session, path: str, time: TimeCode) -> Plan[tuple[str, ...]]:
    request = v1.ExplainRequest(path=path, times=_times.selection([time]))
    reply = yield from session.ask("Explain", request)
    for explanation in reply.explanations:
        if explanation.HasField("site"):
            return (str(explanation.site.layer),)
        if explanation.source == v1.ValueSource.Value("VALUE_SOURCE_FALLBACK"):
            return ()
        return _distinct(map(site, explanation.stack))
    return ()


def _layers_of_specs(session: Session, path: str, name: str) -> Plan[tuple[str, ...]]:
    what = "properties.stacks" if name else "prim_stack"
    request = v1.GetPrimRequest(path=path, read_mask={"paths": [what]})
    if name:
        request.property_names.append(name)
        request.times.CopyFrom(_times.selection([TimeCode.Default()]))
    reply = yield from session.ask("GetPrim", request)
    if not name:
        return _distinct(map(site, reply.prim.prim_stack))
    return _distinct(
        site(entry)
        for message in reply.prim.properties
        for stack in message.stacks
        for entry in stack.sites
    )


def _distinct(sites: Iterable[Site]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(entry.layer for entry in sites))
