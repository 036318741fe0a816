"""Sdf: paths, layers, types and values."""

from typing import Any as _Any

from stagedoor.pxr._errors import authoring as _authoring
from stagedoor.pxr._sdf.layer import Layer
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.specs import (
    AttributeSpec,
    PrimSpec,
    PropertySpec,
    RelationshipSpec,
    Spec,
)
from stagedoor.pxr._sdf.types import SPEC_TYPES as _SPEC_TYPES
from stagedoor.pxr._sdf.types import (
    AssetPath,
    AssetPathArray,
    LayerOffset,
    ListOp,
    PathArray,
    PathExpression,
    PathExpressionArray,
    Payload,
    PermissionPrivate,
    PermissionPublic,
    Reference,
    SpecifierClass,
    SpecifierDef,
    SpecifierOver,
    TimeCode,
    TimeCodeArray,
    ValueBlock,
    VariabilityUniform,
    VariabilityVarying,
)
from stagedoor.pxr._sdf.value_types import ValueTypeName, ValueTypeNames

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
