"""Methods of UsdSkel.BindingAPI, BlendShape, Root and so on."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._vt.arrays import ARRAYS

_VEC3F: Any = ARRAYS["Vec3fArray"]
_INBETWEEN = "inbetweens:"


def _class(module: str, name: str) -> Any:
    return getattr(__import__(f"stagedoor.pxr.{module}", fromlist=["_"]), name)


class BindingMethods:
    """The methods of UsdSkel.BindingAPI."""

    _prim: Any

    def _primvar(self, name: str) -> Any:
        return _class("UsdGeom", "Primvar")(self._prim.GetAttribute(f"primvars:skel:{name}"))

    def GetJointIndicesPrimvar(self) -> Any:
        return self._primvar("jointIndices")

    def GetJointWeightsPrimvar(self) -> Any:
        return self._primvar("jointWeights")

    def _target(self, prim: Any, name: str) -> Any:
        """The prim that a relationship names; None if it is not authored."""
        rel = prim.GetRelationship(name)
        if not rel.HasAuthoredTargets():
            return None
        targets = rel.GetForwardedTargets()
        return prim.GetStage().GetPrimAtPath(targets[0]) if targets else _class("Usd", "Prim")()

    def _inherited(self, name: str) -> Any:
        walked = self._prim
        while walked and not walked.IsPseudoRoot():
            found = self._target(walked, name)
            if found is not None:
                return found
            walked = walked.GetParent()
        return None

    def GetSkeleton(self) -> Any:
        """The skeleton that the prim itself names; None without one."""
        found = self._target(self._prim, "skel:skeleton")
        return _class("UsdSkel", "Skeleton")(found) if found else None

    def GetInheritedSkeleton(self) -> Any:
        found = self._inherited("skel:skeleton")
        made = _class("UsdSkel", "Skeleton")
        return made(found) if found and found.IsA("Skeleton") else made()

    def GetAnimationSource(self) -> Any:
        return self._target(self._prim, "skel:animationSource")

    def GetInheritedAnimationSource(self) -> Any:
        found = self._inherited("skel:animationSource")
        return found if found is not None else _class("Usd", "Prim")()

    @staticmethod
    def ValidateJointIndices(indices: Any, numJoints: int) -> tuple[bool, str]:
        for place, index in enumerate(indices):
            if not 0 <= index < numJoints:
                return False, (
                    f"Index [{index}] at element {place} is not in the range [0,{numJoints})"
                )
        return True, ""


class FindMethods:
    """`Find`, which UsdSkel.Root and Skeleton have."""

    @classmethod
    def Find(cls, prim: Any) -> Any:
        """The SkelRoot at or above a prim."""
        walked = prim
        while walked and not walked.IsPseudoRoot():
            if walked.IsA(cls):
                return cls(walked)  # type: ignore[call-arg]
            walked = walked.GetParent()
        return cls()


class InbetweenShape:
    """A shape between the rest and a blend shape. Corresponds to UsdSkel.InbetweenShape."""

    def __init__(self, attr: Any = None) -> None:
        self._attr = attr

    @staticmethod
    def IsInbetween(attr: Any) -> bool:
        name = attr.GetName()
        return name.startswith(_INBETWEEN) and not name.endswith(":normalOffsets")

    def GetAttr(self) -> Any:
        return self._attr

    def IsDefined(self) -> bool:
        return bool(self._attr) and InbetweenShape.IsInbetween(self._attr)

    def __bool__(self) -> bool:
        return self._attr is not None and self.IsDefined()

    def GetWeight(self) -> Any:
        return self._attr.GetMetadata("weight")

    def HasAuthoredWeight(self) -> bool:
        return bool(self._attr.HasMetadata("weight"))

    def GetOffsets(self) -> Any:
        return self._attr.Get()

    def GetNormalOffsetsAttr(self) -> Any:
        return self._attr.GetPrim().GetAttribute(f"{self._attr.GetName()}:normalOffsets")

    def GetNormalOffsets(self) -> Any:
        return self.GetNormalOffsetsAttr().Get()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, InbetweenShape) and self._attr == other._attr

    def __hash__(self) -> int:
        return hash(self._attr)


class BlendShapeMethods:
    """The methods of UsdSkel.BlendShape."""

    _prim: Any

    def GetInbetween(self, name: str) -> InbetweenShape:
        return InbetweenShape(self._prim.GetAttribute(_INBETWEEN + name))

    def HasInbetween(self, name: str) -> bool:
        return bool(self.GetInbetween(name))

    def GetInbetweens(self) -> list[InbetweenShape]:
        found = self._prim.GetPropertiesInNamespace("inbetweens")
        return [InbetweenShape(one) for one in found if InbetweenShape.IsInbetween(one)]

    def GetAuthoredInbetweens(self) -> list[InbetweenShape]:
        return [shape for shape in self.GetInbetweens() if shape.GetAttr().IsAuthored()]

    @staticmethod
    def ValidatePointIndices(indices: Any, numPoints: int) -> tuple[bool, str]:
        return BindingMethods.ValidateJointIndices(indices, numPoints)


class AnimationMethods:
    """The methods of UsdSkel.Animation."""

    _prim: Any

    def GetTransforms(self, time: Any = None) -> Any:
        from stagedoor.pxr._skel.queries import AnimQuery

        return AnimQuery(self._prim).ComputeJointLocalTransforms(time)


METHODS: dict[str, type] = {
    "Animation": AnimationMethods,
    "BindingAPI": BindingMethods,
    "BlendShape": BlendShapeMethods,
    "Root": FindMethods,
}
