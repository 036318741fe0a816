"""Orders of joints: UsdSkel.Topology and UsdSkel.AnimMapper."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._vt.arrays import ARRAYS, NumberArray

_INTS: Any = ARRAYS["IntArray"]


class Topology:
    """The parents of joints. Corresponds to UsdSkel.Topology."""

    _parents: list[int]

    def __init__(self, order: Any = ()) -> None:
        if isinstance(order, Topology):
            order = order._parents
        items = list(order)
        if items and isinstance(items[0], int):
            self._parents = items
        else:
            self._parents = _parents_of([Path(str(item)) for item in items])

    def __len__(self) -> int:
        return len(self._parents)

    def GetNumJoints(self) -> int:
        return len(self._parents)

    def GetParent(self, index: int) -> int:
        return self._parents[index]

    def GetParentIndices(self) -> Any:
        return _INTS(self._parents)

    def IsRoot(self, index: int) -> bool:
        return self._parents[index] < 0

    def Validate(self) -> tuple[bool, str]:
        """Whether each parent precedes its children, and what is wrong."""
        for index, parent in enumerate(self._parents):
            if parent == index:
                return False, f"Joint {index} has itself as its parent."
            if parent > index:
                return False, (
                    f"Joint {index} has mis-ordered parent {parent}. Joints are expected to be "
                    "ordered with parent joints always coming before children."
                )
        return True, ""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Topology) and self._parents == other._parents

    __hash__ = None  # type: ignore[assignment]


def _parents_of(paths: list[Path]) -> list[int]:
    """For each joint, the number of its nearest ancestor among them; -1 without one."""
    places = {path: number for number, path in enumerate(paths)}
    found = []
    for path in paths:
        above = path.GetPrefixes()[:-1]
        found.append(next((places[one] for one in reversed(above) if one in places), -1))
    return found


class AnimMapper:
    """From one order of joints to another. Corresponds to UsdSkel.AnimMapper."""

    def __init__(self, *orders: Any) -> None:
        if not orders:
            self._source, self._target = [], []
        elif isinstance(orders[0], int):
            self._source = self._target = list(map(str, range(orders[0])))
        else:
            self._source, self._target = ([str(name) for name in order] for order in orders)
        places = {name: number for number, name in enumerate(self._target)}
        self._places = [places.get(name, -1) for name in self._source]

    def IsNull(self) -> bool:
        return not any(place >= 0 for place in self._places)

    def IsIdentity(self) -> bool:
        return bool(self._source) and self._source == self._target

    def IsSparse(self) -> bool:
        """Whether not all of the target is written."""
        return len({place for place in self._places if place >= 0}) < len(self._target)

    def __len__(self) -> int:
        return len(self._target)

    def Remap(self, source: Any, elementSize: int = 1, defaultValue: Any = None) -> Any:
        """The values in the order of the target; the default where the source has none."""
        count = len(self._target) * elementSize
        if isinstance(source, NumberArray):
            data = np.asarray(source)
            made = np.zeros((count, *data.shape[1:]), data.dtype)
            if defaultValue is not None:
                made[:] = type(source)([defaultValue])._a[0]
            for number, place in enumerate(self._places):
                if place >= 0:
                    span = slice(number * elementSize, (number + 1) * elementSize)
                    made[place * elementSize : (place + 1) * elementSize] = data[span]
            return type(source)._of(made)
        values = [defaultValue if defaultValue is not None else ""] * count
        for number, place in enumerate(self._places):
            for k in range(elementSize if place >= 0 else 0):
                values[place * elementSize + k] = source[number * elementSize + k]
        return type(source)(values)

    def RemapTransforms(self, source: Any, elementSize: int = 1) -> Any:
        from stagedoor.pxr._gf.matrices import Matrix4d, Matrix4f

        single = np.asarray(source).dtype == np.float32
        return self.Remap(source, elementSize, (Matrix4f if single else Matrix4d)(1))
