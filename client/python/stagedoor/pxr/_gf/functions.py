"""Functions of Gf."""

from __future__ import annotations

import math
from typing import Any

from stagedoor.pxr._gf.matrices import Matrix
from stagedoor.pxr._gf.numbers import is_number
from stagedoor.pxr._gf.quaternions import Dot as _quat_dot
from stagedoor.pxr._gf.quaternions import Quat
from stagedoor.pxr._gf.vectors import MIN_LENGTH, Vec


def IsClose(left: Any, right: Any, epsilon: float) -> bool:
    """Whether numbers, vectors, quaternions or matrices differ by at most `epsilon`."""
    if is_number(left):
        return bool(abs(left - right) < epsilon)
    if isinstance(left, Matrix):
        return left.IsClose(right, epsilon)
    if isinstance(left, Quat):
        pairs = zip(left._numbers(), right._numbers())
        return all(abs(a - b) < epsilon for a, b in pairs)
    if hasattr(left, "isAuto"):
        return bool(left.IsClose(right, epsilon))
    difference = [a - b for a, b in zip(left, right)]
    return math.sqrt(sum(value * value for value in difference)) <= epsilon


def Dot(left: Any, right: Any) -> Any:
    return _quat_dot(left, right) if isinstance(left, Quat) else left * right


def Cross(left: Vec, right: Any) -> Vec:
    return left.GetCross(right)


def GetLength(vector: Vec) -> float:
    return vector.GetLength()


def GetNormalized(value: Any, eps: float = MIN_LENGTH) -> Any:
    return value.GetNormalized(eps)


def Normalize(value: Any, eps: float = MIN_LENGTH) -> float:
    length: float = value.Normalize(eps)
    return length


def GetProjection(left: Vec, right: Any) -> Vec:
    return left.GetProjection(right)


def GetComplement(left: Vec, right: Any) -> Vec:
    return left.GetComplement(right)


def CompMult(left: Vec, right: Any) -> Vec:
    return type(left)(*(a * b for a, b in zip(left._v, list(right))))


def CompDiv(left: Vec, right: Any) -> Vec:
    return type(left)(*(a / b for a, b in zip(left._v, list(right))))


def RadiansToDegrees(radians: float) -> float:
    return math.degrees(radians)


def DegreesToRadians(degrees: float) -> float:
    return math.radians(degrees)


def Lerp(alpha: float, left: Any, right: Any) -> Any:
    return left * (1.0 - alpha) + right * alpha


def Clamp(value: float, low: float, high: float) -> float:
    return low if value < low else high if value > high else value


def Abs(value: float) -> float:
    return abs(value)


def Sqr(value: Any) -> Any:
    return value * value


def Sqrt(value: float) -> float:
    return math.sqrt(value)


def Floor(value: float) -> float:
    return float(math.floor(value))


def Ceil(value: float) -> float:
    return float(math.ceil(value))


def Round(value: float) -> float:
    return float(math.floor(value + 0.5))


def Mod(value: float, divisor: float) -> float:
    return math.fmod(math.fmod(value, divisor) + divisor, divisor) if divisor else value


def Min(*values: Any) -> Any:
    return min(values)


def Max(*values: Any) -> Any:
    return max(values)


def Sgn(value: float) -> int:
    return (value > 0) - (value < 0)


def Exp(value: float) -> float:
    return math.exp(value)


def Log(value: float) -> float:
    return math.log(value)


def Pow(base: float, exponent: float) -> float:
    return float(base**exponent)


def ApplyGamma(color: Vec, gamma: float) -> Vec:
    return type(color)(*(value**gamma for value in color._v))


def ConvertLinearToDisplay(color: Vec) -> Vec:
    return ApplyGamma(color, 1.0 / 2.2)


def ConvertDisplayToLinear(color: Vec) -> Vec:
    return ApplyGamma(color, 2.2)


__all__ = [
    *("Abs", "ApplyGamma", "Ceil", "Clamp", "CompDiv", "CompMult", "ConvertDisplayToLinear"),
    *("ConvertLinearToDisplay", "Cross", "DegreesToRadians", "Dot", "Exp", "Floor"),
    *("GetComplement", "GetLength", "GetNormalized", "GetProjection", "IsClose", "Lerp", "Log"),
    *("Max", "Min", "Mod", "Normalize", "Pow", "RadiansToDegrees", "Round", "Sgn"),
    *("Sqr", "Sqrt"),
]
