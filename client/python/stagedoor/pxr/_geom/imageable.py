"""The methods of UsdGeom.Imageable and Xformable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stagedoor.pxr._geom.xform_op import _TYPES, INVERSE, RESET, XformOp
from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._usd.ahead import ask
from stagedoor.pxr._usd.time_code import code


def world_transform(prim: Any, time: Any) -> Any:
    """The local-to-world matrix; that of the nearest ancestor for prims without one."""
    return _transform(prim, time, local=False)


def local_transform(prim: Any, time: Any) -> Any:
    return _transform(prim, time, local=True)


def _transform(prim: Any, time: Any, local: bool) -> Any:
    handle, moment = prim._checked(), code(time)
    if handle.path == "/":
        return Matrix4d(1)
    stage = handle.stage
    found = ask(
        handle,
        ("transform", moment, local),
        lambda paths: stage.transforms(paths, moment, local=local),
    )
    return Matrix4d._of(found.copy())


def visibility_of(prim: Any, time: Any) -> Any:
    """Whether the prim is visible, and its purpose, with what is inherited."""
    handle, moment = prim._checked(), code(time)
    stage = handle.stage
    return ask(handle, ("visibility", moment), lambda paths: stage.visibility(paths, moment))


class PurposeInfo:
    """A purpose, and whether descendants inherit it."""

    def __init__(self, purpose: str = "", isInheritable: bool = False) -> None:
        self.purpose = purpose
        self.isInheritable = isInheritable

    def GetInheritablePurpose(self) -> str:
        return self.purpose if self.isInheritable else ""

    def __bool__(self) -> bool:
        return bool(self.purpose)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PurposeInfo) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]


def _own_purpose(prim: Any) -> str:
    """The purpose that is authored on a prim that may have one; empty without one."""
    attribute = prim.GetAttribute("purpose")
    authored = prim.IsA("Imageable") and attribute.HasAuthoredValue()
    return str(attribute.Get()) if authored else ""


class ImageableMethods:
    """The methods of UsdGeom.Imageable."""

    _prim: Any
    PurposeInfo = PurposeInfo

    @staticmethod
    def GetOrderedPurposeTokens() -> list[str]:
        return ["default", "render", "proxy", "guide"]

    def ComputeVisibility(self, time: Any = None, *, parentVisibility: str | None = None) -> str:
        """With that of the parent, only the prim itself is asked."""
        if parentVisibility is not None:
            own = self._prim.GetAttribute("visibility")
            hides = self._prim.IsA("Imageable") and own.Get(time) == "invisible"
            return "invisible" if hides else parentVisibility
        visible = bool(visibility_of(self._prim, time).visible)
        return "inherited" if visible else "invisible"

    def ComputePurpose(self, *_: Any) -> str:
        return str(visibility_of(self._prim, None).purpose)

    def ComputePurposeInfo(self, parentPurposeInfo: Any = None) -> Any:
        """The purpose, and whether it is inherited; perhaps with that of the parent given."""
        if parentPurposeInfo is not None:
            own = _own_purpose(self._prim)
            if own:
                return PurposeInfo(own, True)
            given = parentPurposeInfo
            return given if given.isInheritable else PurposeInfo("default", False)
        prim = self._prim
        while prim and not prim.IsPseudoRoot():
            own = _own_purpose(prim)
            if own:
                return PurposeInfo(own, True)
            prim = prim.GetParent()
        return PurposeInfo(self.ComputePurpose(), False)

    def ComputeEffectiveVisibility(self, purpose: str = "default", time: Any = None) -> str:
        handle, moment = self._prim._checked(), code(time)
        stage = handle.stage
        found = ask(
            handle,
            ("effective", purpose, moment),
            lambda paths: stage.effective_visibility(paths, purpose, moment),
        )
        return str(found)

    def GetPurposeVisibilityAttr(self, purpose: str = "default") -> Any:
        name = "visibility" if purpose == "default" else f"{purpose}Visibility"
        return self._prim.GetAttribute(name)

    def ComputeProxyPrim(self) -> Any:
        """A tuple of the proxy and the prim that it replaces; None without one."""
        handle = self._prim._checked()
        found = ask(handle, "proxy", handle.stage.proxy_prims)
        if found is None:
            return None
        stage = self._prim.GetStage()
        return stage.GetPrimAtPath(found.path), stage.GetPrimAtPath(found.render_prim)

    def ComputeLocalToWorldTransform(self, time: Any = None) -> Any:
        return world_transform(self._prim, time)

    def ComputeParentToWorldTransform(self, time: Any = None) -> Any:
        return world_transform(self._prim.GetParent(), time)

    def _bound(self, method: str, time: Any, purposes: tuple[Any, ...]) -> Any:
        from stagedoor.pxr._geom.caches import BBoxCache

        cache = BBoxCache(time, [purpose for purpose in purposes if purpose])
        return getattr(cache, method)(self._prim)

    def ComputeWorldBound(self, time: Any, *purposes: str) -> Any:
        return self._bound("ComputeWorldBound", time, purposes)

    def ComputeLocalBound(self, time: Any, *purposes: str) -> Any:
        return self._bound("ComputeLocalBound", time, purposes)

    def ComputeUntransformedBound(self, time: Any, *purposes: str) -> Any:
        return self._bound("ComputeUntransformedBound", time, purposes)


def ordered_ops(prim: Any) -> list[XformOp]:
    """The operations in xformOpOrder that count: those after the last reset."""
    names = list(prim.GetAttribute("xformOpOrder").Get() or [])
    if RESET in names:
        names = names[len(names) - names[::-1].index(RESET) :]
    found = []
    for name in names:
        inverse = name.startswith(INVERSE)
        op = XformOp(prim.GetAttribute(name[len(INVERSE) :] if inverse else name), inverse)
        if op:
            found.append(op)
    return found


def resets_stack(prim: Any) -> bool:
    return RESET in (prim.GetAttribute("xformOpOrder").Get() or [])


def _op_getter(op_type: str) -> Callable[..., XformOp]:
    def get(self: Any, opSuffix: str = "", isInverseOp: bool = False) -> XformOp:
        return self._op(op_type, opSuffix, isInverseOp)

    return get


class XformableMethods:
    """The methods of UsdGeom.Xformable."""

    _prim: Any

    def GetOrderedXformOps(self) -> list[XformOp]:
        return ordered_ops(self._prim)

    def _op(self, op_type: str, suffix: str, inverse: bool) -> XformOp:
        name = f"xformOp:{op_type}:{suffix}" if suffix else f"xformOp:{op_type}"
        return XformOp(self._prim.GetAttribute(name), inverse)

    def GetXformOp(self, opType: Any, opSuffix: str = "", isInverseOp: bool = False) -> XformOp:
        return self._op(XformOp.GetOpTypeToken(opType), opSuffix, isInverseOp)

    def GetResetXformStack(self) -> bool:
        return resets_stack(self._prim)

    def GetLocalTransformation(self, *arguments: Any) -> Any:
        """The matrix of the prim's own operations: of all, or of those that are given."""
        given = next((found for found in arguments if isinstance(found, (list, tuple))), None)
        time = next((found for found in arguments if found is not given), None)
        if given is None:
            return local_transform(self._prim, time)
        made = Matrix4d(1)
        for op in reversed(given):
            made = made * op.GetOpTransform(time)
        return made

    def GetTimeSamples(self, *_: Any) -> list[float]:
        times = (op.GetTimeSamples() for op in self.GetOrderedXformOps())
        return sorted({time for found in times for time in found})

    def GetTimeSamplesInInterval(self, interval: Any, *_: Any) -> list[float]:
        return [time for time in self.GetTimeSamples() if interval.Contains(time)]

    def TransformMightBeTimeVarying(self, *_: Any) -> bool:
        return any(op.MightBeTimeVarying() for op in self.GetOrderedXformOps())

    @staticmethod
    def IsTransformationAffectedByAttrNamed(name: str) -> bool:
        return name == "xformOpOrder" or name.startswith("xformOp:")


for _token, _enum in _TYPES.items():
    setattr(XformableMethods, f"Get{_enum.name[4:]}Op", _op_getter(_token))


class XformCommonMethods:
    """The methods of UsdGeom.XformCommonAPI that read translation, rotation and scale."""

    _prim: Any

    def _compatible(self) -> bool:
        return bool(self._prim) and self._parts() is not None

    def _parts(self) -> dict[str, XformOp] | None:
        """The operations by their part in the common order; None if they are others."""
        found: dict[str, XformOp] = {}
        order = ["translate", "pivot", "rotate", "scale", "inverse"]
        at = 0
        for op in ordered_ops(self._prim):
            part = self._part_of(op)
            if part not in order[at:]:
                return None
            at = order.index(part) + 1
            found[part] = op
        return None if ("pivot" in found) != ("inverse" in found) else found

    @staticmethod
    def _part_of(op: XformOp) -> str:
        op_type, suffix = op._type(), ":".join(op.SplitName()[2:])
        if op_type == "translate" and suffix == "pivot":
            return "inverse" if op.IsInverseOp() else "pivot"
        if op.IsInverseOp() or suffix:
            return ""
        return "rotate" if op_type.startswith("rotate") and len(op_type) == 9 else op_type

    def GetXformVectors(self, time: Any) -> tuple[Any, ...]:
        """(translation, rotation, scale, pivot, rotation order) at a time."""
        from stagedoor.pxr._gf.vectors import Vec3d, Vec3f

        parts = self._parts()
        if parts is None:
            return _decomposed(local_transform(self._prim, time))
        values = {name: op.Get(time) for name, op in parts.items()}
        name = parts["rotate"]._type() if "rotate" in parts else "rotateXYZ"
        turn, scale = (values.get(part) for part in ("rotate", "scale"))
        # Rotations and scales of other types do not count, as in OpenUSD.
        return (
            Vec3d(values.get("translate") or 0),
            turn if isinstance(turn, Vec3f) else Vec3f(0),
            scale if isinstance(scale, Vec3f) else Vec3f(1),
            Vec3f(values.get("pivot") or 0),
            _ROTATION_ORDERS[name[6:]],
        )

    def GetResetXformStack(self) -> bool:
        return resets_stack(self._prim)

    def GetRotationOrder(self) -> Any:
        return self.GetXformVectors(None)[4]


def _decomposed(matrix: Any) -> tuple[Any, ...]:
    """The vectors of a matrix whose operations are not the common ones, for GetXformVectors."""
    from stagedoor.pxr._gf.vectors import Vec3d, Vec3f

    _, _, scale, turn, translation, _ = matrix.Factor()
    axes = (Vec3d.ZAxis(), Vec3d.YAxis(), Vec3d.XAxis())
    angles = turn.GetOrthonormalized().ExtractRotation().Decompose(*axes)
    rotation = Vec3f(angles[2], angles[1], angles[0])
    return translation, rotation, Vec3f(scale), Vec3f(0), _ROTATION_ORDERS["XYZ"]


def _rotation_orders() -> dict[str, Any]:
    from stagedoor.pxr._enum import Enum

    names = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
    return {
        name: Enum(f"UsdGeom.XformCommonAPI.RotationOrder{name}", number)
        for number, name in enumerate(names)
    }


_ROTATION_ORDERS = _rotation_orders()
for _name, _enum in _ROTATION_ORDERS.items():
    setattr(XformCommonMethods, f"RotationOrder{_name}", _enum)
