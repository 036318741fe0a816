"""Plans that read values of attributes."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Union

from stagedoor import _times
from stagedoor._calls import Plan
from stagedoor._decode import (
    Held,
    damaged,
    decode,
    decode_tuple,
    enum_text,
    first,
    site,
    unpack,
    warnings,
)
from stagedoor._digests import ArrayCache, Key
from stagedoor._parts import in_parts
from stagedoor._proto import Message, v1
from stagedoor._session import Session
from stagedoor.batch import STATES, Values
from stagedoor.errors import Error, from_item
from stagedoor.results import Bracket, Explanation, Opinion, Samples
from stagedoor.types import State, Time, TimeCode

INTERPOLATIONS = {None: 0, "linear": 1, "held": 2}

Path = Union[str, Any]  # a path, or an object with a path


def path_text(path: Path) -> str:
    """The text of a path: of a string, of a handle, or of an Sdf.Path."""
    if isinstance(path, str):
        return path
    if isinstance(path, (bytes, bytearray, int)):  # an int is an element of bytes
        raise TypeError(f"a path is a string such as '/World', not {type(path).__name__}")
    return str(path.path) if hasattr(path, "path") else str(path)


def path_list(paths: Path | Iterable[Path]) -> list[str]:
    """The texts of one path or several."""
    single = isinstance(paths, (str, bytes, bytearray)) or hasattr(paths, "path")
    if single or not hasattr(paths, "__iter__"):
        return [path_text(paths)]
    found = list(paths)
    try:
        "".join(found)  # the fastest way to know that all of them are texts, as they mostly are
    except TypeError:
        return [path_text(path) for path in found]
    return found


def portions(paths: Iterable[Path], size: int) -> Iterator[list[str]]:
    """The texts of paths, `size` at a time, which are read as they are wanted."""
    if size < 1:
        raise ValueError("size must be at least 1")
    left = iter(path_list(paths) if isinstance(paths, str) or hasattr(paths, "path") else paths)
    while part := list(itertools.islice(left, size)):
        yield path_list(part)


def interpolation_number(name: str | None) -> int:
    try:
        return INTERPOLATIONS[name]
    except KeyError:
        raise ValueError(f"unknown interpolation {name!r}; use 'linear' or 'held'") from None


def expect(
    arrays: ArrayCache,
    request: Message,
    names: Iterable[str],
    codes: Iterable[TimeCode] | None = None,
) -> Held:
    """Names the arrays that the client holds for `names`, at `codes`, in a request."""
    if not arrays.enabled:
        return Held()
    parts = None if codes is None else [(code.kind, code.value) for code in codes]
    known = arrays.expect(names, parts)
    request.digest_options.known.extend(known)
    request.digest_options.SetInParent()
    return Held(known, arrays.store)


def get_one(
    session: Session, path: str, time: Time, interpolation: str | None = None, pin: str = ""
) -> Plan[tuple[State, Any]]:
    """The state and the value of one attribute at one time."""
    code = _times.time_code(time)
    request = v1.BatchGetValuesRequest(
        paths=[path],
        times=_times.selection([code]),
        interpolation=interpolation_number(interpolation),
    )
    held = expect(session.arrays, request, [path], [code])
    try:
        reply = yield from session.ask("BatchGetValues", request, pin, held.shared)
    except Error as error:
        if error.reason != "REQUEST_TOO_LARGE":
            raise
        values = yield from _stream(session, [path], [code], interpolation, pin)
        return values.state(path), values[path]
    return _single(reply, path, held, Key(path, (code.kind, code.value)))


def _single(reply: Message, path: str, held: Held, key: Key) -> tuple[State, Any]:
    if reply.states:
        state = STATES.get(reply.states[0], State.ERROR)
        if state is State.ERROR:
            raise _single_error(reply, path)
        if state is not State.VALUE:
            return state, None
    column = first(reply.columns, f"value of {path}")
    for name in ("doubles", "floats", "ints", "bools", "strings"):
        numbers = getattr(column, name)
        if numbers:
            return State.VALUE, numbers[0]
    if column.values:
        return State.VALUE, decode(column.values[0], held, key)
    return State.VALUE, decode_tuple(column.tuples)


def _single_error(reply: Message, path: str) -> Error:
    for status in [*reply.path_errors, *reply.item_errors]:
        return from_item(status, path)
    return Error(f"{path}: the state {reply.states[0]} is unknown; update the package stagedoor")


def get_many(
    session: Session,
    paths: Path | Iterable[Path],
    times: _times.Times,
    interpolation: str | None = None,
    sources: bool = False,
    pin: str = "",
) -> Plan[Values]:
    """The values of paths × times."""
    names, codes = path_list(paths), _times.expand(times)
    single = _times.is_single(times)

    def some(part: Sequence[str], part_pin: str) -> Plan[Values]:
        request = v1.BatchGetValuesRequest(
            times=_times.selection(codes),
            interpolation=interpolation_number(interpolation),
            with_sources=sources,
        )
        held = expect(session.arrays, request, part, codes)
        try:
            reply = yield from session.ask_about(
                "BatchGetValues", part, request, part_pin or pin, held.shared
            )
        except Error as error:
            if error.reason != "REQUEST_TOO_LARGE":
                raise
            return (
                yield from _stream(session, part, codes, interpolation, part_pin or pin, single)
            )
        return Values.from_batch(part, codes, single, reply, held)

    return Values.joined((yield from in_parts(names, some)))


def _stream(
    session: Session,
    names: Sequence[str],
    codes: list[TimeCode],
    interpolation: str | None,
    pin: str = "",
    single: bool = True,
) -> Plan[Values]:
    """Values by StreamValues, for those that are too large for one reply."""
    request = v1.StreamValuesRequest(
        times=_times.selection(codes),
        interpolation=interpolation_number(interpolation),
    )
    held = expect(session.arrays, request, names, codes)
    replies = yield from session.ask_about("StreamValues", names, request, pin)
    return Values.from_stream(names, codes, single, replies, held)


# -------------------------------------------------------------------------------------- samples


def get_samples(
    session: Session,
    paths: Path | Iterable[Path],
    intervals: Sequence[_times.Interval],
    interpolation: str | None = None,
) -> Plan[list[Samples]]:
    """The samples of paths × intervals; item i is path i / N in interval i % N."""

    def some(part: Sequence[str], pin: str) -> Plan[_SamplesOfPart]:
        return (yield from _samples(session, part, intervals, interpolation, pin))

    parts = yield from in_parts(path_list(paths), some)
    return [found for part in parts for found in part.samples]


@dataclass(frozen=True)
class _SamplesOfPart:
    samples: list[Samples]
    snapshot: str


def _samples(
    session: Session,
    names: Sequence[str],
    intervals: Sequence[_times.Interval],
    interpolation: str | None,
    pin: str,
) -> Plan[_SamplesOfPart]:
    request = v1.SampleValuesRequest(
        intervals=[_times.interval_message(interval) for interval in intervals],
        interpolation=interpolation_number(interpolation),
    )
    held = expect(session.arrays, request, (f"{name} samples" for name in names))
    replies = yield from session.ask_about("SampleValues", names, request, pin)
    parts: dict[int, list[Message]] = {}
    for reply in replies:
        for item in reply.items:
            parts.setdefault(item.item, []).append(item)
    problems = warnings(w for reply in replies for w in reply.warnings)
    count = len(intervals)
    found = [
        _samples_of(names[i // count], intervals[i % count], parts.get(i, []), held, problems)
        for i in range(len(names) * count)
    ]
    return _SamplesOfPart(found, replies[0].snapshot if replies else "")


def _samples_of(
    path: str, interval: _times.Interval, parts: list[Message], held: Held, problems: Any
) -> Samples:
    if not parts:
        raise damaged(f"no samples of {path}")
    head = parts[0]
    error = from_item(head.error, path) if head.HasField("error") else None
    times, states, values = [], [], []
    key = Key(f"{path} samples")
    for sample in (sample for part in parts for sample in part.samples):
        state = STATES.get(sample.state, State.ERROR)
        if state is State.ERROR and error is None:
            error = from_item(sample.error, path)
        if sample.HasField("time"):
            code = TimeCode(sample.time, "pre" if sample.pre_time else "numeric")
        else:
            code = TimeCode.Default()
        times.append(code)
        states.append(state)
        has_value = state is State.VALUE
        values.append(decode(sample.value, held, key) if has_value else None)
    if error is None and len(times) != head.sample_count:
        error = damaged(f"{len(times)} of {head.sample_count} samples of {path}")
    return Samples(
        path=path,
        type_name=head.type_name,
        interval=interval,
        variation=enum_text(v1.ValueVariation, "VALUE_VARIATION_", head.variation),
        codes=tuple(times),
        states=tuple(states),
        values=tuple(values),
        error=error,
        warnings=problems,
    )


def time_samples(session: Session, path: str, interval: _times.Interval) -> Plan[Any]:
    """The times of the samples of an attribute, in an interval."""
    request = v1.StreamTimeSamplesRequest(paths=[path], interval=_times.interval_message(interval))
    replies = yield from session.ask("StreamTimeSamples", request)
    reply = first(replies, f"samples of {path}")
    if reply.HasField("error"):
        raise from_item(reply.error, path)
    return unpack(reply.times)


def sample_counts(session: Session, path: str) -> Plan[tuple[int, bool]]:
    """The number of samples, and whether the value might vary in time."""
    request = v1.ListTimeSamplesRequest(paths=[path], count_only=True)
    reply = yield from session.ask("ListTimeSamples", request)
    if reply.path_errors:
        raise from_item(reply.path_errors[0], path)
    found = first(reply.attributes, f"samples of {path}")
    return found.count, found.might_be_time_varying


def bracket(session: Session, path: str, time: float) -> Plan[Bracket]:
    """The samples around a time; None if the attribute has no samples."""
    request = v1.GetBracketingTimeSamplesRequest(paths=[path], times=[float(time)])
    reply = yield from session.ask("GetBracketingTimeSamples", request)
    if reply.path_errors:
        raise from_item(reply.path_errors[0], path)
    if not first(reply.has_samples, f"samples of {path}"):
        return None
    return float(unpack(reply.lower)[0]), float(unpack(reply.upper)[0])


# ------------------------------------------------------------------------------------ explaining


def explain(
    session: Session, path: str, times: _times.Times, interpolation: str | None = None
) -> Plan[list[Explanation]]:
    """Where the value of an attribute comes from, at each time."""
    codes = _times.expand(times)
    request = v1.ExplainRequest(
        path=path,
        times=_times.selection(codes),
        interpolation=interpolation_number(interpolation),
    )
    reply = yield from session.ask("Explain", request)
    if len(reply.explanations) != len(codes):
        raise damaged(f"{len(reply.explanations)} explanations for {len(codes)} times")
    problems = warnings(reply.warnings)
    return [
        _explanation(path, code, message, problems)
        for code, message in zip(codes, reply.explanations)
    ]


def _explanation(path: str, code: TimeCode, message: Message, problems: Any) -> Explanation:
    def optional(name: str) -> float | None:
        return getattr(message, name) if message.HasField(name) else None

    blocked = message.value.WhichOneof("kind") == "block"
    return Explanation(
        path=path,
        time=code,
        value=None if blocked else decode(message.value),
        blocked=blocked,
        source=enum_text(v1.ValueSource, "VALUE_SOURCE_", message.source),
        site=site(message.site) if message.HasField("site") else None,
        layer_time=optional("layer_time"),
        lower_sample=optional("lower_sample"),
        upper_sample=optional("upper_sample"),
        interpolated=message.interpolated,
        notes=tuple(message.notes),
        stack=tuple(site(entry) for entry in message.stack),
        warnings=problems,
        opinions=tuple(map(_opinion, message.stack, message.opinions)),
    )


def _opinion(place: Message, message: Message) -> Opinion:
    blocked = message.value.WhichOneof("kind") == "block"
    return Opinion(
        site=site(place),
        source=enum_text(v1.ValueSource, "VALUE_SOURCE_", message.source),
        value=None if blocked else decode(message.value),
        blocked=blocked,
        element_count=message.element_count,
    )
