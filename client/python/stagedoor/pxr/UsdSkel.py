"""UsdSkel: skeletons, animation, skinning and blend shapes."""

from stagedoor.pxr._errors import authoring as _authoring
from stagedoor.pxr._skel.queries import Cache
from stagedoor.pxr._skel.schemas import METHODS as _METHODS
from stagedoor.pxr._skel.topology import Topology
from stagedoor.pxr._usd.schemas import make_classes as _make_classes

globals().update(_make_classes("UsdSkel", _METHODS))
BakeSkinning = _authoring("BakeSkinning").__get__(Cache)

__all__ = [
    *("AnimMapper", "AnimQuery", "ApplyBlendShape", "BakeSkinning", "Binding", "Cache"),
    *("ComputeJointLocalTransforms", "ComputeJointsExtent", "ConcatJointTransforms"),
    *("DecomposeTransform", "DecomposeTransforms", "ExpandConstantInfluencesToVarying"),
    *("InbetweenShape", "InterleaveInfluences", "IsSkelAnimationPrim", "IsSkinnablePrim"),
    *("MakeTransform", "MakeTransforms", "NormalizeWeights", "ResizeInfluences"),
    *("SkeletonQuery", "SkinPointsLBS", "SkinTransformLBS", "SkinningQuery", "SortInfluences"),
    "Topology",
]
