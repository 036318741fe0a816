"""Usd: stages, prims, attributes and relationships."""

from typing import Any as _Any

from stagedoor.pxr._errors import ReadOnlyError as _ReadOnlyError
from stagedoor.pxr._usd.collections import METHODS as _METHODS
from stagedoor.pxr._usd.collections import CollectionMethods as _CollectionMethods
from stagedoor.pxr._usd.collections import MembershipQuery as UsdCollectionMembershipQuery
from stagedoor.pxr._usd.composition import CompositionArc, PrimCompositionQuery
from stagedoor.pxr._usd.objects import Object
from stagedoor.pxr._usd.predicates import (
    PrimAllPrimsPredicate,
    PrimDefaultPredicate,
    PrimHasDefiningSpecifier,
    PrimIsAbstract,
    PrimIsActive,
    PrimIsDefined,
    PrimIsGroup,
    PrimIsInstance,
    PrimIsLoaded,
    PrimIsModel,
    TraverseInstanceProxies,
)
from stagedoor.pxr._usd.prim import Prim
from stagedoor.pxr._usd.prim_range import PrimRange
from stagedoor.pxr._usd.properties import Attribute, AttributeQuery, Property, Relationship
from stagedoor.pxr._usd.registry import PrimTypeInfo, SchemaRegistry
from stagedoor.pxr._usd.resolve_info import SOURCES as _SOURCES
from stagedoor.pxr._usd.resolve_info import ResolveInfo
from stagedoor.pxr._usd.schemas import SCHEMA_KINDS as _SCHEMA_KINDS
from stagedoor.pxr._usd.schemas import make_classes as _make_classes
from stagedoor.pxr._usd.stage import (
    _INTERPOLATIONS,
    LoadWithDescendants,
    LoadWithoutDescendants,
    Stage,
    StagePopulationMask,
)
from stagedoor.pxr._usd.time_code import TimeCode
from stagedoor.pxr._usd.variants import VariantSet, VariantSets

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
