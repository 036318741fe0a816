"""Arrays that the client holds, so that the daemon need not send them again."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable

from stagedoor.types import Array

# A digest is worth its 34 bytes in a request only as long as requests stay small.
_MAX_EXPECTED = 100_000
_MAX_KEYS = 200_000
_MAX_DIGESTS_OF_KEY = 256


class All(str):
    """A key for several arrays, for example those of all primvars of a prim."""

    __slots__ = ()


class ArrayCache:
    """Holds arrays by digest, the least recently used ones evicted above a limit of bytes.

    It also remembers for what the arrays came, because a client is to name only those arrays that
    it expects in a reply: by a key, such as a path, or a path and a time. A key has the last array
    that came for it; only if it is an `All` does it have several. Thread-safe.
    """

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._lock = threading.Lock()
        self._arrays: OrderedDict[bytes, Array] = OrderedDict()
        self._bytes = 0
        self._digests: OrderedDict[object, tuple[bytes, ...]] = OrderedDict()  # by key
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

    def expect(self, keys: Iterable[object]) -> dict[bytes, Array]:
        """The arrays that were sent for `keys` before and are still held, by digest.

        The caller keeps them until it has the reply, so that eviction cannot take them away.
        """
        found: dict[bytes, Array] = {}
        with self._lock:
            if not self._arrays:
                return found
            for digest in (d for key in keys for d in self._digests.get(key, ())):
                array = self._arrays.get(digest)
                if array is not None:
                    found[digest] = array
                    self._arrays.move_to_end(digest)
                if len(found) >= _MAX_EXPECTED:
                    break
        return found

    def store(self, keys: Iterable[object], digest: bytes, array: Array) -> None:
        """Keeps an array that has just come for `keys`."""
        size = array.nbytes
        with self._lock:
            for key in keys:
                self._remember(key, digest)
            while len(self._digests) > _MAX_KEYS:
                self._digests.popitem(last=False)
            if digest in self._arrays:
                self._arrays.move_to_end(digest)
                self.hits += 1
                return
            self.misses += 1
            if size > self.max_bytes:
                return
            self._arrays[digest] = array
            self._bytes += size
            while self._bytes > self.max_bytes:
                _, evicted = self._arrays.popitem(last=False)
                self._bytes -= evicted.nbytes

    def _remember(self, key: object, digest: bytes) -> None:
        digests: tuple[bytes, ...] = (digest,)
        if isinstance(key, All):
            others = [other for other in self._digests.get(key, ()) if other != digest]
            digests = (*others[1 - _MAX_DIGESTS_OF_KEY :], digest)
        self._digests[key] = digests
        self._digests.move_to_end(key)

    def clear(self) -> None:
        with self._lock:
            self._arrays.clear()
            self._digests.clear()
            self._bytes = 0
