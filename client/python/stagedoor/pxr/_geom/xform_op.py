"""Transform operations: UsdGeom.XformOp."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._gf.quaternions import Quat
from stagedoor.pxr._gf.rotation import Rotation
from stagedoor.pxr._gf.vectors import Vec3d

_TOKENS = {
    "translate": "Translate",
    "translateX": "TranslateX",
    "translateY": "TranslateY",
    "translateZ": "TranslateZ",
    "scale": "Scale",
    "scaleX": "ScaleX",
    "scaleY": "ScaleY",
    "scaleZ": "ScaleZ",
    "rotateX": "RotateX",
    "rotateY": "RotateY",
    "rotateZ": "RotateZ",
    "rotateXYZ": "RotateXYZ",
    "rotateXZY": "RotateXZY",
    "rotateYXZ": "RotateYXZ",
    "rotateYZX": "RotateYZX",
    "rotateZXY": "RotateZXY",
    "rotateZYX": "RotateZYX",
    "orient": "Orient",
    "transform": "Transform",
}
_TYPES = {
    token: Enum(f"UsdGeom.XformOp.Type{name}", number + 1)
    for number, (token, name) in enumerate(_TOKENS.items())
}
_INVALID = Enum("UsdGeom.XformOp.TypeInvalid", 0)
_PRECISIONS = {
    "d": Enum("UsdGeom.XformOp.PrecisionDouble", 0),
    "f": Enum("UsdGeom.XformOp.PrecisionFloat", 1),
    "h": Enum("UsdGeom.XformOp.PrecisionHalf", 2),
}
INVERSE = "!invert!"
RESET = "!resetXformStack!"


def op_matrix(op_type: str, value: Any, inverse: bool) -> Any:
    """The matrix of an operation with a value, which acts on row vectors."""
    made = _matrix(op_type, value)
    if not inverse:
        return made
    if op_type == "transform":
        return made.GetInverse()
    return _matrix(op_type, value, inverse=True)


def _matrix(op_type: str, value: Any, inverse: bool = False) -> Any:
    sign = -1.0 if inverse else 1.0
    axis = "XYZ".find(op_type[-1:])
    if op_type == "transform":
        return Matrix4d(value)
    if op_type.startswith("translate"):
        move = [0.0, 0.0, 0.0]
        move = [*value] if op_type == "translate" else _along(axis, value, 0.0)
        return Matrix4d().SetTranslate([sign * part for part in move])
    if op_type.startswith("scale"):
        parts = [*value] if op_type == "scale" else _along(axis, value, 1.0)
        if inverse:
            parts = [1.0 / part if part else float("inf") for part in parts]
        return Matrix4d().SetScale(parts)
    if op_type == "orient":
        return Matrix4d().SetRotate(_turn(value, inverse))
    angles = [float(value)] if len(op_type) == 7 else None
    made = Matrix4d(1)
    order = op_type[6:]
    for letter in reversed(order) if inverse else order:
        i = "XYZ".index(letter)
        angle = angles[0] if angles else float(value[i])
        made = made * Matrix4d().SetRotate(Rotation(Vec3d.Axis(i), sign * angle))
    return made


def _along(axis: int, value: float, rest: float) -> list[float]:
    return [float(value) if i == axis else rest for i in range(3)]


def _turn(value: Quat, inverse: bool) -> Rotation:
    turn = Rotation(value)
    return turn.GetInverse() if inverse else turn


class XformOp:
    """An attribute that is an operation, perhaps inverted. Corresponds to UsdGeom.XformOp."""

    TypeInvalid = _INVALID

    def __init__(self, attr: Any = None, isInverseOp: bool = False, *_: Any) -> None:
        self._attr = attr
        self._inverse = isInverseOp

    def GetAttr(self) -> Any:
        return self._attr

    def IsDefined(self) -> bool:
        return bool(self._attr) and self._attr.GetName().startswith("xformOp:")

    def __bool__(self) -> bool:
        return self.IsDefined()

    def GetName(self) -> str:
        return str(self._attr.GetName())

    def GetBaseName(self) -> str:
        return str(self._attr.GetBaseName())

    def GetNamespace(self) -> str:
        return str(self._attr.GetNamespace())

    def SplitName(self) -> list[str]:
        return self.GetName().split(":")

    def GetOpName(self) -> str:
        return f"{INVERSE}{self.GetName()}" if self._inverse else self.GetName()

    def IsInverseOp(self) -> bool:
        return self._inverse

    def _type(self) -> str:
        return self.SplitName()[1]

    def GetOpType(self) -> Enum:
        return _TYPES.get(self._type(), _INVALID)

    def GetTypeName(self) -> Any:
        return self._attr.GetTypeName()

    def GetPrecision(self) -> Enum:
        letter = str(self.GetTypeName()).rstrip("]")[-1:]
        text = str(self.GetTypeName())
        if letter.isdigit() or text in ("float", "double", "half"):
            letter = text[0]
        return _PRECISIONS.get(letter, _PRECISIONS["d"])

    def HasSuffix(self, suffix: str) -> bool:
        return ":".join(self.SplitName()[2:]) == suffix

    def Get(self, time: Any = None) -> Any:
        return self._attr.Get(time)

    def GetTimeSamples(self) -> list[float]:
        return self._attr.GetTimeSamples()

    def GetTimeSamplesInInterval(self, interval: Any) -> list[float]:
        return self._attr.GetTimeSamplesInInterval(interval)

    def GetNumTimeSamples(self) -> int:
        return int(self._attr.GetNumTimeSamples())

    def MightBeTimeVarying(self) -> bool:
        return bool(self._attr.ValueMightBeTimeVarying())

    def GetOpTransform(self, *arguments: Any) -> Any:
        """The matrix at a time; also as a function of the class, of a type, value and inversion."""
        if not isinstance(self, XformOp):
            op_type = next(token for token, found in _TYPES.items() if found == self)
            return op_matrix(op_type, arguments[0], len(arguments) > 1 and arguments[1])
        value = self.Get(*arguments)
        if value is None:
            return Matrix4d(1)
        return op_matrix(self._type(), value, self._inverse)

    @staticmethod
    def GetOpTypeToken(op_type: Enum) -> str:
        return next((token for token, found in _TYPES.items() if found == op_type), "")

    @staticmethod
    def GetOpTypeEnum(token: str) -> Enum:
        return _TYPES.get(token, _INVALID)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, XformOp)
            and self._attr == other._attr
            and self._inverse == other._inverse
        )

    def __hash__(self) -> int:
        return hash((self._attr, self._inverse))

    def __repr__(self) -> str:
        return f"UsdGeom.XformOp({self._attr!r})"


for _enum in (*_TYPES.values(), *_PRECISIONS.values()):
    setattr(XformOp, _enum.name, _enum)
