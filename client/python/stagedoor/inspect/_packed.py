"""Answers with arrays: a JSON header and the bytes of the arrays, without a copy of these.

Four bytes with the length of the header, little-endian; the header, padded with spaces to a
multiple of eight bytes; then the arrays that its field `arrays` describes, each padded in this way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from starlette.responses import Response, StreamingResponse

from stagedoor.inspect._ask import json_bytes
from stagedoor.types import Array

_CHUNK = 1 << 20
_SMALL = 64 << 10


def packed_answer(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Response:
    parts = packed(header, arrays)
    size = sum(len(part) for part in parts)

    async def content() -> AsyncIterator[memoryview]:
        for part in parts:
            for at in range(0, len(part), _CHUNK):
                yield part[at : at + _CHUNK]

    headers = {"content-length": str(size)}
    return StreamingResponse(content(), headers=headers, media_type="application/octet-stream")


def packed(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> list[memoryview]:
    """The bytes, in parts that need not be copied together."""
    made = {name: _little(array) for name, array in arrays.items()}
    described = [
        {"name": name, "type": array.dtype.str.lstrip("<|"), "shape": list(array.shape)}
        for name, array in made.items()
    ]
    text = json_bytes({**header, "arrays": described})
    text += b" " * (-(4 + len(text)) % 8)
    parts = [memoryview(len(text).to_bytes(4, "little") + text)]
    for array in made.values():
        if array.nbytes:
            parts.append(array.data.cast("B"))
            if array.nbytes % 8:
                parts.append(memoryview(bytes(-array.nbytes % 8)))
    return parts


class Gathered:
    """Joins small parts of an answer, each of which would be sent by itself; large ones pass."""

    def __init__(self) -> None:
        self._parts: list[memoryview] = []
        self._size = 0

    def add(self, parts: Iterable[memoryview]) -> Iterator[bytes | memoryview]:
        """What is to be sent now."""
        for part in parts:
            if len(part) >= _SMALL:
                yield from self.rest()
                yield part
                continue
            self._parts.append(part)
            self._size += len(part)
            if self._size >= _SMALL:
                yield from self.rest()

    def rest(self) -> Iterator[bytes]:
        """What has not been sent yet, if there is something."""
        if self._parts:
            yield b"".join(self._parts)
        self._parts.clear()
        self._size = 0


def _little(array: Array) -> Array:
    """An array whose bytes can be sent; a copy only if they cannot as they are."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
