"""Lists of paths that the daemon knows by name, so that they are not sent with each request."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

# Shorter lists cost less than they would save.
MIN_PATHS = 1000

# How many lists that were sent are remembered, by their hashes.
_MAX_SENT = 10_000
# How many characters the lists that were named may have together.
_MAX_SIZE = 64 << 20

# How many paths a reply is about: for each path that was asked for there is something in it.
_ANSWERED: dict[str, Callable[[Any], int]] = {
    "BatchGetValues": lambda reply: reply.path_count,
    "StreamValues": lambda replies: sum(reply.state != 0 for reply in replies),
    "SampleValues": lambda replies: sum(len(reply.items) for reply in replies),
    "ComputeTransforms": lambda reply: len(reply.resets_xform_stack),
    "ComputeVisibility": lambda reply: len(reply.purpose),
    "ComputeBounds": lambda reply: reply.bounds.count,
    "ComputeModels": lambda reply: len(reply.models),
    "GetPrimvars": lambda replies: sum(len(reply.items) for reply in replies),
    "ComputeBoundMaterials": lambda reply: len(reply.material),
    "ComputeMaterialNetworks": lambda replies: sum(len(reply.items) for reply in replies),
    "ComputeLightSets": lambda reply: len(reply.set),
    "ComputeRenderPasses": lambda reply: reply.path_count,
    "ComputeVolumeFields": lambda reply: len(reply.volumes),
    "ComputeCoordSysBindings": lambda reply: len(reply.set),
    "ComputeColorSpaces": lambda reply: len(reply.color_space),
    "ComputeMembership": lambda reply: reply.path_count,
    "ComputeCollisionGroups": lambda reply: len(reply.colliders),
    "ComputeSkinning": lambda replies: sum(len(reply.items) for reply in replies),
    "ComputeLabels": lambda reply: len(reply.answer),
}


class PathList(tuple[str, ...]):
    """A list of paths as it is now: the program may change its own between two calls."""

    def __init__(self, _: Iterable[str] = ()) -> None:
        self._counted: list[int] = []  # `distinct`, once it is known; shared by equal lists

    @functools.cached_property
    def hash(self) -> int:
        return hash(self)  # tuples compute it each time; their strings do not

    @functools.cached_property
    def size(self) -> int:
        """How many characters they have together; -1 if some are no texts."""
        try:
            return len("".join(self))
        except TypeError:
            return -1

    @property
    def distinct(self) -> int:
        """How many different paths there are."""
        if not self._counted:
            self._counted.append(len(set(self)))
        return self._counted[0]

    def is_equal(self, kept: PathList) -> bool:
        """Whether the lists are equal. If so, what is known of one is known of the other."""
        if self != kept:
            return False
        self._counted = kept._counted
        return True


class _Named(NamedTuple):
    paths: PathList
    name: bytes  # empty if the daemon does not name the list
    size: int


class PathSets:
    """The lists of paths that a client has sent, and the names of those that the daemon keeps.

    A list is named when it is sent for the second time, because most lists are sent once. It is
    kept then, up to a limit of characters, so that no list can be taken for another. Thread-safe.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sent: OrderedDict[int, None] = OrderedDict()  # hashes
        self._named: OrderedDict[int, _Named] = OrderedDict()  # by hash
        self._size = 0
        self._supported = True

    @property
    def size(self) -> int:
        """The characters of the lists that are kept."""
        return self._size

    def look(self, paths: Sequence[str]) -> PathList | None:
        """The list to ask the other methods about; None if it is not to be named."""
        if not self._supported or len(paths) < MIN_PATHS:
            return None
        return paths if isinstance(paths, PathList) else PathList(paths)

    def name(self, wanted: PathList) -> bytes | None:
        """The name of a list; None if it has none, empty if it is to be sent each time."""
        with self._lock:
            found = self._named.get(wanted.hash)
            if found is None or not wanted.is_equal(found.paths):
                return None
            self._named.move_to_end(wanted.hash)
            return found.name

    def seen(self, wanted: PathList) -> bool:
        """Whether a list was sent before; it counts as sent from now on."""
        with self._lock:
            known = wanted.hash in self._sent
            self._sent[wanted.hash] = None
            self._sent.move_to_end(wanted.hash)
            if len(self._sent) > _MAX_SENT:
                self._sent.popitem(last=False)
            return known

    def set_name(self, wanted: PathList, name: bytes) -> None:
        """Takes note of what `name` is to return."""
        size = wanted.size
        with self._lock:
            self._drop(wanted.hash)
            self._named[wanted.hash] = _Named(wanted, name, size)
            self._size += size
            while self._size > _MAX_SIZE:
                self._drop(next(iter(self._named)))

    def forget(self, wanted: PathList) -> None:
        """Takes note that the daemon has forgotten a list."""
        with self._lock:
            self._drop(wanted.hash)

    def disable(self) -> None:
        """Takes note that a daemon names no lists."""
        self._supported = False

    def _drop(self, number: int) -> None:
        dropped = self._named.pop(number, None)
        if dropped is not None:
            self._size -= dropped.size


def is_answered(method: str, reply: Any) -> bool:
    """Whether a reply is about any path.

    A daemon that knows no path sets, such as an older replica, ignores them in requests.
    """
    return _ANSWERED[method](reply) > 0
