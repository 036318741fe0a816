"""UsdSkel: skeletons, animation, skinning and blend shapes."""

from stagedoor.pxr._errors import authoring as _authoring
from stagedoor.pxr._skel.queries import AnimQuery, Binding, Cache, SkeletonQuery, SkinningQuery
from stagedoor.pxr._skel.schemas import METHODS as _METHODS
from stagedoor.pxr._skel.schemas import InbetweenShape
from stagedoor.pxr._skel.topology import AnimMapper, Topology
from stagedoor.pxr._skel.utils import (
    ApplyBlendShape,
    ComputeJointLocalTransforms,
    ComputeJointsExtent,
    ConcatJointTransforms,
    DecomposeTransform,
    DecomposeTransforms,
    ExpandConstantInfluencesToVarying,
    InterleaveInfluences,
    IsSkelAnimationPrim,
    IsSkinnablePrim,
    MakeTransform,
    MakeTransforms,
    NormalizeWeights,
    ResizeInfluences,
    SkinPointsLBS,
    SkinTransformLBS,
    SortInfluences,
)
from stagedoor.pxr._usd.schemas import make_classes as _make_classes

globals().update(_make_classes("UsdSkel", _METHODS))
BakeSkinning = _authoring("BakeSkinning").__get__(Cache)
