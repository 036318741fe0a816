"""Functions of UsdSkel: transforms of joints, influences, skinning."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor.pxr._errors import ErrorException
from stagedoor.pxr._gf.matrices import Matrix4d, rotation_rows
from stagedoor.pxr._gf.quaternions import Quatf
from stagedoor.pxr._gf.rotation import quat_of_rows
from stagedoor.pxr._gf.vectors import Vec3f, Vec3h
from stagedoor.pxr._vt.arrays import ARRAYS
from stagedoor.types import Array

_MATRICES: Any = ARRAYS["Matrix4dArray"]
_VEC3F: Any = ARRAYS["Vec3fArray"]
_VEC3H: Any = ARRAYS["Vec3hArray"]
_QUATF: Any = ARRAYS["QuatfArray"]
_INTS: Any = ARRAYS["IntArray"]
_FLOATS: Any = ARRAYS["FloatArray"]


def IsSkelAnimationPrim(prim: Any) -> bool:
    return bool(prim.IsA("SkelAnimation"))


def IsSkinnablePrim(prim: Any) -> bool:
    return bool(prim.IsA("Boundable") and not prim.IsA("SkelRoot") and not prim.IsA("Skeleton"))


# --------------------------------------------------------------------------------------- transforms


def MakeTransform(translate: Any, rotate: Any, scale: Any) -> Any:
    """scale, then rotate, then translate."""
    made = np.eye(4)
    turn = np.array(rotation_rows(rotate), np.float32).astype(np.float64)  # single, as in OpenUSD
    made[:3, :3] = np.array(list(scale))[:, None] * turn
    made[3, :3] = list(translate)
    return Matrix4d._of(made)


def MakeTransforms(translations: Any, rotations: Any, scales: Any) -> Any:
    parts = zip(translations, rotations, scales)
    made = [MakeTransform(*part)._m for part in parts]
    return _MATRICES._of(np.array(made).reshape(-1, 4, 4))


def DecomposeTransform(matrix: Any) -> tuple[Any, Any, Any]:
    """(translation, rotation, scale) of a matrix without shear."""
    ok, _, scale, rotation, translation, _ = Matrix4d(matrix).Factor()
    if not ok:
        raise ErrorException("cannot decompose a singular matrix")
    rotation.Orthonormalize()
    quat = quat_of_rows(rotation._m[:3, :3].tolist())
    return Vec3f(translation), Quatf(quat), Vec3h(scale)


def DecomposeTransforms(matrices: Any) -> tuple[Any, Any, Any]:
    parts = [DecomposeTransform(matrix) for matrix in matrices]
    return (
        _VEC3F([part[0] for part in parts]),
        _QUATF([part[1] for part in parts]),
        _VEC3H([part[2] for part in parts]),
    )


def ConcatJointTransforms(topology: Any, jointLocalXforms: Any, *rest: Any) -> Any:
    """The transforms of joints in the space of the skeleton, from those relative to parents."""
    local = np.asarray(jointLocalXforms)
    root = next((one for one in rest if hasattr(one, "_m")), None)
    made = np.array(local)
    for index, parent in enumerate(topology._parents):
        if parent >= 0:
            made[index] = local[index] @ made[parent]
        elif root is not None:
            made[index] = local[index] @ root._m
    return type(jointLocalXforms)._of(made)


def ComputeJointLocalTransforms(topology: Any, xforms: Any, *rest: Any) -> Any:
    """The transforms of joints relative to their parents, from those in skeleton space."""
    skel = np.asarray(xforms)
    inverses = next((np.asarray(one) for one in rest if hasattr(one, "_a")), None)
    inverses = np.linalg.inv(skel) if inverses is None else inverses
    root = next((one for one in rest if hasattr(one, "_m")), None)
    made = np.array(skel)
    for index, parent in enumerate(topology._parents):
        if parent >= 0:
            made[index] = skel[index] @ inverses[parent]
        elif root is not None:
            made[index] = skel[index] @ root._m
    return type(xforms)._of(made)


def ComputeJointsExtent(xforms: Any, pad: float = 0.0, *_: Any) -> Any:
    """The range that contains the pivots of joints."""
    from stagedoor.pxr._gf.ranges import Range3f

    points = np.asarray(xforms)[:, 3, :3].astype(np.float32)
    if not len(points):
        return Range3f()
    low, high = points.min(axis=0) - pad, points.max(axis=0) + pad
    return Range3f(low.tolist(), high.tolist())


# --------------------------------------------------------------------------------------- influences


def _fits(array: Any, count: int) -> bool:
    """Whether an array has `count` influences for each component."""
    return count > 0 and len(array) % count == 0


def NormalizeWeights(weights: Any, numInfluencesPerComponent: int, eps: float = 1e-6) -> bool:
    """Makes the weights of each component add up to 1, in place."""
    if not _fits(weights, numInfluencesPerComponent):
        return False
    array = np.array(weights).reshape(-1, numInfluencesPerComponent)
    sums = array.sum(axis=1, keepdims=True)
    made = np.where(np.abs(sums) > eps, array / np.where(sums == 0, 1, sums), 0)
    weights[:] = made.reshape(-1).tolist()
    return True


def SortInfluences(*arguments: Any) -> bool:
    """Sorts the influences of each component by weight, the greatest first, in place."""
    if len(arguments) == 3:
        indices, weights, count = arguments
        i, w = (np.array(one).reshape(-1, count) for one in (indices, weights))
        order = np.argsort(-w, axis=1, kind="stable")
        indices[:] = np.take_along_axis(i, order, 1).reshape(-1).tolist()
        weights[:] = np.take_along_axis(w, order, 1).reshape(-1).tolist()
        return True
    interleaved, count = arguments
    data = np.array(interleaved).reshape(-1, count, 2)
    order = np.argsort(-data[:, :, 1], axis=1, kind="stable")
    made = np.take_along_axis(data, order[:, :, None], 1).reshape(-1, 2)
    interleaved[:] = made.tolist()
    return True


def InterleaveInfluences(indices: Any, weights: Any, interleaved: Any = None) -> Any:
    pairs = np.stack([np.asarray(indices), np.asarray(weights)], axis=1).astype(np.float32)
    made = ARRAYS["Vec2fArray"]._of(pairs)  # type: ignore[attr-defined]
    if interleaved is None:
        return made
    interleaved._a, interleaved._owned = made._a, True
    return True


def ExpandConstantInfluencesToVarying(array: Any, size: int) -> bool:
    """Repeats the influences of a component `size` times, in place."""
    array._a, array._owned = np.tile(np.asarray(array), size), True
    return True


def ResizeInfluences(array: Any, srcNum: int, newNum: int) -> bool:
    """Drops or adds influences of each component, in place; weights are normalized again."""
    if not _fits(array, srcNum) or newNum <= 0:
        return False
    data = np.asarray(array).reshape(-1, srcNum)
    made = np.zeros((len(data), newNum), data.dtype)
    common = min(srcNum, newNum)
    made[:, :common] = data[:, :common]
    array._a, array._owned = made.reshape(-1), True
    if newNum < srcNum and array._a.dtype == np.float32:
        NormalizeWeights(array, newNum)
    return True


# ----------------------------------------------------------------------------------------- skinning


def _blended(matrices: Array, indices: Array, weights: Array) -> Array:
    """For each component, the matrices of its joints, added with their weights."""
    return np.asarray(np.einsum("ni,nijk->njk", weights, matrices[indices]))


def SkinPointsLBS(
    geomBindTransform: Any, jointXforms: Any, *influences: Any, inSerial: bool = False
) -> bool:
    """Moves points by joints, in place. Influences are indices, weights and a number; or pairs."""
    *parts, count, points = (one for one in influences if not isinstance(one, bool))
    indices, weights = _indices_and_weights(parts, count)
    matrices = np.asarray(jointXforms).astype(np.float64)
    rest = np.asarray(points, np.float64) @ geomBindTransform._m[:3, :3]
    rest = rest + geomBindTransform._m[3, :3]
    if len(indices) != len(rest):
        return False
    moved = np.einsum("nj,njk->nk", _homogeneous(rest), _blended(matrices, indices, weights))
    points._a, points._owned = moved[:, :3].astype(np.float32), True
    return True


def _homogeneous(points: Array) -> Array:
    return np.concatenate([points, np.ones((len(points), 1))], axis=1)


def _indices_and_weights(parts: list[Any], count: int) -> tuple[Array, Array]:
    if len(parts) == 1:
        pairs = np.asarray(parts[0]).reshape(-1, count, 2)
        return pairs[:, :, 0].astype(int), pairs[:, :, 1].astype(np.float64)
    indices, weights = parts
    return (
        np.asarray(indices).reshape(-1, count),
        np.asarray(weights, np.float64).reshape(-1, count),
    )


def SkinTransformLBS(
    geomBindTransform: Any, jointXforms: Any, jointIndices: Any, jointWeights: Any
) -> Any:
    """The transform of a prim that moves as a whole."""
    pivot = geomBindTransform._m[3, :3]
    corners = np.concatenate([pivot[None], pivot + geomBindTransform._m[:3, :3]])
    matrices = np.asarray(jointXforms).astype(np.float64)
    weights = np.asarray(jointWeights, np.float64)
    blend = np.einsum("i,ijk->jk", weights, matrices[np.asarray(jointIndices)])
    moved = (_homogeneous(corners) @ blend)[:, :3]
    made = np.eye(4)
    made[:3, :3] = moved[1:] - moved[0]
    made[3, :3] = moved[0]
    return Matrix4d._of(made)


def ApplyBlendShape(weight: float, offsets: Any, *rest: Any) -> bool:
    """Adds offsets to points, in place: of all points, or of those that indices name."""
    *indices, points = rest
    made = np.array(points)
    scaled = np.asarray(offsets) * np.float32(weight)
    if indices and len(indices[0]):
        np.add.at(made, np.asarray(indices[0]), scaled)
    elif len(scaled) == len(made):
        made += scaled
    else:
        return False
    points._a, points._owned = made, True
    return True
