"""Results by path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from stagedoor.errors import Error

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

    def __repr__(self) -> str:
        return f"<PathTable of {len(self.results)} paths, {len(self.errors)} errors>"
