"""Reads what a loop asks of one prim for the prims that follow with it, in few calls.

The package does so for descriptions and values. This does it for whatever else has a query about
many prims: transforms, bounds, visibility and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stagedoor._prims import _Window
from stagedoor.prim import Prim
from stagedoor.results import PathTable

# A query about prims at some paths; one that fails is in the errors of the table.
Query = Callable[[list[str]], "PathTable[Any]"]

# The approximate size of a result, in bytes.
_RESULT_BYTES = 512
# So many kinds of results are kept for the prims that came together.
_MAX_KINDS = 64


def ask(handle: Prim, key: object, query: Query) -> Any:
    """The result of a query about a prim; `key` says which query it is, with all arguments.

    Raises the error of the prim if it has one.
    """
    group, path = handle._group, handle.path
    if group is None or group.generation != handle._session.generation:
        return query([path])[path]
    windows: dict[object, _Window] = group.__dict__.setdefault("_pxr_windows", {})
    window = windows.get(key)
    if window is None:
        while len(windows) >= _MAX_KINDS:
            windows.pop(next(iter(windows)), None)
        window = windows[key] = _Window()
    table = window.found.get(path)
    if table is None:
        ahead = window.paths_from(group._index[path], group._paths)
        table = query(ahead)
        window.set(dict.fromkeys(ahead, table), _RESULT_BYTES * len(ahead))
    return table[path]
