"""Arrays of frames that the client has, so that the daemon need not send them again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stagedoor._decode import Held
from stagedoor._digests import ArrayCache, Key
from stagedoor._lazy import Lazy
from stagedoor.results import FrameValue
from stagedoor.types import Array, TimeCode

# How many samples of an array are kept for a time.
_MAX_SAMPLES = 16
# How many objects are remembered that have such arrays.
_MAX_OBJECTS = 100_000


class FrameArrays:
    """The arrays that have come with the frames of a stage and have digests. Thread-safe.

    An array is kept for its object, what it is called there, and the time of the frame.
    """

    def __init__(self, cache: ArrayCache) -> None:
        self._cache = cache
        self._names: dict[str, tuple[str, ...]] = {}  # of the arrays of each object

    def expect(self, time: TimeCode, ids: Iterable[int] | None) -> HeldArrays:
        """Those that may come in a frame at a time: of some objects, or of all."""
        known = self._names
        objects = list(known) if ids is None else [_object(id) for id in ids]
        names = [name for found in objects for name in known.get(found, ())]
        parts = [(time.kind, time.value, sample) for sample in range(_MAX_SAMPLES)]
        return HeldArrays(self, time, self._cache.expect(names, parts))

    @property
    def enabled(self) -> bool:
        return self._cache.enabled

    def store(self, key: Key, digest: bytes, array: Array) -> Array:
        """Keeps an array; returns the one to use."""
        found = key.name[:_OBJECT_DIGITS]
        names = self._names.get(found, ())
        if key.name not in names:
            if len(self._names) >= _MAX_OBJECTS:
                self._names = {}
            self._names[found] = (*names, key.name)
        return self._cache.store(key, digest, array)


class HeldArrays(Held):
    """The arrays that the request for a frame named, and where to keep those of the reply.

    small_values: values that several objects may have, by the bytes of their messages.
    """

    def __init__(self, arrays: FrameArrays, time: TimeCode, known: Mapping[bytes, Array]) -> None:
        super().__init__(known, arrays.store if arrays.enabled else None)
        self._time = time
        self.small_values: dict[bytes, Lazy[FrameValue]] = {}

    def key(self, id: int, name: str, sample: int = 0) -> Key:
        """The key under which an array is kept."""
        part = (self._time.kind, self._time.value, sample)
        return Key(f"{_object(id)} {name}", part)

    def release(self) -> None:
        """Forgets the arrays that the request named, once its reply has come."""
        self.known = {}


_OBJECT_DIGITS = 16


def _object(id: int) -> str:
    return f"{id:0{_OBJECT_DIGITS}x}"
