"""Gf: vectors, matrices, rotations, ranges and cameras."""

from stagedoor.pxr._gf import functions as _functions
from stagedoor.pxr._gf.functions import *  # noqa: F403
from stagedoor.pxr._gf.matrices import MATRICES as _MATRICES
from stagedoor.pxr._gf.ranges import RANGES as _RANGES
from stagedoor.pxr._gf.vectors import VECTORS as _VECTORS

globals().update({**_VECTORS, **_MATRICES, **_RANGES})

__all__ = [
    *("BBox3d", "Camera", "Frustum", "Interval", "MIN_VECTOR_LENGTH"),
    *("Quatd", "Quaternion", "Quatf", "Quath", "Rotation"),
    *_functions.__all__,
    *_VECTORS,
    *_MATRICES,
    *_RANGES,
]
