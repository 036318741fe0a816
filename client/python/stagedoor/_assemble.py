"""Puts the messages of streams together: fragments to messages, chunks to arrays.

Checks what the daemon announces before it is believed; memory grows with the bytes that arrive.
"""

from __future__ import annotations

from typing import Any

from stagedoor._decode import component_bytes
from stagedoor._proto import Message
from stagedoor.errors import make_error

MAX_ASSEMBLED_BYTES = 4 << 30


class Assembler:
    """Collects the messages of one stream. Not thread-safe."""

    def __init__(self, response: Any, max_bytes: int = MAX_ASSEMBLED_BYTES) -> None:
        self._response = response
        self._max_bytes = max_bytes
        self._fragments = bytearray()
        self._fragment_total = 0
        self._held: Message | None = None
        self._waiting: list[Message] = []  # PackedValues, in order of their IDs
        self._first_id = 0  # of the arrays of the held message
        self._filled = 0  # how many of them are complete
        self._bytes = bytearray()  # of the array that is being filled

    def take(self, message: Message) -> Message | None:
        """Takes a message as it arrived; returns a whole one if this completes it."""
        if not message.HasField("stream_parts"):
            if self.in_progress:
                raise _damaged("a message came in the middle of another one")
            return message
        if message.stream_parts.HasField("fragment"):
            whole = self._add_fragment(message.stream_parts.fragment)
            if whole is None or not whole.HasField("stream_parts"):
                return whole
            message = whole
        if message.stream_parts.array_count:
            self._hold(message)
        for chunk in message.stream_parts.chunks:
            self._add_chunk(chunk)
        return self._completed()

    @property
    def in_progress(self) -> bool:
        return self._held is not None or bool(self._fragments)

    def finish(self) -> None:
        """Checks that the stream did not end in the middle of a message."""
        if self.in_progress:
            raise _damaged("the stream ended in the middle of a message")

    def _add_fragment(self, fragment: Message) -> Message | None:
        if not self._fragments:
            if not 0 < fragment.total_bytes <= self._max_bytes:
                raise _too_large(fragment.total_bytes, self._max_bytes)
            self._fragment_total = fragment.total_bytes
        self._fragments += fragment.data
        if len(self._fragments) > self._fragment_total or not fragment.data:
            raise _damaged("fragments do not add up to the announced size")
        if len(self._fragments) < self._fragment_total:
            return None
        data, self._fragments = bytes(self._fragments), bytearray()
        return self._response.FromString(data)

    def _hold(self, message: Message) -> None:
        if self._held is not None:
            raise _damaged("a message came before the arrays of the previous one were complete")
        count = message.stream_parts.array_count
        found = streamed_arrays(message, count)
        self._waiting = sorted(found, key=lambda packed: packed.streamed.id)
        ids = [packed.streamed.id for packed in self._waiting]
        if ids != list(range(self._first_id, self._first_id + count)):
            raise _damaged("the IDs of arrays are not consecutive")
        total = 0
        for packed in self._waiting:
            size = packed.streamed.total_bytes
            if size != component_bytes(packed) * packed.count * packed.rows * packed.columns:
                raise _damaged("the size of an array does not match its shape")
            total += size
        if total > self._max_bytes:
            raise _too_large(total, self._max_bytes)
        self._held, self._filled = message, 0

    def _add_chunk(self, chunk: Message) -> None:
        if self._filled >= len(self._waiting):
            raise _damaged("a chunk belongs to no array")
        packed = self._waiting[self._filled]
        if chunk.array_id != packed.streamed.id or chunk.offset != len(self._bytes):
            raise _damaged("chunks do not follow each other")
        self._bytes += chunk.data
        total = packed.streamed.total_bytes
        if len(self._bytes) > total or not chunk.data:
            raise _damaged("an array has more bytes than announced")
        if len(self._bytes) == total:
            packed.data = bytes(self._bytes)
            self._bytes = bytearray()
            self._filled += 1

    def _completed(self) -> Message | None:
        if self._held is None or self._filled < len(self._waiting):
            return None
        whole, self._held = self._held, None
        self._first_id += len(self._waiting)
        self._waiting = []
        self._filled = 0
        whole.ClearField("stream_parts")
        return whole


def streamed_arrays(message: Message, count: int) -> list[Message]:
    """The last `count` PackedValues of a message that refer to chunks, or all if there are fewer.

    Most often, these are the last arrays, for which the message had no room: the search begins
    there, so that it does not take as long as all that the message consists of.
    """
    found: list[Message] = []
    _find_streamed(message, count, found)
    return found


def _find_streamed(message: Message, count: int, found: list[Message]) -> None:
    if message.DESCRIPTOR.name == "PackedValues":
        if message.WhichOneof("payload") == "streamed":
            found.append(message)
        return
    for field, value in reversed(message.ListFields()):
        if field.message_type is None:
            continue
        parts = [value] if hasattr(value, "DESCRIPTOR") else value[::-1]
        for part in parts:
            _find_streamed(part, count, found)
            if len(found) >= count:
                return


def _damaged(what: str) -> Exception:
    return make_error(f"the daemon sent an inconsistent stream: {what}", code="DATA_LOSS")


def _too_large(size: int, limit: int) -> Exception:
    return make_error(
        f"a message of {size} bytes exceeds the limit of {limit} bytes", code="RESOURCE_EXHAUSTED"
    )
