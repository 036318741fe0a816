"""Ar: asset paths are resolved by the daemon, so there is little to ask here."""

from __future__ import annotations

from typing import Any as _Any


class ResolvedPath(str):
    """Corresponds to Ar.ResolvedPath."""

    __slots__ = ()

    def GetPathString(self) -> str:
        return str(self)


class DefaultResolverContext:
    """A context, which the shim ignores: search paths are those of the daemon."""

    def __init__(self, searchPath: _Any = ()) -> None:
        self._paths = list(searchPath)

    def GetSearchPath(self) -> list[str]:
        return self._paths


class ResolverContextBinder:
    """A block in which a context would hold."""

    def __init__(self, *_: _Any) -> None:
        pass

    def __enter__(self) -> ResolverContextBinder:
        return self

    def __exit__(self, *_: _Any) -> None:
        return None
