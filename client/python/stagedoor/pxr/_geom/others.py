"""Cameras, subsets, models and units: methods of UsdGeom.Camera, Subset, ModelAPI …"""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor.pxr._gf.camera import Camera as GfCamera
from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._gf.ranges import Range1f
from stagedoor.pxr._gf.vectors import Vec4f
from stagedoor.pxr._usd.ahead import ask
from stagedoor.pxr._usd.time_code import code
from stagedoor.pxr._vt.arrays import ARRAYS

_INTS: Any = ARRAYS["IntArray"]
_VEC3F: Any = ARRAYS["Vec3fArray"]


class CameraMethods:
    """The methods of UsdGeom.Camera."""

    _prim: Any

    def GetCamera(self, time: Any = None) -> GfCamera:
        """The lens and the transform at a time."""
        path = str(self._prim.GetPath())
        found = self._prim._checked().stage.cameras([path], code(time))[path]
        values = self._prim.GetAttribute("clippingRange").Get(time)
        perspective = found.projection == "perspective"
        return GfCamera(
            Matrix4d._of(np.array(found.transform)),
            GfCamera.Perspective if perspective else GfCamera.Orthographic,
            found.horizontal_aperture,
            found.vertical_aperture,
            found.horizontal_aperture_offset,
            found.vertical_aperture_offset,
            found.focal_length,
            Range1f(*values) if values is not None else None,
            [Vec4f(*plane) for plane in found.clipping_planes.tolist()],
            found.f_stop,
            found.focus_distance,
        )

    def ComputeLinearExposureScale(self, time: Any = None) -> float:
        path = str(self._prim.GetPath())
        found = self._prim._checked().stage.cameras([path], code(time))[path]
        return float(found.linear_exposure_scale)


class SubsetMethods:
    """The methods of UsdGeom.Subset."""

    @classmethod
    def GetAllGeomSubsets(cls, geom: Any) -> list[Any]:
        prims = geom.GetPrim().GetChildren()
        return [cls(prim) for prim in prims if prim.IsA("GeomSubset")]  # type: ignore[call-arg]

    @classmethod
    def GetGeomSubsets(cls, geom: Any, elementType: str = "", familyName: str = "") -> list[Any]:
        return [
            subset
            for subset in cls.GetAllGeomSubsets(geom)
            if elementType in ("", subset.GetElementTypeAttr().Get())
            and familyName in ("", subset.GetFamilyNameAttr().Get() or "")
        ]

    @classmethod
    def GetAllGeomSubsetFamilyNames(cls, geom: Any) -> list[str]:
        names = {subset.GetFamilyNameAttr().Get() for subset in cls.GetAllGeomSubsets(geom)}
        return sorted(name for name in names if name)

    @staticmethod
    def GetFamilyType(geom: Any, familyName: str) -> str:
        attribute = geom.GetPrim().GetAttribute(f"subsetFamily:{familyName}:familyType")
        return attribute.Get() or "unrestricted"

    @classmethod
    def GetUnassignedIndices(cls, *arguments: Any) -> Any:
        """Of a prim, an element type and a family at a time; or of subsets and a count."""
        if isinstance(arguments[0], (list, tuple)):
            return cls._unassigned(*arguments)
        geom, element_type, family, *time = arguments
        prim = geom.GetPrim()
        found = prim._checked().stage.subsets(
            [str(prim.GetPath())],
            code(time[0]) if time else None,
            element_type=element_type,
            family=family,
            unassigned=True,
        )[0]
        for entry in found.families:
            if entry.name == family and entry.unassigned is not None:
                return _INTS._of(entry.unassigned)
        return _INTS()

    @staticmethod
    def _unassigned(subsets: Any, elementCount: int, time: Any = None) -> Any:
        taken = {int(i) for subset in subsets for i in subset.GetIndicesAttr().Get(time) or ()}
        return _INTS([i for i in range(elementCount) if i not in taken])

    @staticmethod
    def ValidateFamily(geom: Any, elementType: str, familyName: str) -> tuple[bool, str]:
        prim = geom.GetPrim()
        found = prim._checked().stage.subsets(
            [str(prim.GetPath())], element_type=elementType, family=familyName, problems=True
        )[0]
        problem = next((entry.problem for entry in found.families if entry.problem), "")
        return not problem, problem


class ModelMethods:
    """The methods of UsdGeom.ModelAPI."""

    _prim: Any

    def ComputeModelDrawMode(self, *_: Any) -> str:
        handle = self._prim._checked()
        return str(ask(handle, "models", handle.stage.models).draw_mode)

    def GetExtentsHint(self, time: Any = None) -> Any:
        return self._prim.GetAttribute("extentsHint").Get(time)

    def ComputeExtentsHint(self, bboxCache: Any) -> Any:
        path = str(self._prim.GetPath())
        stage = self._prim._checked().stage
        return _VEC3F._of(stage.extents_hints([path], code(bboxCache.GetTime()))[path])

    def GetConstraintTargets(self) -> list[Any]:
        found = self._prim.GetPropertiesInNamespace("constraintTargets")
        return [ConstraintTarget(attribute) for attribute in found]

    def GetConstraintTarget(self, constraintName: str) -> ConstraintTarget:
        return ConstraintTarget(self._prim.GetAttribute(f"constraintTargets:{constraintName}"))


class ConstraintTarget:
    """A space that other prims may be attached to. Corresponds to UsdGeom.ConstraintTarget."""

    def __init__(self, attr: Any = None) -> None:
        self._attr = attr

    def GetAttr(self) -> Any:
        return self._attr

    def IsDefined(self) -> bool:
        return bool(self._attr)

    def __bool__(self) -> bool:
        return self.IsDefined()

    def Get(self, time: Any = None) -> Any:
        return self._attr.Get(time)

    def GetIdentifier(self) -> str:
        return self._attr.GetMetadata("constraintTargetIdentifier") or ""

    def ComputeInWorldSpace(self, time: Any = None, xfCache: Any = None) -> Any:
        from stagedoor.pxr._geom.imageable import world_transform

        value = self.Get(time)
        return (value if value is not None else Matrix4d(1)) * world_transform(
            self._attr.GetPrim(), time
        )


class LinearUnits:
    """Metres in a unit, by the name of the unit."""

    nanometers, micrometers, millimeters, centimeters = 1e-9, 1e-6, 0.001, 0.01
    meters, kilometers, lightYears, inches = 1.0, 1000.0, 9.4607304725808e15, 0.0254
    feet, yards, miles = 0.3048, 0.9144, 1609.344


def GetStageUpAxis(stage: Any) -> str:
    return str(stage._stage.up_axis)


def GetFallbackUpAxis() -> str:
    return "Y"


def GetStageMetersPerUnit(stage: Any) -> float:
    return float(stage._stage.meters_per_unit)


def StageHasAuthoredMetersPerUnit(stage: Any) -> bool:
    return bool(stage.HasAuthoredMetadata("metersPerUnit"))


def LinearUnitsAre(authoredUnits: float, standardUnits: float, epsilon: float = 1e-5) -> bool:
    if authoredUnits <= 0 or standardUnits <= 0:
        return False
    difference = abs(authoredUnits - standardUnits)
    return difference / authoredUnits < epsilon or difference / standardUnits < epsilon
