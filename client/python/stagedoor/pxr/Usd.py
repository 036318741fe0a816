"""Usd: stages, prims, attributes and relationships."""

from typing import Any as _Any

from stagedoor.pxr._errors import ReadOnlyError as _ReadOnlyError
from stagedoor.pxr._usd.collections import METHODS as _METHODS
from stagedoor.pxr._usd.collections import CollectionMethods as _CollectionMethods
from stagedoor.pxr._usd.resolve_info import SOURCES as _SOURCES
from stagedoor.pxr._usd.schemas import SCHEMA_KINDS as _SCHEMA_KINDS
from stagedoor.pxr._usd.schemas import make_classes as _make_classes
from stagedoor.pxr._usd.stage import (
    _INTERPOLATIONS,
)

globals().update(_make_classes("Usd", _METHODS))
globals().update(_SOURCES)
InterpolationTypeHeld = _INTERPOLATIONS["held"]
InterpolationTypeLinear = _INTERPOLATIONS["linear"]
SchemaKind = type("SchemaKind", (), dict(_SCHEMA_KINDS))
ComputeIncludedPathsFromCollection = _CollectionMethods.ComputeIncludedPaths
ComputeIncludedObjectsFromCollection = _CollectionMethods.ComputeIncludedObjects


def GetVersion() -> tuple[int, int, int]:
    """The version of OpenUSD whose classes these are like."""
    return (0, 26, 11)


class EditContext:
    """Edits are not made here."""

    def __init__(self, *_: _Any) -> None:
        raise _ReadOnlyError("Usd.EditContext")


class EditTarget(EditContext):
    """Edits are not made here."""


class Notice:
    """Notices are not sent: `stagedoor.Stage.watch` tells what changes."""

    class ObjectsChanged:
        """Never sent."""

    class StageContentsChanged:
        """Never sent."""


__all__ = [
    *("Attribute", "AttributeQuery", "ComputeIncludedObjectsFromCollection", "EditContext"),
    *("ComputeIncludedPathsFromCollection", "EditTarget", "GetVersion", "InterpolationTypeHeld"),
    *("InterpolationTypeLinear", "LoadWithDescendants", "LoadWithoutDescendants", "Notice"),
    *("Object", "Prim", "PrimAllPrimsPredicate", "PrimDefaultPredicate", "PrimTypeInfo"),
    *("PrimHasDefiningSpecifier", "PrimIsAbstract", "PrimIsActive", "PrimIsDefined"),
    *("PrimIsGroup", "PrimIsInstance", "PrimIsLoaded", "PrimIsModel", "PrimRange", "Property"),
    *("Relationship", "ResolveInfo", "SchemaKind", "SchemaRegistry", "Stage", "TimeCode"),
    *("StagePopulationMask", "TraverseInstanceProxies", "UsdCollectionMembershipQuery"),
    *("VariantSet", "VariantSets"),
]
