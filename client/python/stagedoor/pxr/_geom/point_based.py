"""Points, meshes, curves and instances: methods of UsdGeom.PointBased, Mesh, PointInstancer …"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from stagedoor.errors import Error
from stagedoor.pxr._enum import Enum
from stagedoor.pxr._errors import ErrorException
from stagedoor.pxr._usd.time_code import code
from stagedoor.pxr._vt.arrays import ARRAYS

_VEC3F: Any = ARRAYS["Vec3fArray"]
_MATRICES: Any = ARRAYS["Matrix4dArray"]
_INTS: Any = ARRAYS["IntArray"]
_BOOLS: Any = ARRAYS["BoolArray"]


def _extent(points: Any, widths: Any = None) -> Any:
    array = np.asarray(points, np.float32)
    if not len(array):
        big = np.finfo(np.float32).max
        return _VEC3F._of(np.array([[big] * 3, [-big] * 3], np.float32))
    ends = np.stack([array.min(axis=0), array.max(axis=0)])
    if widths is not None and len(widths):
        reach = np.float32(np.max(np.asarray(widths)) * 0.5)
        ends += np.array([[-reach], [reach]], np.float32)
    return _VEC3F._of(ends.astype(np.float32))


class PointBasedMethods:
    """The methods of UsdGeom.PointBased."""

    _prim: Any

    def GetNormalsInterpolation(self) -> str:
        return self._prim.GetAttribute("normals").GetMetadata("interpolation") or "vertex"

    @staticmethod
    def ComputeExtent(points: Any, *_: Any) -> Any:
        return _extent(points)

    def ComputePointsAtTime(self, time: Any, baseTime: Any) -> Any:
        return self.ComputePointsAtTimes([time], baseTime)[0]

    def ComputePointsAtTimes(self, times: Any, baseTime: Any) -> list[Any]:
        stage = self._prim._checked().stage
        found = stage.moving_points(
            [str(self._prim.GetPath())], [code(time) for time in times], base_time=code(baseTime)
        )
        return [_VEC3F._of(item.points) if item.points is not None else _VEC3F() for item in found]


class CurvesMethods:
    """The methods of UsdGeom.Curves."""

    _prim: Any

    def GetWidthsInterpolation(self) -> str:
        return self._prim.GetAttribute("widths").GetMetadata("interpolation") or "vertex"

    def GetCurveCount(self, time: Any = None) -> int:
        return len(self._prim.GetAttribute("curveVertexCounts").Get(time) or ())

    @staticmethod
    def ComputeExtent(points: Any, widths: Any, *_: Any) -> Any:
        return _extent(points, widths)


class PointsMethods:
    """The methods of UsdGeom.Points."""

    _prim: Any

    def GetWidthsInterpolation(self) -> str:
        return self._prim.GetAttribute("widths").GetMetadata("interpolation") or "vertex"

    def GetPointCount(self, time: Any = None) -> int:
        return len(self._prim.GetAttribute("points").Get(time) or ())

    @staticmethod
    def ComputeExtent(points: Any, widths: Any, *_: Any) -> Any:
        array = np.asarray(points, np.float32)
        reach = np.asarray(widths, np.float32)[:, None] * np.float32(0.5)
        if len(array) != len(reach):
            return None
        return _VEC3F._of(np.stack([(array - reach).min(axis=0), (array + reach).max(axis=0)]))


class BasisCurvesMethods:
    """The methods of UsdGeom.BasisCurves."""

    _prim: Any

    def _topology(self, time: Any, **options: Any) -> Any:
        stage = self._prim._checked().stage
        return stage.topology([str(self._prim.GetPath())], code(time), **options)[0]

    def ComputeSegmentCounts(self, time: Any) -> Any:
        found = self._topology(time, segment_counts=True).segment_counts
        return _INTS._of(found) if found is not None else _INTS()

    def ComputeUniformDataSize(self, time: Any) -> int:
        return int(self._topology(time).data_sizes.uniform)

    def ComputeVaryingDataSize(self, time: Any) -> int:
        return int(self._topology(time).data_sizes.varying or 0)

    def ComputeVertexDataSize(self, time: Any) -> int:
        return int(self._topology(time).data_sizes.vertex)

    def ComputeInterpolationForSize(self, n: int, time: Any, *_: Any) -> str:
        found = self._topology(time, data_sizes=[n]).data_sizes.interpolations
        return str(found[0]) if found else ""


class MeshMethods:
    """The methods of UsdGeom.Mesh."""

    _prim: Any
    SHARPNESS_INFINITE = 10.0

    def GetFaceCount(self, time: Any = None) -> int:
        return len(self._prim.GetAttribute("faceVertexCounts").Get(time) or ())

    @staticmethod
    def ValidateTopology(
        faceVertexIndices: Any, faceVertexCounts: Any, numPoints: int
    ) -> tuple[bool, str]:
        """Whether the arrays fit together, and why not."""
        counts, indices = np.asarray(faceVertexCounts), np.asarray(faceVertexIndices)
        if int(counts.sum()) != len(indices):
            return False, (
                f"Sum of faceVertexCounts [{int(counts.sum())}] != size of faceVertexIndices "
                f"[{len(indices)}]."
            )
        wrong = indices[(indices < 0) | (indices >= numPoints)]
        if len(wrong):
            return False, f"Out of range face vertex index {int(wrong[0])}."
        return True, ""


class TetMeshMethods:
    """The methods of UsdGeom.TetMesh."""

    @staticmethod
    def _ask(tets: Any, time: Any, **options: Any) -> Any:
        prim = tets.GetPrim()
        return prim._checked().stage.topology([str(prim.GetPath())], code(time), **options)[0]

    @staticmethod
    def ComputeSurfaceFaces(tetMesh: Any, timeCode: Any = None) -> Any:
        faces = TetMeshMethods._ask(tetMesh, timeCode, surface_faces=True).surface_faces
        kind: Any = ARRAYS["Vec3iArray"]
        return kind._of(faces) if faces is not None else kind()

    @staticmethod
    def FindInvertedElements(tetMesh: Any, timeCode: Any = None) -> Any:
        found = TetMeshMethods._ask(tetMesh, timeCode, inverted_elements=True).inverted_elements
        return _INTS._of(found) if found is not None else _INTS()


class PointInstancerMethods:
    """The methods of UsdGeom.PointInstancer."""

    _prim: Any
    IncludeProtoXform = Enum("UsdGeom.PointInstancer.IncludeProtoXform", 0)
    ExcludeProtoXform = Enum("UsdGeom.PointInstancer.ExcludeProtoXform", 1)
    ApplyMask = Enum("UsdGeom.PointInstancer.ApplyMask", 0)
    IgnoreMask = Enum("UsdGeom.PointInstancer.IgnoreMask", 1)

    def GetInstanceCount(self, time: Any = None) -> int:
        return len(self._prim.GetAttribute("protoIndices").Get(time) or ())

    def ComputeMaskAtTime(self, time: Any, ids: Any = None) -> list[bool]:
        """Which instances are shown; empty if all are."""
        asked = self._asked([time], None, ignore_mask=True)
        if not asked:
            return []
        found = asked[0]
        shown = [True] * found.count if found.mask is None else found.mask.tolist()
        return [] if all(shown) else shown

    def _asked(self, times: Any, base: Any, **options: Any) -> list[Any]:
        """The instances at times, computed by the daemon; empty if it cannot place them."""
        stage = self._prim._checked().stage
        moments = [code(time) for time in times]
        path = str(self._prim.GetPath())
        try:
            return list(stage.instances([path], moments, base_time=code(base), **options))
        except Error as error:
            if error.code != "FAILED_PRECONDITION":
                raise
            print(f"Warning: {error.message}", file=sys.stderr)
            return []

    def ComputeInstanceTransformsAtTime(
        self, time: Any, baseTime: Any, doProtoXforms: Any = None, applyMask: Any = None
    ) -> Any:
        found = self.ComputeInstanceTransformsAtTimes([time], baseTime, doProtoXforms, applyMask)
        return found[0] if found else _MATRICES()

    def ComputeInstanceTransformsAtTimes(
        self, times: Any, baseTime: Any, doProtoXforms: Any = None, applyMask: Any = None
    ) -> list[Any]:
        if doProtoXforms == self.ExcludeProtoXform:
            raise ErrorException(
                "cannot leave out the transforms of prototypes: the daemon includes them"
            )
        ignore = applyMask == self.IgnoreMask
        found = self._asked(times, baseTime, ignore_mask=ignore)
        return [_MATRICES._of(item.transforms) for item in found]

    def ComputeExtentAtTime(self, time: Any, baseTime: Any, transform: Any = None) -> Any:
        from stagedoor.pxr._geom.caches import BBoxCache

        cache = BBoxCache(time, ["default", "proxy", "render", "guide"])
        cache.SetBaseTime(baseTime)
        box = cache.ComputeUntransformedBound(self._prim)
        if transform is not None:
            box.Transform(transform)
        ends = box.ComputeAlignedRange()
        return _VEC3F([ends.min, ends.max])

    def ComputeExtentAtTimes(self, times: Any, baseTime: Any, transform: Any = None) -> list[Any]:
        return [self.ComputeExtentAtTime(time, baseTime, transform) for time in times]


class MotionMethods:
    """The methods of UsdGeom.MotionAPI."""

    _prim: Any

    def _asked(self, time: Any) -> Any:
        stage = self._prim._checked().stage
        return stage.moving_points([str(self._prim.GetPath())], code(time))[0]

    def ComputeMotionBlurScale(self, time: Any = None) -> float:
        return float(self._asked(time).blur_scale)

    def ComputeNonlinearSampleCount(self, time: Any = None) -> int:
        return int(self._asked(time).nonlinear_sample_count)

    def ComputeVelocityScale(self, time: Any = None) -> float:
        return float(self._asked(time).velocity_scale)


class BoundableMethods:
    """The methods of UsdGeom.Boundable."""

    _prim: Any

    def ComputeExtent(self, time: Any = None, *_: Any) -> Any:
        from stagedoor.pxr._geom.caches import BBoxCache

        cache = BBoxCache(time, ["default", "proxy", "render", "guide"], ignoreVisibility=True)
        ends = cache.ComputeUntransformedBound(self._prim).ComputeAlignedRange()
        return _VEC3F([ends.min, ends.max]) if not ends.IsEmpty() else None

    @staticmethod
    def ComputeExtentFromPlugins(boundable: Any, time: Any = None, *_: Any) -> Any:
        return BoundableMethods.ComputeExtent(boundable, time)
