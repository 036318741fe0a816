"""Matrices: Gf.Matrix2d to Gf.Matrix4f. They act on row vectors: p' = p * M."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from stagedoor.pxr._gf.numbers import DTYPES, is_number, text
from stagedoor.pxr._gf.quaternions import Quat, Quatd
from stagedoor.pxr._gf.rotation import Rotation, quat_of_rows
from stagedoor.pxr._gf.vectors import VECTORS, Vec
from stagedoor.types import Array

M = TypeVar("M", bound="Matrix")
M4 = TypeVar("M4", bound="_Matrix4")


class Matrix:
    """A square matrix; `m[1]` is its second row, `m[1, 2]` and `m[1][2]` an element."""

    __slots__ = ("_m",)
    dimension = (0, 0)
    letter = "d"
    _row: type[Vec] = Vec

    def __init__(self, *values: Any) -> None:
        n = self.dimension[0]
        dtype = DTYPES[self.letter]
        if not values:
            self._m = np.eye(n, dtype=dtype)
        elif len(values) == 1 and is_number(values[0]):
            self._m = np.eye(n, dtype=dtype) * dtype(values[0])
        elif len(values) == 1 and isinstance(values[0], Vec):
            self._m = np.diag(np.array(values[0]._v, dtype))
        elif len(values) == 1:
            self._m = np.array(_rows(values[0]), dtype).reshape(n, n).copy()
        elif len(values) == n * n:
            self._m = np.array(values, dtype).reshape(n, n)
        else:
            self._m = np.array([list(row) for row in values], dtype).reshape(n, n)

    @classmethod
    def _of(cls: type[M], array: Array) -> M:
        """That of an array of its shape and type. Keeps the array unless it is read-only."""
        made = cls.__new__(cls)
        made._m = array if array.flags.writeable else array.copy()
        return made

    def _like(self: M, array: Any) -> M:
        return type(self)._of(np.asarray(array, DTYPES[self.letter]))

    # ------------------------------------------------------------------------------ as a sequence

    def __len__(self) -> int:
        return self.dimension[0]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, tuple):
            if len(index) != 2:
                raise IndexError("an element has a row and a column")
            return self._m[index].item()
        return self._row._of(self._m[index].tolist())

    def __setitem__(self, index: Any, value: Any) -> None:
        self._m[index] = value if is_number(value) else list(value)

    def __contains__(self, value: object) -> bool:
        return bool((self._m == value).any())

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Matrix)
            and self._m.shape == other._m.shape
            and bool((self._m == other._m).all())
        )

    def __hash__(self) -> int:
        return hash(tuple(self._m.ravel().tolist()))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.array(self._m, dtype or self._m.dtype)

    def __repr__(self) -> str:
        rows = [", ".join(map(repr, row)) for row in self._m.tolist()]
        name = f"Gf.{type(self).__name__}("
        return name + (",\n" + " " * len(name)).join(rows) + ")"

    def __str__(self) -> str:
        rows = [
            f"({', '.join(text(value, self.letter) for value in row)})" for row in self._m.tolist()
        ]
        return f"( {', '.join(rows)} )"

    def __copy__(self: M) -> M:
        return self._of(self._m.copy())

    def __deepcopy__(self: M, _: Any) -> M:
        return self._of(self._m.copy())

    def __reduce__(self) -> Any:
        return type(self), tuple(self._m.ravel().tolist())

    # -------------------------------------------------------------------------------- arithmetic

    def __add__(self: M, other: M) -> M:
        return self._like(self._m + other._m)

    def __sub__(self: M, other: M) -> M:
        return self._like(self._m - other._m)

    def __neg__(self: M) -> M:
        return self._like(-self._m)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Matrix):
            return self._like(_product(self._m, other._m))
        if is_number(other):
            return self._like(self._m * other)
        if isinstance(other, Vec) and other.dimension == len(self):
            return type(other)(
                *(sum(a * b for a, b in zip(row, other._v)) for row in self._m.tolist())
            )
        return NotImplemented

    def __rmul__(self, other: Any) -> Any:
        if is_number(other):
            return self._like(self._m * other)
        if isinstance(other, (Vec, tuple, list)) and len(other) == len(self):
            kind = type(other) if isinstance(other, Vec) else self._row
            columns, values = self._m.T.tolist(), [other[i] for i in range(len(other))]
            return kind(*(sum(a * b for a, b in zip(values, column)) for column in columns))
        return NotImplemented

    def __truediv__(self: M, other: Any) -> M:
        if isinstance(other, Matrix):
            return self._like(self._m @ np.linalg.inv(other._m))
        return self._like(self._m / other)

    # ----------------------------------------------------------------------------------- methods

    def Set(self: M, *values: Any) -> M:
        self._m = type(self)(*values)._m
        return self

    def SetIdentity(self: M) -> M:
        return self.Set(1)

    def SetZero(self: M) -> M:
        return self.Set(0)

    def SetDiagonal(self: M, value: Any) -> M:
        return self.Set(value)

    def Get(self) -> Any:
        return tuple(tuple(row) for row in self._m.tolist())

    def GetRow(self, index: int) -> Vec:
        return self._row._of(self._m[index].tolist())

    def GetColumn(self, index: int) -> Vec:
        return self._row._of(self._m[:, index].tolist())

    def SetRow(self, index: int, row: Any) -> None:
        self._m[index] = list(row)

    def SetColumn(self, index: int, column: Any) -> None:
        self._m[:, index] = list(column)

    def GetTranspose(self: M) -> M:
        return self._like(self._m.T.copy())

    def GetDeterminant(self) -> float:
        return determinant(self._m.tolist())

    def GetInverse(self: M, eps: float = 0.0) -> M:
        """The inverse; of a singular matrix, one with huge elements, as OpenUSD has it."""
        inverse = inverted(self._m.astype(np.float64), eps)
        if inverse is None:
            inverse = np.eye(len(self)) * float(np.finfo(np.float32).max)
            inverse[3:, 3:] = 1
        return self._like(inverse)

    def IsClose(self, other: M, tolerance: float) -> bool:
        return bool((np.abs(self._m - other._m) <= tolerance).all())


def _product(left: Array, right: Array) -> Array:
    return sum(left[:, k, None] * right[None, k, :] for k in range(len(right)))  # type: ignore[return-value]


def inverted(matrix: Array, eps: float) -> Array | None:
    """The inverse; None if the determinant is not greater than `eps`."""
    n = len(matrix)
    if n == 4 and matrix[3, 3] == 1 and not matrix[:3, 3].any():  # affine, which is the usual case
        linear = inverted(matrix[:3, :3], eps)
        if linear is None:
            return None
        found = np.eye(4)
        found[:3, :3] = linear
        found[3, :3] = -matrix[3, :3] @ linear
        return found
    if n == 3:
        a, b, c = matrix
        cofactors = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
        volume = float(a @ cofactors[:, 0])
        return cofactors / volume if abs(volume) > eps else None
    if abs(determinant(matrix.tolist())) <= eps:
        return None
    return np.asarray(np.linalg.inv(matrix))


def determinant(rows: list[list[float]]) -> float:
    if len(rows) == 1:
        return rows[0][0]
    minors = ([row[:i] + row[i + 1 :] for row in rows[1:]] for i in range(len(rows)))
    return sum((-1) ** i * rows[0][i] * determinant(minor) for i, minor in enumerate(minors))


def _rows(value: Any) -> Any:
    return value._m if isinstance(value, Matrix) else value


class _Rotating(Matrix):
    """A matrix whose upper left part rotates."""

    __slots__ = ()

    def _linear(self) -> Array:
        found: Array = self._m[:3, :3].astype(np.float64)
        return found

    def GetHandedness(self) -> float:
        return float(np.sign(determinant(self._linear().tolist())))

    def IsRightHanded(self) -> bool:
        return self.GetHandedness() == 1

    def IsLeftHanded(self) -> bool:
        return self.GetHandedness() == -1

    def ExtractRotation(self) -> Rotation:
        quat = quat_of_rows(self._linear().tolist())
        return Rotation(quat)

    def ExtractRotationQuat(self) -> Quat:
        return Quatd(self.ExtractRotation().GetQuat())

    def Orthonormalize(self, issueWarning: bool = True) -> bool:
        rows, converged = _orthonormal(self._linear())
        self._m[:3, :3] = rows
        return converged

    def GetOrthonormalized(self: M, issueWarning: bool = True) -> M:
        made = self.__copy__()
        made.Orthonormalize()  # type: ignore[attr-defined]
        return made

    def _set_rotation(self, rotation: Any) -> None:
        quat = rotation if isinstance(rotation, Quat) else rotation.GetQuat()
        self._m[:3, :3] = rotation_rows(quat)


def rotation_rows(quat: Quat) -> list[list[float]]:
    """The matrix of a quaternion, whose rows are where the axes go."""
    r, i, j, k = quat._numbers()
    return [
        [1 - 2 * (j * j + k * k), 2 * (i * j + k * r), 2 * (k * i - j * r)],
        [2 * (i * j - k * r), 1 - 2 * (k * k + i * i), 2 * (j * k + i * r)],
        [2 * (k * i + j * r), 2 * (j * k - i * r), 1 - 2 * (i * i + j * j)],
    ]


def _orthonormal(rows: Array) -> tuple[Array, bool]:
    """Orthonormal axes close to the rows, found by iteration that favours none of them."""
    axes = [_unit(row) for row in rows]
    for _ in range(20):
        moved = []
        for i, axis in enumerate(axes):
            rest = axis.copy()
            for k in (j for j in range(3) if j != i):
                rest -= (axes[k] @ rest) * axes[k]
            moved.append(_unit(0.5 * (axis + rest)))
        change = sum(float((a - b) @ (a - b)) for a, b in zip(axes, moved))
        axes = moved
        if change < 1e-12:
            return np.stack(axes), True
    return np.stack(axes), False


def _unit(vector: Array) -> Array:
    return np.asarray(vector / max(float(np.linalg.norm(vector)), 1e-10))


class _Matrix3(_Rotating):
    __slots__ = ()

    def __init__(self, *values: Any) -> None:
        if len(values) == 1 and isinstance(values[0], (Rotation, Quat)):
            super().__init__()
            self._set_rotation(values[0])
        else:
            super().__init__(*values)

    def SetScale(self: M, scale: Any) -> M:
        return self.Set(scale if is_number(scale) else type(self)._row(scale))

    def SetRotate(self: M, rotation: Any) -> M:
        self.SetIdentity()
        self._set_rotation(rotation)  # type: ignore[attr-defined]
        return self


class _Matrix4(_Rotating):
    """A transform: the last row is the translation."""

    __slots__ = ()

    def __init__(self, *values: Any) -> None:
        if len(values) == 2 and not is_number(values[0]) and len(list(values[1])) == 3:
            super().__init__()
            self.SetTransform(values[0], values[1])
        else:
            super().__init__(*values)

    def SetTranslate(self: M4, translation: Any) -> M4:
        self.SetIdentity()
        return self.SetTranslateOnly(translation)

    def SetTranslateOnly(self: M4, translation: Any) -> M4:
        self._m[3, :3] = list(translation)
        self._m[3, 3] = 1
        return self

    def SetScale(self: M4, scale: Any) -> M4:
        values = [scale] * 3 if is_number(scale) else list(scale)
        self._m = np.diag(np.array([*values, 1], DTYPES[self.letter]))
        return self

    def SetRotate(self: M4, rotation: Any) -> M4:
        self.SetIdentity()
        return self.SetRotateOnly(rotation)

    def SetRotateOnly(self: M4, rotation: Any) -> M4:
        if isinstance(rotation, Matrix):
            self._m[:3, :3] = rotation._m
        else:
            self._set_rotation(rotation)
        return self

    def SetTransform(self: M4, rotation: Any, translation: Any) -> M4:
        return self.SetRotate(rotation).SetTranslateOnly(translation)

    def SetLookAt(self: M4, eye: Any, second: Any, up: Any = None) -> M4:
        """From a point, a target and the upward direction; or from a point and a rotation."""
        if up is None:
            self.SetIdentity()
            self._set_rotation(second.GetInverse())
            move = np.eye(4)
            move[3, :3] = [-value for value in eye]
            self._m = (move @ self._m).astype(self._m.dtype)
            return self
        view = np.array(list(second), float) - np.array(list(eye), float)
        view /= max(float(np.linalg.norm(view)), 1e-10)
        side = np.cross(view, np.array(list(up), float))
        side /= max(float(np.linalg.norm(side)), 1e-10)
        found = np.eye(4)
        found[:3, 0], found[:3, 1], found[:3, 2] = side, np.cross(side, view), -view
        move = np.eye(4)
        move[3, :3] = [-value for value in eye]
        self._m = (move @ found).astype(self._m.dtype)
        return self

    def GetRow3(self, index: int) -> Vec:
        return VECTORS[f"Vec3{self.letter}"]._of(self._m[index, :3].tolist())

    def ExtractTranslation(self) -> Vec:
        return VECTORS[f"Vec3{self.letter}"]._of(self._m[3, :3].tolist())

    def ExtractRotationMatrix(self) -> Matrix:
        return MATRICES[f"Matrix3{self.letter}"]._of(self._m[:3, :3].copy())

    def GetDeterminant3(self) -> float:
        return determinant(self._linear().tolist())

    def HasOrthogonalRows3(self) -> bool:
        a, b, c = self._linear()
        return all(abs(float(dot)) < 1e-6 for dot in (a @ b, a @ c, b @ c))

    def Transform(self, point: Any) -> Vec:
        """The point, divided by w."""
        x, y, z, w = (self._dot(point, column, 1.0) for column in range(4))
        return self._vector()(x / w, y / w, z / w)

    def TransformAffine(self, point: Any) -> Vec:
        return self._vector()(*(self._dot(point, column, 1.0) for column in range(3)))

    def TransformDir(self, direction: Any) -> Vec:
        return self._vector()(*(self._dot(direction, column, 0.0) for column in range(3)))

    def _dot(self, point: Any, column: int, w: float) -> float:
        values = self._m[:, column].tolist()
        return float(sum(a * b for a, b in zip([*point, w], values)))

    def _vector(self) -> type[Vec]:
        return VECTORS[f"Vec3{self.letter}"]

    def RemoveScaleShear(self: M4) -> M4:
        ok, _, _, rotation, translation, _ = self.Factor()
        if not ok:
            return self.__copy__()
        found = self._like(rotation._m.copy())
        return found.SetTranslateOnly(translation)

    def Factor(self, eps: float = 1e-10) -> tuple[Any, ...]:
        """(not singular, r, s, u, t, p): this is r * diagonal(s) * inverse of r * u * t."""
        linear = self._linear()
        squared = linear @ linear.T
        values, vectors = np.linalg.eigh(squared)
        volume = determinant(linear.tolist())
        sign = -1.0 if volume < 0 else 1.0
        singular = bool((values < eps).any())
        scales = sign * np.sqrt(np.maximum(values, eps))
        r = np.eye(4)
        r[:3, :3] = vectors
        inverse = vectors @ np.diag(1.0 / scales) @ vectors.T
        u = np.eye(4)
        u[:3, :3] = inverse @ linear
        vector = VECTORS[f"Vec3{self.letter}"]
        ok = not singular and abs(volume) > eps
        return (
            ok,
            self._like(r),
            vector(*scales.tolist()),
            self._like(u),
            self.ExtractTranslation(),
            type(self)(1),
        )


class _Matrix2(Matrix):
    __slots__ = ()


_BASES: dict[int, type[Matrix]] = {2: _Matrix2, 3: _Matrix3, 4: _Matrix4}


def _make(n: int, letter: str) -> type[Any]:
    scope = {
        "dimension": (n, n),
        "letter": letter,
        "_row": VECTORS[f"Vec{n}{letter}"],
        "__slots__": (),
        "__module__": "stagedoor.pxr.Gf",
    }
    return type(f"Matrix{n}{letter}", (_BASES[n],), scope)


MATRICES: dict[str, type[Any]] = {
    f"Matrix{n}{letter}": _make(n, letter) for n in (2, 3, 4) for letter in "df"
}
Matrix2d, Matrix2f = MATRICES["Matrix2d"], MATRICES["Matrix2f"]
Matrix3d, Matrix3f = MATRICES["Matrix3d"], MATRICES["Matrix3f"]
Matrix4d, Matrix4f = MATRICES["Matrix4d"], MATRICES["Matrix4f"]
