"""Results by path."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from stagedoor.errors import Error
from stagedoor.types import Array

T = TypeVar("T")


def path_text(path: Any) -> str:
    """The text of a path: of a string, of a handle, or of an Sdf.Path."""
    return path if isinstance(path, str) else str(getattr(path, "path", path))


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

    def __repr__(self) -> str:
        return f"<PathTable of {len(self.results)} paths, {len(self.errors)} errors>"
