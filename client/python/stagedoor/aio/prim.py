"""Prims, as the asyncio client has them.

Like attributes, they are handles: they name an object of a stage, and ask the daemon about it when
they have to. What they have learnt they keep until the stage has another snapshot.
"""

from __future__ import annotations

from stagedoor._async.prim import PrimCalls
from stagedoor._prims import PRIM
from stagedoor._suggest import near_name, unknown_name
from stagedoor.aio.attribute import Attribute


class Prim(PrimCalls):
    """A prim of a stage: as stagedoor.Prim, but its methods and properties are awaited.

    `prim["size"]` and `prim.size` are its attribute of that name, whether it exists or not. Of
    names that look like those of methods, such as `prim.childern`, only attributes that are known
    to exist.
    """

    # With __getitem__ alone, Python would try prim[0], prim[1]... and never end.
    __iter__ = None  # use prim.traverse() or await prim.children
    __contains__ = None  # use await prim[name].exists()

    def __bool__(self) -> bool:
        raise TypeError("whether a prim exists must be awaited: use 'await prim.exists()'")

    def __getattr__(self, name: str) -> Attribute:
        if not name[:1].islower():  # names of Python, and of methods of Usd.Prim that are missing
            raise unknown_name(type(self), name)
        if near_name(type(self), name):  # the daemon could not be asked without awaiting it
            data = self._known(PRIM)
            if data is None or name not in data.properties:
                raise unknown_name(type(self), name)
        return Attribute(self, name)
