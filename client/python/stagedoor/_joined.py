"""Queries for one value each that travel in one call: how they are joined, and their replies split.

As in the C++ library: a query that finds no call in flight is sent at once, so that a single caller
notices nothing; others gather until that call has ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stagedoor._calls import QUERIES, Call, active_traceparent, current_options
from stagedoor._decode import checked, damaged
from stagedoor._proto import Message, v1
from stagedoor.errors import Error

MAX_QUERIES = 64  # in one call
WINDOW = 0.001  # seconds after which gathered queries are sent although a call is in flight

# Larger replies per query take longer to send than calls to make.
_LARGE_REPLY_BYTES = 16 << 10
# A joined call may have failed with these because of one query, or because they were too many.
_MAY_CONCERN_SOME = frozenset(
    {"INVALID_ARGUMENT", "OUT_OF_RANGE", "RESOURCE_EXHAUSTED", "DATA_LOSS", "INTERNAL", "UNKNOWN"}
)
_LISTS = ("doubles", "floats", "ints", "bools", "strings", "values")
_VALUE = v1.ItemState.Value("ITEM_STATE_VALUE")

Key = tuple[bytes, bool, float]


def key_of(made: Call, timeout: float) -> Key | None:
    """Equal for calls that may be joined; None for a call that travels by itself.

    Calls with metadata do, because these are of one call.
    """
    request = made.request
    if made.method is not QUERIES or len(request.paths) != 1:
        return None
    times = request.times
    if len(times.frames) + len(times.times) != 1 or times.ranges or request.paired:
        return None
    if current_options().metadata or active_traceparent():
        return None
    rest = v1.BatchGetValuesRequest()
    rest.CopyFrom(request)
    rest.ClearField("paths")
    rest.ClearField("times")
    return rest.SerializeToString(), bool(times.frames), timeout


def join(calls: Sequence[Call]) -> Call:
    """One call with the queries of several, whose keys are equal."""
    first = calls[0]
    if len(calls) == 1:
        return first
    request = v1.BatchGetValuesRequest()
    request.CopyFrom(first.request)
    request.paired = True
    for made in calls[1:]:
        request.paths.append(made.request.paths[0])
        request.times.frames.extend(made.request.times.frames)
        request.times.times.extend(made.request.times.times)
    return Call(first.method, request, first.routing_key)


def split(reply: Message, count: int) -> list[Message]:
    """For each of the joined queries, the reply that it would have got by itself."""
    if count == 1:
        return [reply]
    if reply.path_count != count or reply.time_count != 1 or len(reply.states) not in (0, count):
        raise damaged(f"a reply about {reply.path_count} of {count} joined queries")
    parts = [
        v1.BatchGetValuesResponse(snapshot=reply.snapshot, path_count=1, time_count=1)
        for _ in range(count)
    ]
    for column in reply.columns:
        _split_column(column, parts)
    for part, state in zip(parts, reply.states):
        if state != _VALUE:
            part.states.append(state)
    for name in ("path_errors", "item_errors"):
        for status in getattr(reply, name):
            added = getattr(parts[checked(status.item, count)], name).add()
            added.CopyFrom(status)
            added.item = 0
    for part, source in zip(parts, reply.sources):
        part.sources.append(source)
    for part in parts:
        part.warnings.extend(reply.warnings)
    return parts


def _split_column(column: Message, parts: list[Message]) -> None:
    name = next((name for name in _LISTS if getattr(column, name)), None)
    if name is None:
        return _split_tuples(column, parts)
    values = getattr(column, name)
    for value, part in zip(values, _owners(column, len(values), parts)):
        added = part.columns.add()
        added.type_name = column.type_name
        if name == "values":
            added.values.add().CopyFrom(value)
        else:
            getattr(added, name).append(value)
    return None


def _split_tuples(column: Message, parts: list[Message]) -> None:
    packed = column.tuples
    if not packed.count:
        return
    data, size = packed.data, len(packed.data) // packed.count
    for position, part in enumerate(_owners(column, packed.count, parts)):
        added = part.columns.add()
        added.type_name = column.type_name
        some = added.tuples
        some.component_type, some.shape = packed.component_type, packed.shape
        some.rows, some.columns, some.count = packed.rows, packed.columns, 1
        some.data = data[position * size : (position + 1) * size]


def _owners(column: Message, values: int, parts: list[Message]) -> list[Message]:
    """The replies to which the values of a column belong."""
    items = column.items or range(len(parts))
    if len(items) != values:
        raise damaged(f"{values} values for {len(items)} items")
    return [parts[checked(item, len(parts))] for item in items]


def is_large(reply: Any, count: int) -> bool:
    """Whether joining queries like these would not pay."""
    return isinstance(reply, v1.BatchGetValuesResponse) and (
        reply.ByteSize() > count * _LARGE_REPLY_BYTES
    )


def concerns_all(error: Error) -> bool:
    """Whether a joined call has failed for a reason that all of its queries have."""
    return error.code not in _MAY_CONCERN_SOME
