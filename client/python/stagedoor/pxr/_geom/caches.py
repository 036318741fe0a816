"""Transforms and bounds of many prims: UsdGeom.XformCache and UsdGeom.BBoxCache.

What they answer is read for the prims that follow in a loop, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stagedoor.pxr._geom.imageable import local_transform, resets_stack, world_transform
from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._gf.ranges import BBox3d, Range3d
from stagedoor.pxr._usd.ahead import ask
from stagedoor.pxr._usd.time_code import TimeCode, code


class XformCache:
    """Corresponds to UsdGeom.XformCache."""

    def __init__(self, time: Any = None) -> None:
        self._time = TimeCode.Default() if time is None else time

    def GetTime(self) -> Any:
        return self._time

    def SetTime(self, time: Any) -> None:
        self._time = time

    def Clear(self) -> None:
        """Nothing to do: what was read is dropped when the stage changes."""

    def Swap(self, other: XformCache) -> None:
        self._time, other._time = other._time, self._time

    def GetLocalToWorldTransform(self, prim: Any) -> Any:
        return world_transform(prim.GetPrim(), self._time)

    def GetParentToWorldTransform(self, prim: Any) -> Any:
        parent = prim.GetPrim().GetParent()
        return world_transform(parent, self._time) if parent else Matrix4d(1)

    def GetLocalTransformation(self, prim: Any) -> tuple[Any, bool]:
        """The prim's own matrix, and whether it ignores those of its ancestors."""
        found = prim.GetPrim()
        return local_transform(found, self._time), resets_stack(found)

    def ComputeRelativeTransform(self, prim: Any, ancestor: Any) -> tuple[Any, bool]:
        mine, theirs = (self.GetLocalToWorldTransform(found) for found in (prim, ancestor))
        walked, resets = prim.GetPrim(), False
        while walked and walked != ancestor.GetPrim() and not walked.IsPseudoRoot():
            if resets_stack(walked):
                resets = True
                break
            walked = walked.GetParent()
        return mine * theirs.GetInverse(), resets


class BBoxCache:
    """Corresponds to UsdGeom.BBoxCache."""

    def __init__(
        self,
        time: Any = None,
        includedPurposes: Sequence[str] = ("default",),
        useExtentsHint: bool = False,
        ignoreVisibility: bool = False,
    ) -> None:
        self._time = TimeCode.Default() if time is None else time
        self._purposes = tuple(includedPurposes)
        self._hint = useExtentsHint
        self._ignore = ignoreVisibility
        self._base: Any = None

    def GetTime(self) -> Any:
        return self._time

    def SetTime(self, time: Any) -> None:
        self._time = time

    def GetBaseTime(self) -> Any:
        return self._base if self._base is not None else self._time

    def SetBaseTime(self, time: Any) -> None:
        self._base = time

    def HasBaseTime(self) -> bool:
        return self._base is not None

    def ClearBaseTime(self) -> None:
        self._base = None

    def GetIncludedPurposes(self) -> list[str]:
        return list(self._purposes)

    def SetIncludedPurposes(self, purposes: Sequence[str]) -> None:
        self._purposes = tuple(purposes)

    def GetUseExtentsHint(self) -> bool:
        return self._hint

    def Clear(self) -> None:
        """Nothing to do: what was read is dropped when the stage changes."""

    def _options(self, **more: Any) -> dict[str, Any]:
        options = {
            "purposes": self._purposes,
            "use_extents_hint": self._hint,
            "ignore_visibility": self._ignore,
            **more,
        }
        if self._base is not None:
            options["base_time"] = code(self._base)
        return options

    def _box(self, prim: Any, **more: Any) -> BBox3d:
        found = prim.GetPrim()
        handle, moment, options = found._checked(), code(self._time), self._options(**more)
        stage = handle.stage
        key = ("box", moment, *(str(option) for option in options.items()))
        box = ask(handle, key, lambda paths: stage.bounding_boxes(paths, moment, **options))
        return to_box(box.range, box.matrix)

    def ComputeWorldBound(self, prim: Any) -> BBox3d:
        return self._box(prim)

    def ComputeLocalBound(self, prim: Any) -> BBox3d:
        return self._box(prim, space="local")

    def ComputeUntransformedBound(self, prim: Any, *_: Any) -> BBox3d:
        return self._box(prim, space="untransformed")

    def ComputeRelativeBound(self, prim: Any, relativeToAncestorPrim: Any) -> BBox3d:
        return self._box(prim, relative_to=str(relativeToAncestorPrim.GetPrim().GetPath()))

    def _instances(self, instancer: Any, indices: Any, **more: Any) -> list[BBox3d]:
        wanted = [int(index) for index in indices]
        prim = instancer.GetPrim()
        path = str(prim.GetPath())
        table = prim._checked().stage.bounding_boxes(
            [path], code(self._time), **self._options(instances=wanted, **more)
        )
        found = table[path]
        return [to_box(*pair) for pair in zip(found.range, _matrices(found.matrix, len(wanted)))]

    def ComputePointInstanceWorldBounds(self, instancer: Any, indices: Any) -> list[BBox3d]:
        return self._instances(instancer, indices)

    def ComputePointInstanceWorldBound(self, instancer: Any, index: int) -> BBox3d:
        return self._instances(instancer, [index])[0]

    def ComputePointInstanceLocalBounds(self, instancer: Any, indices: Any) -> list[BBox3d]:
        return self._instances(instancer, indices, space="local")

    def ComputePointInstanceLocalBound(self, instancer: Any, index: int) -> BBox3d:
        return self._instances(instancer, [index], space="local")[0]

    def ComputePointInstanceUntransformedBounds(self, instancer: Any, indices: Any) -> list[BBox3d]:
        return self._instances(instancer, indices, space="untransformed")

    def ComputePointInstanceUntransformedBound(self, instancer: Any, index: int) -> BBox3d:
        return self._instances(instancer, [index], space="untransformed")[0]

    def ComputePointInstanceRelativeBounds(
        self, instancer: Any, indices: Any, relativeToAncestorPrim: Any
    ) -> list[BBox3d]:
        ancestor = str(relativeToAncestorPrim.GetPrim().GetPath())
        return self._instances(instancer, indices, relative_to=ancestor)

    def ComputePointInstanceRelativeBound(
        self, instancer: Any, index: int, relativeToAncestorPrim: Any
    ) -> BBox3d:
        found = self.ComputePointInstanceRelativeBounds(instancer, [index], relativeToAncestorPrim)
        return found[0]


def _matrices(matrix: Any, count: int) -> Any:
    return np.broadcast_to(matrix, (count, 4, 4))


def to_box(ends: Any, matrix: Any) -> BBox3d:
    low, high = ends.tolist()
    if any(a > b for a, b in zip(low, high)):
        return BBox3d(Range3d(), Matrix4d._of(np.array(matrix)))
    return BBox3d(Range3d(low, high), Matrix4d._of(np.array(matrix)))
