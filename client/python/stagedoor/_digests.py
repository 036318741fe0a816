"""Arrays that the client holds, so that the daemon need not send them again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stagedoor.types import Array

# A digest is worth its 34 bytes in a request only as long as requests stay small.
_MAX_EXPECTED = 100_000
# Limits of the names and digests remembered; the oldest names are forgotten first.
_MAX_NAMES = 200_000
_MAX_DIGESTS_OF_NAME = 1000
_MAX_DIGESTS = 400_000

_LAST = ""


class Key(NamedTuple):
    """The use that an array came for: for example, an attribute at a time."""

    name: str  # such as a path
    part: object = None  # such as a time; None if the name has many arrays, in no order


class ArrayCache:
    """Holds arrays by digest, the least recently used ones evicted above a limit of bytes.

    It also remembers for what the arrays came, because a client is to name only those arrays that
    it expects in a reply. Thread-safe.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._arrays: OrderedDict[bytes, Array] = OrderedDict()
        self._bytes = 0
        self._names: OrderedDict[str, OrderedDict[object, bytes]] = OrderedDict()
        self._digest_count = 0  # of all names
        self.hits = 0
        self.misses = 0

    @property
    def enabled(self) -> bool:
        return self.max_bytes > 0

    @property
    def held_bytes(self) -> int:
        """The bytes of the arrays held."""
        return self._bytes

    def __len__(self) -> int:
        return len(self._arrays)

    def expect(
        self, names: Iterable[str], parts: Iterable[object] | None = None
    ) -> dict[bytes, Array]:
        """The arrays that may come for names, by digest: those that came before and are still held.

        parts: only those that came for these parts, and the last one of each name.

        The caller keeps them until it has the reply, so that eviction cannot take them away.
        """
        found: dict[bytes, Array] = {}
        wanted = None if parts is None else (_LAST, *parts)
        with self._lock:
            if not self._arrays:
                return found
            for digest in self._expected(names, wanted):
                array = self._arrays.get(digest)
                if array is not None:
                    found[digest] = array
                    self._arrays.move_to_end(digest)
                if len(found) >= _MAX_EXPECTED:
                    break
        return found

    def store(self, key: Key, digest: bytes, array: Array) -> Array:
        """Keeps an array that has just come; returns the one to use, which was perhaps held."""
        with self._lock:
            self._remember(key, digest)
            held = self._arrays.get(digest)
            if held is not None:
                self._arrays.move_to_end(digest)
                self.hits += 1
                return held
            self.misses += 1
            if array.nbytes > self.max_bytes:
                return array
            self._arrays[digest] = array
            self._bytes += array.nbytes
            while self._bytes > self.max_bytes:
                _, evicted = self._arrays.popitem(last=False)
                self._bytes -= evicted.nbytes
            return array

    def _expected(self, names: Iterable[str], wanted: tuple[object, ...] | None) -> Iterator[bytes]:
        # Most names of a batch have no arrays; map() passes over them quickly.
        for digests in filter(None, map(self._names.get, names)):
            if wanted is None:
                yield from digests.values()
            else:
                yield from (digests[part] for part in wanted if part in digests)

    def _remember(self, key: Key, digest: bytes) -> None:
        digests = self._names.setdefault(key.name, OrderedDict())
        self._names.move_to_end(key.name)
        before = len(digests)
        if key.part is not None:
            digests[_LAST] = digest
            digests.move_to_end(_LAST)
        part = digest if key.part is None else key.part
        digests[part] = digest
        digests.move_to_end(part)
        if len(digests) > _MAX_DIGESTS_OF_NAME:
            digests.popitem(last=False)
        self._digest_count += len(digests) - before
        while len(self._names) > _MAX_NAMES or self._digest_count > _MAX_DIGESTS:
            _, forgotten = self._names.popitem(last=False)
            self._digest_count -= len(forgotten)
