"""UsdGeom: geometry, transforms, bounds, primvars and cameras."""

from stagedoor.pxr._errors import authoring as _authoring
from stagedoor.pxr._geom import imageable as _imageable
from stagedoor.pxr._geom import others as _others
from stagedoor.pxr._geom import point_based as _point_based
from stagedoor.pxr._geom.caches import BBoxCache, XformCache
from stagedoor.pxr._geom.others import (
    ConstraintTarget,
    GetFallbackUpAxis,
    GetStageMetersPerUnit,
    GetStageUpAxis,
    LinearUnits,
    LinearUnitsAre,
    StageHasAuthoredMetersPerUnit,
)
from stagedoor.pxr._geom.primvar import Primvar
from stagedoor.pxr._geom.primvar import PrimvarsMethods as _PrimvarsMethods
from stagedoor.pxr._geom.xform_op import _TYPES as _OP_TYPES
from stagedoor.pxr._geom.xform_op import RESET as _RESET
from stagedoor.pxr._geom.xform_op import XformOp
from stagedoor.pxr._usd.schemas import make_classes as _make_classes

_METHODS = {
    "BasisCurves": _point_based.BasisCurvesMethods,
    "Boundable": _point_based.BoundableMethods,
    "Camera": _others.CameraMethods,
    "Curves": _point_based.CurvesMethods,
    "Imageable": _imageable.ImageableMethods,
    "Mesh": _point_based.MeshMethods,
    "ModelAPI": _others.ModelMethods,
    "MotionAPI": _point_based.MotionMethods,
    "PointBased": _point_based.PointBasedMethods,
    "PointInstancer": _point_based.PointInstancerMethods,
    "Points": _point_based.PointsMethods,
    "PrimvarsAPI": _PrimvarsMethods,
    "Subset": _others.SubsetMethods,
    "TetMesh": _point_based.TetMeshMethods,
    "XformCommonAPI": _imageable.XformCommonMethods,
    "Xformable": _imageable.XformableMethods,
}
globals().update(_make_classes("UsdGeom", _METHODS))
XformOpTypes = type(
    "XformOpTypes",
    (),
    {**{token: token for token in _OP_TYPES}, "resetXformStack": _RESET},
)
SetStageUpAxis = _authoring("SetStageUpAxis").__get__(XformCache)
SetStageMetersPerUnit = _authoring("SetStageMetersPerUnit").__get__(XformCache)
