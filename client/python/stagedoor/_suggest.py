"""Names by which programs ask a prim for a method or property that it does not have."""

from __future__ import annotations

import difflib
import functools
import re
from typing import Any

# As the names of methods begin in other libraries.
_VERBS = re.compile(r"(?:get|set|is|has|compute|find|list|add|remove|clear|create)(?:_|(?=[A-Z]))")

_CUTOFF = 0.8


def near_name(kind: Any, name: str) -> str:
    """The method or property of a class that a name probably means; empty if there is none."""
    return _find_near_name(kind, name)


@functools.lru_cache(maxsize=4096)
def _find_near_name(kind: Any, name: str) -> str:
    public = [found for found in dir(kind) if not found.startswith("_")]
    for wanted in (name, _VERBS.sub("", name, count=1)):
        for found in public:
            if _plain(found) == _plain(wanted):
                return found
        close = difflib.get_close_matches(wanted, public, 1, _CUTOFF)
        if close:
            return close[0]
    return ""


def is_like_method(kind: Any, name: str) -> bool:
    """Whether a name is more likely to mean a method or property than an attribute of a prim."""
    return bool(_VERBS.match(name)) or bool(near_name(kind, name))


def unknown_name(kind: Any, name: str) -> AttributeError:
    """The error for a method or property that a class does not have."""
    text = f"{kind.__name__} has no method or property {name!r}"
    near = near_name(kind, name)
    if near:
        text += f"; did you mean {near!r}?"
    if not name.startswith("_"):
        text += f"{'' if near else ';'} prim[{name!r}] is the attribute of that name"
    return AttributeError(text)


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
