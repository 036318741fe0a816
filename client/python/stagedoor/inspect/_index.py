"""The names of all prims of a stage, in a form that is searched as one types."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple

from stagedoor._proto import v1
from stagedoor._session import StreamOf
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._query import Query, literal_part
from stagedoor.inspect._tree import predicate

MAX_CHARACTERS = 400 << 20  # of the paths of a stage


class Hit(NamedTuple):
    path: str
    type: str


class NameIndex:
    """The paths, names and types of prims, as a few long texts. Immutable once it is built.

    A stage of half a million prims takes 60 MB; a word is found in it in about 10 ms.
    """

    def __init__(self) -> None:
        self._paths: list[str] = []
        self._names: list[str] = []
        self._types = array("I")
        self._type_numbers: dict[str, int] = {}
        self._names_text = ""
        self._starts = array("Q")
        self.characters = 0

    def add(self, path: str, type_name: str) -> None:
        self._paths.append(path)
        self._names.append(path[path.rfind("/") + 1 :].lower())
        self._types.append(self._type_numbers.setdefault(type_name, len(self._type_numbers)))
        self.characters += len(path)

    def finish(self) -> None:
        """Makes what is searched; to be called once, after the last prim."""
        position = 0
        for name in self._names:
            self._starts.append(position)
            position += len(name) + 1
        self._names_text = "\n".join(self._names)
        self._names = []
        self._type_names = list(self._type_numbers)

    def __len__(self) -> int:
        return len(self._paths)

    def find(self, query: Query) -> Iterator[Hit]:
        """The prims whose names or paths match, in the order of the stage."""
        for row in self._rows(query):
            path = self._paths[row]
            if query.matches_name(path):
                yield Hit(path, self._type_names[self._types[row]])

    def _rows(self, query: Query) -> Iterator[int]:
        """The rows that may match: those with the longest part of a word, which is the rarest."""
        parts = [literal_part(word) for word in query.words if "/" not in word]
        part = max(parts, key=len, default="")
        if not part:
            yield from range(len(self._paths))
            return
        position = self._names_text.find(part)
        while position >= 0:
            row = bisect_right(self._starts, position) - 1
            yield row
            if row + 1 >= len(self._starts):
                return
            position = self._names_text.find(part, self._starts[row + 1])


async def built(held: HeldStage, show: str) -> AsyncIterator[NameIndex | int]:
    """How many prims have been read, now and then, and at the end the index.

    Nothing more comes if the stage has too many prims for an index.
    """
    key = f"index {show}"
    known = held.cache.get(key)
    if known is not None and known[0] == held.session.snapshot:
        yield known[1]
        return
    index = NameIndex()
    request = v1.TraverseRequest(predicate=predicate(show), read_mask={"paths": ["type_name"]})
    stream = StreamOf(held.session, "Traverse", request, lambda reply: iter([reply]), ordered=True)
    snapshot = ""
    async for message in held.stage._client.iterate(stream):
        snapshot = snapshot or message.snapshot
        for prim in message.prims:
            index.add(prim.path, prim.type_name)
        if index.characters > MAX_CHARACTERS:
            return
        yield len(index)
    index.finish()
    held.cache[key] = (snapshot, index)
    yield index
