"""The memory that a daemon shares with a query connection."""

from __future__ import annotations

import fcntl
import mmap
import os
from collections import deque
from typing import Any

import numpy as np

from stagedoor._decode import damaged
from stagedoor._proto import Message
from stagedoor.types import Array

_MAX_SEGMENTS = 64
_GET_SEALS = 1034  # F_GET_SEALS and F_SEAL_SHRINK of Linux; not in the modules of Python 3.9
_SEAL_SHRINK = 2


class SharedSegments:
    """The segments of one connection, each mapped once, for reading.

    A daemon is not believed: a segment whose size could change would end the process at the next
    access, so it is refused. Not thread-safe.
    """

    def __init__(self) -> None:
        self._descriptors: deque[int] = deque()  # announced in the same order
        self._segments: dict[int, Any] = {}

    def __len__(self) -> int:
        return len(self._segments)

    def add_descriptor(self, descriptor: int) -> None:
        self._descriptors.append(descriptor)

    def map(self, announced: Message) -> None:
        """Maps the segment of the next descriptor; an Error if it is not as announced."""
        if not self._descriptors:
            raise damaged("a segment of shared memory has no descriptor")
        descriptor = self._descriptors.popleft()
        try:
            if len(self) >= _MAX_SEGMENTS or announced.segment_id in self._segments:
                raise damaged("there are too many segments, or two with one number")
            if not fcntl.fcntl(descriptor, _GET_SEALS) & _SEAL_SHRINK:
                raise damaged("a segment of shared memory is not sealed")
            if not 0 < announced.size == os.fstat(descriptor).st_size:
                raise damaged("a segment of shared memory has another size")
            self._segments[announced.segment_id] = mmap.mmap(
                descriptor, announced.size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ
            )
        except OSError as error:
            raise damaged(f"a segment of shared memory cannot be used: {error}") from None
        finally:
            os.close(descriptor)

    def unmap(self, segment_id: int) -> None:
        self._segments.pop(segment_id, None)

    def copy(self, place: Message) -> Array:
        """The bytes at a place, which the daemon may use again then; read-only."""
        segment = self._segments.get(place.segment_id)
        if segment is None or place.size > len(segment) - place.offset:
            raise damaged("an array is not where it should be in shared memory")
        found: Array = np.frombuffer(segment, np.uint8, place.size, place.offset).copy()
        found.flags.writeable = False
        return found

    def close(self) -> None:
        """Closes the descriptors that no frame has announced, and forgets the segments."""
        while self._descriptors:
            os.close(self._descriptors.popleft())
        self._segments.clear()
