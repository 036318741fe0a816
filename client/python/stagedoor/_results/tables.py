"""Results by path."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from stagedoor._path_sets import PathList
from stagedoor.errors import Error
from stagedoor.types import Array

T = TypeVar("T")


def path_text(path: Any) -> str:
    """The text of a path: of a string, of a handle, or of an Sdf.Path."""
    return path if isinstance(path, str) else str(getattr(path, "path", path))


class Rows(Mapping[str, T], Generic[T]):
    """A row of a sequence for each path. The mapping is made on first use.

    Of a path that was asked for several times, the last row counts.
    """

    def __init__(self, paths: Sequence[str], rows: Iterable[T]) -> None:
        self._paths = paths
        self._rows = rows
        self._found: dict[str, T] | None = None
        self._count: int | None = None

    def _mapping(self) -> dict[str, T]:
        found = self._found
        if found is None:  # two threads may make it, of which either is right
            found = self._found = dict(zip(self._paths, self._rows))
        return found

    def __getitem__(self, path: str) -> T:
        return self._mapping()[path]

    def __contains__(self, path: object) -> bool:
        return path in self._mapping()

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapping())

    def __len__(self) -> int:
        if self._count is None:
            paths = self._paths
            self._count = paths.distinct if isinstance(paths, PathList) else len(set(paths))
        return self._count

    def values(self) -> ValuesView[T]:
        return self._mapping().values()

    def items(self) -> ItemsView[str, T]:
        return self._mapping().items()


@dataclass(frozen=True)
class Numbered(Generic[T]):
    """Results of which many are equal: each of them once, and a number for each path."""

    distinct: Sequence[T]
    numbers: Array

    def __iter__(self) -> Iterator[T]:
        found = np.empty(len(self.distinct), object)
        found[:] = self.distinct
        return iter(found[self.numbers].tolist())

    def __len__(self) -> int:
        return len(self.numbers)


@dataclass(frozen=True, repr=False, eq=False)
class PathTable(Mapping[str, T], Generic[T]):
    """Results by path: a mapping of the paths that have one.

    Asking for a path that failed raises its error, `get` returns the default for it, and `errors`
    has the errors of all paths that failed.
    """

    results: Mapping[str, T]
    errors: Mapping[str, Error]
    snapshot: str
    rows: tuple[Array, ...] = ()  # arrays of the results, in their order; see stack
    _numbered: Numbered[T] | None = None  # the results, in their order; see factorize

    def __getitem__(self, path: str | Any) -> T:
        text = path_text(path)
        if text in self.errors:
            raise self.errors[text]
        return self.results[text]

    def __contains__(self, path: object) -> bool:
        return path_text(path) in self.results

    def get(self, path: str | Any, default: Any = None) -> Any:
        """The result of a path; `default` if it failed or was not asked for."""
        return self.results.get(path_text(path), default)

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def values(self) -> ValuesView[T]:
        """The results, in the order of the paths."""
        return self.results.values()

    def items(self) -> ItemsView[str, T]:
        """The paths that have a result, and their results."""
        return self.results.items()

    def stack(self) -> Array:
        """The results as one array, whose first axis is that of the paths that have a result.

        For results that are arrays of one shape, such as transforms and bounds at the same times.
        Raises ValueError if there are none, or their shapes differ.
        """
        if sum(map(len, self.rows)) != len(self.results) or not self.results:
            return np.stack([np.asarray(result) for result in self.results.values()])
        return self.rows[0] if len(self.rows) == 1 else np.concatenate(self.rows)

    def factorize(self) -> tuple[Array, list[T]]:
        """For each path that has a result, a number; and by number, the results, each once.

        For results of which many are equal, such as bound materials and light sets: much faster
        than to look at each of them. As pandas.factorize, but in no particular order.

            numbers, materials = stage.bound_materials(paths).factorize()
            for number, material in enumerate(materials):
                found = np.flatnonzero(numbers == number)

        Raises TypeError for results that cannot be hashed, such as arrays.
        """
        known: dict[T, int] = {}
        numbered = self._numbered
        if numbered is None or len(numbered) != len(self.results):
            row = [known.setdefault(result, len(known)) for result in self.results.values()]
            return np.array(row, np.intp), list(known)
        used = np.flatnonzero(np.bincount(numbered.numbers, minlength=len(numbered.distinct)))
        number_of = np.zeros(len(numbered.distinct), np.intp)
        number_of[used] = [
            known.setdefault(numbered.distinct[i], len(known)) for i in used.tolist()
        ]
        return number_of[numbered.numbers], list(known)

    def __repr__(self) -> str:
        return f"<PathTable of {len(self.results)} paths, {len(self.errors)} errors>"
