"""Gf: vectors, matrices, rotations, ranges and cameras."""

from stagedoor.pxr._gf.camera import Camera, Frustum
from stagedoor.pxr._gf.functions import *  # noqa: F403
from stagedoor.pxr._gf.matrices import MATRICES as _MATRICES
from stagedoor.pxr._gf.quaternions import Quatd, Quaternion, Quatf, Quath, Slerp
from stagedoor.pxr._gf.ranges import RANGES as _RANGES
from stagedoor.pxr._gf.ranges import BBox3d, Interval
from stagedoor.pxr._gf.rotation import Rotation
from stagedoor.pxr._gf.vectors import MIN_LENGTH as MIN_VECTOR_LENGTH
from stagedoor.pxr._gf.vectors import VECTORS as _VECTORS
from stagedoor.pxr._sdf.types import TimeCode

globals().update({**_VECTORS, **_MATRICES, **_RANGES})
