"""Sdf: paths, layers, types and values."""

from typing import Any as _Any

from stagedoor.pxr._errors import authoring as _authoring
from stagedoor.pxr._sdf.layer import (
    Layer,
)
from stagedoor.pxr._sdf.types import SPEC_TYPES as _SPEC_TYPES
from stagedoor.pxr._sdf.types import (
    ListOp,
)
from stagedoor.pxr._sdf.value_types import ValueTypeNames

SpecTypeAttribute = _SPEC_TYPES["attribute"]
SpecTypePrim = _SPEC_TYPES["prim"]
SpecTypePseudoRoot = _SPEC_TYPES["pseudo_root"]
SpecTypeRelationship = _SPEC_TYPES["relationship"]
SpecTypeVariant = _SPEC_TYPES["variant"]
SpecTypeVariantSet = _SPEC_TYPES["variant_set"]
TokenListOp = StringListOp = PathListOp = ReferenceListOp = PayloadListOp = ListOp
IntListOp = Int64ListOp = UIntListOp = UInt64ListOp = ListOp


def Find(layerFileName: str, scenePath: _Any = None) -> _Any:
    """A layer, or a spec of it; None if there is none."""
    layer = Layer.FindOrOpen(layerFileName)
    return layer.GetObjectAtPath(scenePath) if layer and scenePath else layer


def ComputeAssetPathRelativeToLayer(anchor: Layer, assetPath: str) -> str:
    return anchor.ComputeAbsolutePath(assetPath)


def GetTypeForValueTypeName(name: str) -> _Any:
    return ValueTypeNames.Find(name).type


class ChangeBlock:
    """A block in which nothing can change."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: _Any) -> None:
        return None


CreatePrimInLayer = _authoring("CreatePrimInLayer").__get__(Layer)
CreatePrimAttributeInLayer = _authoring("CreatePrimAttributeInLayer").__get__(Layer)
CopySpec = _authoring("CopySpec").__get__(Layer)

__all__ = [
    *("AssetPath", "AssetPathArray", "AttributeSpec", "ChangeBlock", "Find", "Int64ListOp"),
    *("ComputeAssetPathRelativeToLayer", "CopySpec", "CreatePrimAttributeInLayer", "IntListOp"),
    *("CreatePrimInLayer", "GetTypeForValueTypeName", "Layer", "LayerOffset", "ListOp", "Path"),
    *("PathArray", "PathExpression", "PathExpressionArray", "PathListOp", "Payload"),
    *("PayloadListOp", "PermissionPrivate", "PermissionPublic", "PrimSpec", "PropertySpec"),
    *("Reference", "ReferenceListOp", "RelationshipSpec", "Spec", "SpecTypeAttribute"),
    *("SpecTypePrim", "SpecTypePseudoRoot", "SpecTypeRelationship", "SpecTypeVariant"),
    *("SpecTypeVariantSet", "SpecifierClass", "SpecifierDef", "SpecifierOver", "StringListOp"),
    *("TimeCode", "TimeCodeArray", "TokenListOp", "UInt64ListOp", "UIntListOp", "ValueBlock"),
    *("ValueTypeName", "ValueTypeNames", "VariabilityUniform", "VariabilityVarying"),
]
