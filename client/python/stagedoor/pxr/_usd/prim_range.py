"""Prims at and below one of them: Usd.PrimRange."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stagedoor.pxr._usd.predicates import Predicate, PrimAllPrimsPredicate, PrimDefaultPredicate
from stagedoor.pxr._usd.prim import Prim

# Flags that the daemon knows; prims that do not pass them are not sent.
_SENT = {
    "Active": "active",
    "Loaded": "loaded",
    "Defined": "defined",
    "Abstract": "abstract",
    "Model": "model",
    "Group": "group",
    "Instance": "instance",
}


def handles(root: Any, predicate: Predicate, depth: int | None = None) -> Iterator[Any]:
    """The handles at and below `root` that pass, depth first; all arrive in one call.

    A prim that does not pass is left out with its descendants.
    """
    sent = not predicate.any_of and all(name in _SENT for name, _ in predicate.terms)
    terms = predicate.terms if sent else ()
    stream = root.traverse(
        all=True,
        depth=depth,
        instance_proxies=predicate.instance_proxies or root.is_instance_proxy,
        require=[_SENT[name] for name, value in terms if value],
        exclude=[_SENT[name] for name, value in terms if not value],
    )
    if sent:
        yield from stream
        return
    refused = ""
    for handle in stream:
        if refused and handle.path.startswith(refused):
            continue
        if predicate(Prim(handle)):
            yield handle
        else:
            refused = f"{handle.path.rstrip('/')}/"


class PrimRange:
    """An iterable of the prims at and below `root`. Corresponds to Usd.PrimRange."""

    def __init__(self, root: Any, predicate: Predicate = PrimDefaultPredicate) -> None:
        self._root = root
        self._predicate = predicate
        self._post = False
        self._skips_root = False

    @classmethod
    def PreAndPostVisit(cls, root: Any, predicate: Predicate = PrimDefaultPredicate) -> PrimRange:
        made = cls(root, predicate)
        made._post = True
        return made

    @classmethod
    def AllPrims(cls, root: Any) -> PrimRange:
        return cls(root, PrimAllPrimsPredicate)

    @classmethod
    def AllPrimsPreAndPostVisit(cls, root: Any) -> PrimRange:
        return cls.PreAndPostVisit(root, PrimAllPrimsPredicate)

    @classmethod
    def Stage(cls, stage: Any, predicate: Predicate = PrimDefaultPredicate) -> PrimRange:
        made = cls(stage.GetPseudoRoot(), predicate)
        made._skips_root = True
        return made

    def IsValid(self) -> bool:
        return bool(self._root)

    def __bool__(self) -> bool:
        return next(iter(self), None) is not None

    def __iter__(self) -> PrimRangeIterator:
        return PrimRangeIterator(self)


class PrimRangeIterator:
    """Goes over a range; may be stopped from going below the prim that it is at."""

    def __init__(self, prims: PrimRange) -> None:
        self._root = prims._root
        self._with_post = prims._post
        self._post = False
        self._pruned = ""
        self._open: list[Any] = []  # prims whose post-visit is still to come, innermost last
        self._next: Any = None
        stream = handles(prims._root._checked(), prims._predicate)
        self._stream = stream
        root = prims._root._checked()
        if root.path == "/" and not prims._skips_root:
            self._next = root

    def __iter__(self) -> PrimRangeIterator:
        return self

    def __next__(self) -> Prim:
        handle = self._next if self._next is not None else self._pull()
        if self._open and (handle is None or not _is_below(handle, self._open[-1])):
            self._next, self._post = handle, True
            return Prim(self._open.pop())
        self._next, self._post = None, False
        if handle is None:
            raise StopIteration
        if self._with_post:
            self._open.append(handle)
        self._current = handle
        return Prim(handle)

    def _pull(self) -> Any:
        """The next handle that is not below a pruned prim; None at the end."""
        for handle in self._stream:
            if not (self._pruned and handle.path.startswith(self._pruned)):
                return handle
        return None

    def IsPostVisit(self) -> bool:
        return self._post

    def PruneChildren(self) -> None:
        if self._post:
            raise RuntimeError("cannot prune children at a post-visit")
        self._pruned = f"{self._current.path.rstrip('/')}/"
        if self._next is not None and self._next.path.startswith(self._pruned):
            self._next = None

    def GetCurrentPrim(self) -> Prim:
        return Prim(self._current)

    def IsValid(self) -> bool:
        return True


def _is_below(handle: Any, ancestor: Any) -> bool:
    return bool(handle.path.startswith(f"{ancestor.path.rstrip('/')}/"))
