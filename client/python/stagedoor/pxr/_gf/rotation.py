"""Rotations about an axis: Gf.Rotation."""

from __future__ import annotations

import math
from typing import Any

from stagedoor.pxr._gf.numbers import is_number
from stagedoor.pxr._gf.quaternions import Quat, Quatd, Quaternion
from stagedoor.pxr._gf.vectors import Vec, Vec3d


def quat_of_rows(rows: list[list[float]]) -> Quat:
    """The quaternion of a rotation, whose rows are where the axes go."""
    trace = rows[0][0] + rows[1][1] + rows[2][2]
    largest = max(range(3), key=lambda i: rows[i][i])
    if trace > rows[largest][largest]:
        real = 0.5 * math.sqrt(max(trace + 1, 0.0))
        four = 4 * real
        imaginary = [
            (rows[1][2] - rows[2][1]) / four,
            (rows[2][0] - rows[0][2]) / four,
            (rows[0][1] - rows[1][0]) / four,
        ]
        return Quatd(min(1.0, max(-1.0, real)), *imaginary)
    i = largest
    j, k = (i + 1) % 3, (i + 2) % 3
    q = 0.5 * math.sqrt(max(rows[i][i] - rows[j][j] - rows[k][k] + 1, 0.0)) or 1e-30
    parts = [0.0, 0.0, 0.0]
    parts[i] = q
    parts[j] = (rows[i][j] + rows[j][i]) / (4 * q)
    parts[k] = (rows[k][i] + rows[i][k]) / (4 * q)
    real = (rows[j][k] - rows[k][j]) / (4 * q)
    return Quatd(min(1.0, max(-1.0, real)), *parts)


class Rotation:
    """A rotation by an angle in degrees about an axis."""

    def __init__(self, *values: Any) -> None:
        self._axis, self._angle = Vec3d(1, 0, 0), 0.0
        if len(values) == 1 and isinstance(values[0], Rotation):
            self._axis, self._angle = Vec3d(values[0]._axis), values[0]._angle
        elif len(values) == 1:
            self.SetQuat(values[0])
        elif len(values) == 2 and is_number(values[1]):
            self.SetAxisAngle(values[0], values[1])
        elif len(values) == 2:
            self.SetRotateInto(values[0], values[1])

    def SetAxisAngle(self, axis: Any, angle: float) -> Rotation:
        self._axis, self._angle = Vec3d(axis).GetNormalized(), float(angle)
        return self

    def SetQuat(self, quat: Quat) -> Rotation:
        length = Vec3d(quat.imaginary).GetLength()
        if length > 1e-10:
            x = 2 * math.degrees(math.acos(max(-1.0, min(1.0, quat.real))))
            return self.SetAxisAngle(Vec3d(quat.imaginary) / length, x)
        return self.SetIdentity()

    def SetIdentity(self) -> Rotation:
        return self.SetAxisAngle(Vec3d(1, 0, 0), 0.0)

    def SetRotateInto(self, source: Any, target: Any) -> Rotation:
        a, b = Vec3d(source).GetNormalized(), Vec3d(target).GetNormalized()
        cosine = a * b
        if cosine > 0.9999999:
            return self.SetIdentity()
        if cosine < -0.9999999:
            axis = a ^ Vec3d(1, 0, 0)
            if axis.GetLength() < 1e-5:
                axis = a ^ Vec3d(0, 1, 0)
            return self.SetAxisAngle(axis.GetNormalized(), 180)
        return self.SetAxisAngle(a ^ b, math.degrees(math.acos(cosine)))

    @property
    def axis(self) -> Vec:
        return self._axis

    @property
    def angle(self) -> float:
        return self._angle

    def GetAxis(self) -> Vec:
        return self._axis

    def GetAngle(self) -> float:
        return self._angle

    def GetQuat(self) -> Quat:
        half = math.radians(self._angle) / 2
        return Quatd(math.cos(half), self._axis * math.sin(half)).GetNormalized()

    def GetQuaternion(self) -> Quat:
        return Quaternion(self.GetQuat())

    def GetInverse(self) -> Rotation:
        return Rotation(self._axis, -self._angle)

    def TransformDir(self, direction: Any) -> Vec:
        from stagedoor.pxr._gf.matrices import Matrix4d

        found: Vec = Matrix4d().SetRotate(self).TransformDir(direction)
        return found

    def Decompose(self, axis0: Any, axis1: Any, axis2: Any) -> Vec:
        """The angles about three orthogonal axes that make up the rotation, the last one first."""
        from stagedoor.pxr._gf.matrices import Matrix4d

        axes = [Vec3d(axis).GetNormalized() for axis in (axis2, axis1, axis0)]
        hand = 1.0 if (axes[0] ^ axes[1]) * axes[2] > 0 else -1.0
        rotated = [Matrix4d().SetRotate(self).TransformDir(axis) for axis in axes]
        m = [[rotated[i] * axes[j] for j in range(3)] for i in range(3)]
        cosine = math.hypot(m[0][0], m[0][1])
        middle = math.atan2(-m[0][2], cosine)
        if cosine > 16 * 1e-15:
            first, last = math.atan2(m[1][2], m[2][2]), math.atan2(m[0][1], m[0][0])
        else:
            first, last = math.atan2(-m[2][1], m[1][1]), 0.0
        return Vec3d(*(hand * math.degrees(angle) for angle in (last, middle, first)))

    def __mul__(self, other: Any) -> Rotation:
        if is_number(other):
            return Rotation(self._axis, self._angle * other)
        return Rotation((other.GetQuat() * self.GetQuat()).GetNormalized())

    __rmul__ = __mul__

    def __truediv__(self, other: float) -> Rotation:
        return Rotation(self._axis, self._angle / other)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Rotation)
            and self._axis == other._axis
            and self._angle == other._angle
        )

    def __hash__(self) -> int:
        return hash((self._axis, self._angle))

    def __repr__(self) -> str:
        return f"Gf.Rotation({self._axis!r}, {self._angle!r})"

    def __str__(self) -> str:
        from stagedoor.pxr._gf.numbers import text

        return f"[{self._axis} {text(self._angle)}]"
