"""Queries about skeletons, animation and skinned prims: UsdSkel.Cache and what it returns.

Poses are computed by the daemon.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._skel import utils
from stagedoor.pxr._skel.topology import AnimMapper, Topology
from stagedoor.pxr._usd.properties import Attribute, Relationship
from stagedoor.pxr._usd.time_code import code
from stagedoor.pxr._vt.arrays import ARRAYS

_MATRICES: Any = ARRAYS["Matrix4dArray"]
_INTS: Any = ARRAYS["IntArray"]
_FLOATS: Any = ARRAYS["FloatArray"]
_TOKENS: Any = ARRAYS["TokenArray"]


def _class(module: str, name: str) -> Any:
    return getattr(__import__(f"stagedoor.pxr.{module}", fromlist=["_"]), name)


class PrimQuery:
    """A query about one prim, which is invalid without it."""

    def __init__(self, prim: Any = None) -> None:
        self._prim = prim

    def IsValid(self) -> bool:
        return bool(self._prim)

    def __bool__(self) -> bool:
        return self.IsValid()

    def GetPrim(self) -> Any:
        return self._prim


class AnimQuery(PrimQuery):
    """The animation of joints and blend shapes. Corresponds to UsdSkel.AnimQuery."""

    def _attribute(self, name: str) -> Any:
        return self._prim.GetAttribute(name)

    def GetJointOrder(self) -> Any:
        return self._attribute("joints").Get() or _TOKENS()

    def GetBlendShapeOrder(self) -> Any:
        return self._attribute("blendShapes").Get() or _TOKENS()

    def ComputeJointLocalTransformComponents(self, time: Any = None) -> Any:
        """(translations, rotations, scales); None without all of them."""
        names = ("translations", "rotations", "scales")
        found = tuple(self._attribute(name).Get(time) for name in names)
        return None if any(part is None for part in found) else found

    def ComputeJointLocalTransforms(self, time: Any = None) -> Any:
        found = self.ComputeJointLocalTransformComponents(time)
        return utils.MakeTransforms(*found) if found is not None else _MATRICES()

    def ComputeBlendShapeWeights(self, time: Any = None) -> Any:
        found = self._attribute("blendShapeWeights").Get(time)
        return _FLOATS() if found is None else found

    def _joint_attributes(self) -> list[Any]:
        return [self._attribute(name) for name in ("translations", "rotations", "scales")]

    def GetJointTransformTimeSamples(self) -> list[float]:
        times = (attribute.GetTimeSamples() for attribute in self._joint_attributes())
        return sorted({time for found in times for time in found})

    def GetJointTransformTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return [t for t in self.GetJointTransformTimeSamples() if interval.Contains(t)]

    def JointTransformsMightBeTimeVarying(self) -> bool:
        return any(found.ValueMightBeTimeVarying() for found in self._joint_attributes())

    def GetBlendShapeWeightTimeSamples(self) -> list[float]:
        return self._attribute("blendShapeWeights").GetTimeSamples()

    def GetBlendShapeWeightTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return [t for t in self.GetBlendShapeWeightTimeSamples() if interval.Contains(t)]

    def BlendShapeWeightsMightBeTimeVarying(self) -> bool:
        return bool(self._attribute("blendShapeWeights").ValueMightBeTimeVarying())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AnimQuery) and self._prim == other._prim

    def __hash__(self) -> int:
        return hash(self._prim)


class SkeletonQuery(PrimQuery):
    """The joints of a skeleton with its animation. Corresponds to UsdSkel.SkeletonQuery."""

    def __init__(self, prim: Any = None, animation: AnimQuery | None = None) -> None:
        super().__init__(prim)
        self._animation = animation or AnimQuery()

    def GetSkeleton(self) -> Any:
        return _class("UsdSkel", "Skeleton")(self._prim)

    def GetAnimQuery(self) -> AnimQuery:
        return self._animation

    def GetJointOrder(self) -> Any:
        return self._prim.GetAttribute("joints").Get() or _TOKENS()

    def GetTopology(self) -> Topology:
        return Topology(self.GetJointOrder())

    def GetMapper(self) -> AnimMapper:
        order = self._animation.GetJointOrder() if self._animation else ()
        return AnimMapper(order, self.GetJointOrder())

    def HasBindPose(self) -> bool:
        return self._fits("bindTransforms")

    def HasRestPose(self) -> bool:
        return self._fits("restTransforms")

    def _fits(self, name: str) -> bool:
        values = self._prim.GetAttribute(name).Get()
        return len(values or ()) == len(self.GetJointOrder())

    def GetJointWorldBindTransforms(self) -> Any:
        return self._prim.GetAttribute("bindTransforms").Get() or _MATRICES()

    def _joints(self, space: str, time: Any, at_rest: bool = False) -> Any:
        path = str(self._prim.GetPath())
        stage = self._prim._checked().stage
        found = stage.joint_transforms([path], code(time), space=space, at_rest=at_rest)
        for entry in found:
            if entry.transforms is not None:
                return _MATRICES._of(entry.transforms)
        return _MATRICES()

    def ComputeJointLocalTransforms(self, time: Any = None, atRest: bool = False) -> Any:
        return self._joints("local", time, atRest)

    def ComputeJointSkelTransforms(self, time: Any = None, atRest: bool = False) -> Any:
        return self._joints("skel", time, atRest)

    def ComputeJointWorldTransforms(self, cache: Any, atRest: bool = False) -> Any:
        """At the time of an XformCache."""
        return self._joints("world", cache.GetTime(), atRest)

    def ComputeSkinningTransforms(self, time: Any = None) -> Any:
        return self._joints("skinning", time)

    def ComputeJointRestRelativeTransforms(self, time: Any = None) -> Any:
        local = np.asarray(self._joints("local", time))
        rest = self._prim.GetAttribute("restTransforms").Get()
        if rest is None or len(local) != len(rest):
            return _MATRICES()
        return _MATRICES._of(local @ np.linalg.inv(np.asarray(rest)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SkeletonQuery) and self._prim == other._prim

    def __hash__(self) -> int:
        return hash(self._prim)


class SkinningQuery(PrimQuery):
    """How a prim is deformed. Corresponds to UsdSkel.SkinningQuery."""

    def __init__(self, prim: Any = None, skeleton: SkeletonQuery | None = None) -> None:
        super().__init__(prim)
        self._skeleton = skeleton

    def _primvar(self, name: str) -> Any:
        api = _class("UsdGeom", "PrimvarsAPI")(self._prim)
        return api.FindPrimvarWithInheritance(f"primvars:skel:{name}")

    def GetJointIndicesPrimvar(self) -> Any:
        return self._primvar("jointIndices")

    def GetJointWeightsPrimvar(self) -> Any:
        return self._primvar("jointWeights")

    def HasJointInfluences(self) -> bool:
        both = (self.GetJointIndicesPrimvar(), self.GetJointWeightsPrimvar())
        return all(primvar and primvar.HasAuthoredValue() for primvar in both)

    def HasBlendShapes(self) -> bool:
        shapes = self._prim.GetAttribute("skel:blendShapes")
        targets = self._prim.GetRelationship("skel:blendShapeTargets")
        return bool(shapes.HasAuthoredValue() and targets.GetTargets())

    def GetInterpolation(self) -> str:
        found = self.GetJointIndicesPrimvar()
        return str(found.GetInterpolation()) if found else "constant"

    def IsRigidlyDeformed(self) -> bool:
        return self.GetInterpolation() == "constant"

    def GetNumInfluencesPerComponent(self) -> int:
        found = self.GetJointIndicesPrimvar()
        return int(found.GetElementSize()) if found else 1

    def GetBlendShapesAttr(self) -> Any:
        """Invalid if the prim has no blend shapes, as is the relationship of their targets."""
        return self._prim.GetAttribute("skel:blendShapes") if self.HasBlendShapes() else Attribute()

    def GetBlendShapeTargetsRel(self) -> Any:
        if not self.HasBlendShapes():
            return Relationship()
        return self._prim.GetRelationship("skel:blendShapeTargets")

    def GetBlendShapeOrder(self) -> Any:
        return (self.GetBlendShapesAttr().Get() if self.HasBlendShapes() else None) or _TOKENS()

    def GetGeomBindTransformAttr(self) -> Any:
        return self._primvar("geomBindTransform").GetAttr()

    def GetGeomBindTransform(self, time: Any = None) -> Any:
        found = self._primvar("geomBindTransform")
        value = found.Get(time) if found else None
        return Matrix4d(1) if value is None else value

    def GetSkinningMethodAttr(self) -> Any:
        return self._primvar("skinningMethod").GetAttr()

    def GetSkinningMethod(self) -> str:
        found = self._primvar("skinningMethod")
        return (found.Get() if found else None) or "classicLinear"

    def GetJointOrder(self) -> Any:
        """The prim's own order of joints; None if it uses that of the skeleton."""
        attribute = self._prim.GetAttribute("skel:joints")
        return attribute.Get() if attribute.HasAuthoredValue() else None

    def GetJointMapper(self) -> Any:
        own = self.GetJointOrder()
        if own is None or self._skeleton is None:
            return None
        return AnimMapper(self._skeleton.GetJointOrder(), own)

    GetMapper = GetJointMapper

    def GetBlendShapeMapper(self) -> Any:
        animation = self._skeleton.GetAnimQuery() if self._skeleton is not None else None
        order = animation.GetBlendShapeOrder() if animation else ()
        return AnimMapper(order, self.GetBlendShapeOrder())

    def GetTimeSamples(self) -> list[float]:
        found = [self.GetJointIndicesPrimvar(), self.GetJointWeightsPrimvar()]
        found.append(self._primvar("geomBindTransform"))
        return sorted({time for primvar in found if primvar for time in primvar.GetTimeSamples()})

    def GetTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return [time for time in self.GetTimeSamples() if interval.Contains(time)]

    def ComputeJointInfluences(self, time: Any = None) -> Any:
        """(indices, weights); None if they do not fit together."""
        indices = self.GetJointIndicesPrimvar().ComputeFlattened(time)
        weights = self.GetJointWeightsPrimvar().ComputeFlattened(time)
        if indices is None or weights is None or len(indices) != len(weights):
            return None
        return indices, weights

    def ComputeVaryingJointInfluences(self, numPoints: int, time: Any = None) -> Any:
        found = self.ComputeJointInfluences(time)
        if found is None or not self.IsRigidlyDeformed():
            return found
        kinds = (_INTS, _FLOATS)
        tiled = (np.tile(np.asarray(part), numPoints) for part in found)
        return tuple(kind._of(part) for kind, part in zip(kinds, tiled))

    def _mapped(self, xforms: Any) -> Any:
        mapper = self.GetJointMapper()
        return xforms if mapper is None else mapper.RemapTransforms(xforms)

    def ComputeSkinnedPoints(self, xforms: Any, points: Any, time: Any = None) -> bool:
        """Moves the points by the skinning transforms, in place."""
        found = self.ComputeVaryingJointInfluences(len(points), time)
        if found is None:
            return False
        count = self.GetNumInfluencesPerComponent()
        bind = self.GetGeomBindTransform(time)
        return utils.SkinPointsLBS(bind, self._mapped(xforms), *found, count, points)

    def ComputeSkinnedTransform(self, xforms: Any, time: Any = None) -> Any:
        found = self.ComputeJointInfluences(time)
        if found is None or not self.IsRigidlyDeformed():
            return None
        bind = self.GetGeomBindTransform(time)
        return utils.SkinTransformLBS(bind, self._mapped(xforms), *found)

    def ComputeExtentsPadding(self, skelRestXforms: Any, boundable: Any) -> float:
        extent = boundable.GetExtentAttr().Get()
        if extent is None or not len(skelRestXforms):
            return 0.0
        joints = utils.ComputeJointsExtent(skelRestXforms)
        low = [a - b for a, b in zip(joints.min, extent[0])]
        high = [a - b for a, b in zip(extent[1], joints.max)]
        return max(0.0, *low, *high)


class Binding:
    """A skeleton and the prims that it deforms. Corresponds to UsdSkel.Binding."""

    def __init__(self, skeleton: Any = None, targets: Any = ()) -> None:
        self._skeleton = skeleton
        self._targets = list(targets)

    def GetSkeleton(self) -> Any:
        return self._skeleton

    def GetSkinningTargets(self) -> list[SkinningQuery]:
        return self._targets


class Cache:
    """Corresponds to UsdSkel.Cache. What it answers, the daemon keeps."""

    def Clear(self) -> None:
        """Nothing to do: what was read is dropped when the stage changes."""

    def Populate(self, root: Any, *_: Any) -> bool:
        return bool(root)

    def GetAnimQuery(self, anim: Any = None, prim: Any = None) -> AnimQuery:
        found = (anim if anim is not None else prim).GetPrim()
        return AnimQuery(found) if found and utils.IsSkelAnimationPrim(found) else AnimQuery()

    def GetSkelQuery(self, skel: Any) -> SkeletonQuery:
        prim = skel.GetPrim()
        if not prim or not prim.IsA("Skeleton"):
            return SkeletonQuery()
        return SkeletonQuery(prim, self._animation_of(prim))

    def _animation_of(self, prim: Any) -> AnimQuery:
        walked = prim
        while walked and not walked.IsPseudoRoot():
            rel = walked.GetRelationship("skel:animationSource")
            if rel.HasAuthoredTargets():
                targets = rel.GetForwardedTargets()
                source = prim.GetStage().GetPrimAtPath(targets[0]) if targets else None
                return self.GetAnimQuery(source) if source and source.IsActive() else AnimQuery()
            walked = walked.GetParent()
        return AnimQuery()

    def GetSkinningQuery(self, prim: Any) -> SkinningQuery:
        found = prim.GetPrim()
        if not found or not utils.IsSkinnablePrim(found):
            return SkinningQuery()
        skeleton = _class("UsdSkel", "BindingAPI")(found).GetInheritedSkeleton()
        return SkinningQuery(found, self.GetSkelQuery(skeleton) if skeleton else None)

    def ComputeSkelBindings(self, skelRoot: Any, *_: Any) -> list[Binding]:
        """The skeletons at and below a SkelRoot with what they deform, in the order of prims."""
        root = skelRoot.GetPrim()
        stage = root.GetStage()
        by_skeleton: dict[str, list[SkinningQuery]] = {}
        for found in root._checked().stage.skel_bindings([str(root.GetPath())]):
            if found.skeleton:
                query = self.GetSkinningQuery(stage.GetPrimAtPath(found.path))
                by_skeleton.setdefault(found.skeleton, []).append(query)
        kind = _class("UsdSkel", "Skeleton")
        return [
            Binding(kind(stage.GetPrimAtPath(path)), targets)
            for path, targets in by_skeleton.items()
        ]

    def ComputeSkelBinding(self, skelRoot: Any, skel: Any, *_: Any) -> Binding:
        for binding in self.ComputeSkelBindings(skelRoot):
            if binding.GetSkeleton().GetPrim() == skel.GetPrim():
                return binding
        return Binding(skel)
