"""Decodes the objects of frames that come in columns."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from stagedoor._decode import damaged, enum_text, unpack
from stagedoor._layers import Columns, Rows, add_ends
from stagedoor._lazy import Lazy
from stagedoor._proto import Message, v1
from stagedoor.types import Array

_NO_IDS = np.empty(0, np.uint64)
_NO_TEXTS = np.empty(0, object)
_ONE_SAMPLE = np.full(1, np.nan)
_ONE_SAMPLE.flags.writeable = False

EMPTY: dict[str, Rows] = {
    "prims": Rows.of(
        {
            **dict.fromkeys(("ids", "materials", "light_sets", "shadow_sets"), _NO_IDS),
            **dict.fromkeys(("geometry", "prototypes"), _NO_IDS),
            **dict.fromkeys(("paths", "type_names", "purposes", "draw_modes"), _NO_TEXTS),
            "pass_members": np.empty(0, np.uint8),
        }
    ),
    "visibility": Rows.of({"ids": _NO_IDS, "visible": np.empty(0, bool)}),
    "transforms": Rows.of(
        {"ids": _NO_IDS, "counts": np.empty(0, np.uint32), "ends": np.empty(0, np.int64)},
        {"times": np.empty(0), "matrices": np.empty((0, 4, 4))},
    ),
}


def rows(kind: str, message: Message) -> Rows:
    """The rows of FramePrims, FrameVisibility or FrameTransforms, decoded when they are needed."""
    return Rows(len(message.ids), Lazy(lambda: _DECODERS[kind](message)))


def _prims(message: Message) -> tuple[Columns, Columns]:
    count = len(message.ids)
    columns = {
        "ids": _numbers(message, "ids", np.uint64),
        "paths": _texts(message.paths),
        "type_names": _named(message),
        "purposes": _purposes(message),
        "draw_modes": _texts(message.draw_modes or [""] * count),
        "pass_members": np.frombuffer(message.pass_members or bytes(count), np.uint8),
    }
    for name in ("materials", "light_sets", "shadow_sets", "geometry", "prototypes"):
        columns[name] = _numbers(message, name, np.uint64)
    return _checked(columns, count, "prims"), {}


def _visibility(message: Message) -> tuple[Columns, Columns]:
    columns = {
        "ids": _numbers(message, "ids", np.uint64),
        "visible": np.frombuffer(message.visible, np.uint8) != 0,
    }
    return _checked(columns, len(message.ids), "objects"), {}


def _transforms(message: Message) -> tuple[Columns, Columns]:
    columns = {
        "ids": _numbers(message, "ids", np.uint64),
        "counts": np.fromiter(message.counts, np.uint32),
    }
    add_ends(columns)
    _checked(columns, len(message.ids), "objects")
    total = int(columns["ends"][-1]) if len(message.ids) else 0
    samples = _checked({"matrices": unpack(message.matrices)}, total, "samples")
    times = np.full(total, np.nan)
    several = np.repeat(columns["counts"] > 1, columns["counts"])
    given = _numbers(message, "times", np.float64)
    if len(given) != np.count_nonzero(several):
        raise damaged(f"{len(given)} times of {np.count_nonzero(several)} samples")
    times[several] = given
    samples["times"] = times
    return columns, _checked(samples, total, "samples")


_DECODERS = {"prims": _prims, "visibility": _visibility, "transforms": _transforms}


def sample_times(times: Iterable[float], count: int) -> Array:
    """The times of the samples of something; NaN for a single one, which is sent without a time."""
    if count == 1:
        return _ONE_SAMPLE
    found = np.array(times, np.float64) if count else np.empty(0)
    if len(found) != count:
        raise damaged(f"{len(found)} times of {count} samples")
    found.flags.writeable = False
    return found


def _checked(columns: dict[str, Array], count: int, what: str) -> dict[str, Array]:
    for name, column in columns.items():
        if len(column) != count:
            raise damaged(f"{len(column)} {name} of {count} {what}")
        column.flags.writeable = False
    return columns


def _numbers(message: Message, name: str, dtype: Any) -> Array:
    """A column of numbers of a fixed size, which are not made objects of Python one by one.

    The bytes of the field end with the numbers as they are in memory.
    """
    alone = type(message)()
    column = getattr(message, name)
    getattr(alone, name).MergeFrom(column)
    data = alone.SerializeToString()
    size = len(column) * np.dtype(dtype).itemsize
    return np.frombuffer(data, np.dtype(dtype).newbyteorder("<"), offset=len(data) - size)


def _texts(texts: Any) -> Array:
    return np.array(texts[:], object)


def _named(message: Message) -> Array:
    """The type name of each prim."""
    types = np.fromiter(message.types, np.int64)
    names = message.type_names
    if len(types) and types.max() >= len(names):
        raise damaged(f"type {types.max()} of {len(names)}")
    return _texts(names)[types]


def _purposes(message: Message) -> Array:
    numbers, which = np.unique(np.fromiter(message.purposes, np.int64), return_inverse=True)
    texts = [enum_text(v1.Purpose, "PURPOSE_", number) for number in numbers.tolist()]
    return _texts(texts)[which]
