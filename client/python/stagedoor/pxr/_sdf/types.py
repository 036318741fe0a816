"""Enums, small values and list edits of Sdf."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._vt.arrays import text_class

SpecifierDef = Enum("Sdf.SpecifierDef", 0, "Def")
SpecifierOver = Enum("Sdf.SpecifierOver", 1, "Over")
SpecifierClass = Enum("Sdf.SpecifierClass", 2, "Class")
SPECIFIERS = {"def": SpecifierDef, "over": SpecifierOver, "class": SpecifierClass}
VariabilityVarying = Enum("Sdf.VariabilityVarying", 0, "Varying")
VariabilityUniform = Enum("Sdf.VariabilityUniform", 1, "Uniform")
VARIABILITIES = {"varying": VariabilityVarying, "uniform": VariabilityUniform}
PermissionPublic = Enum("Sdf.PermissionPublic", 0, "Public")
PermissionPrivate = Enum("Sdf.PermissionPrivate", 1, "Private")
SPEC_TYPES = {
    "attribute": Enum("Sdf.SpecTypeAttribute", 1),
    "prim": Enum("Sdf.SpecTypePrim", 6),
    "pseudo_root": Enum("Sdf.SpecTypePseudoRoot", 7),
    "relationship": Enum("Sdf.SpecTypeRelationship", 8),
    "variant": Enum("Sdf.SpecTypeVariant", 10),
    "variant_set": Enum("Sdf.SpecTypeVariantSet", 11),
}


class AssetPath:
    """An asset path, with what it resolves to. Corresponds to Sdf.AssetPath."""

    __slots__ = ("_authored", "_evaluated", "_resolved")
    _authored: str
    _evaluated: str
    _resolved: str

    def __init__(
        self,
        authoredPath: Any = "",
        resolvedPath: str = "",
        evaluatedPath: str = "",
    ) -> None:
        if isinstance(authoredPath, AssetPath):
            self._authored, self._evaluated = authoredPath._authored, authoredPath._evaluated
            self._resolved = authoredPath._resolved
        else:
            self._authored, self._resolved = authoredPath, resolvedPath
            self._evaluated = evaluatedPath

    @property
    def path(self) -> str:
        return self._evaluated or self._authored

    @property
    def authoredPath(self) -> str:
        return self._authored

    @property
    def evaluatedPath(self) -> str:
        return self._evaluated

    @property
    def resolvedPath(self) -> str:
        return self._resolved

    def _key(self) -> tuple[str, str, str]:
        return self._authored, self._evaluated, self._resolved

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AssetPath) and self._key() == other._key()

    def __lt__(self, other: AssetPath) -> bool:
        return self._key() < other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return f"@{self.path}@"

    def __repr__(self) -> str:
        parts = {
            "authoredPath": self._authored,
            "evaluatedPath": self._evaluated,
            "resolvedPath": self._resolved,
        }
        given = {name: value for name, value in parts.items() if value or name == "authoredPath"}
        return f"Sdf.AssetPath({', '.join(f'{name}={value!r}' for name, value in given.items())})"


class TimeCode(float):
    """The value of an attribute of type timecode: Sdf.TimeCode, which is Gf.TimeCode as well."""

    __slots__ = ()

    def GetValue(self) -> float:
        return float(self)

    def __repr__(self) -> str:
        return f"Gf.TimeCode({float(self):.17g})"

    def __str__(self) -> str:
        return f"{float(self):g}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, float)) and float(self) == float(other)

    def __hash__(self) -> int:
        return hash(float(self))

    def __add__(self, other: Any) -> TimeCode:
        return TimeCode(float(self) + float(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> TimeCode:
        return TimeCode(float(self) - float(other))

    def __mul__(self, other: Any) -> TimeCode:
        return TimeCode(float(self) * float(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> TimeCode:
        return TimeCode(float(self) / float(other))


class PathExpression:
    """An expression that matches paths. It is held, not evaluated."""

    def __init__(self, text: str = "") -> None:
        self._expression = text

    def GetText(self) -> str:
        return self._expression

    def IsEmpty(self) -> bool:
        return not self._expression

    def __bool__(self) -> bool:
        return bool(self._expression)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PathExpression) and self._expression == other._expression

    def __hash__(self) -> int:
        return hash(self._expression)

    def __repr__(self) -> str:
        return f"Sdf.PathExpression({self._expression!r})"

    def __str__(self) -> str:
        return self._expression


class ValueBlock:
    """The opinion that a value is missing. Corresponds to Sdf.ValueBlock."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ValueBlock)

    def __hash__(self) -> int:
        return hash(ValueBlock)

    def __repr__(self) -> str:
        return "Sdf.ValueBlock"


class LayerOffset:
    """outer time = inner time × scale + offset. Corresponds to Sdf.LayerOffset."""

    def __init__(self, offset: float = 0.0, scale: float = 1.0) -> None:
        self.offset = float(offset)
        self.scale = float(scale)

    def IsIdentity(self) -> bool:
        return self == LayerOffset()

    def IsValid(self) -> bool:
        return all(abs(value) != float("inf") and value == value for value in self._key())

    def GetInverse(self) -> LayerOffset:
        scale = 1.0 / self.scale if self.scale else float("inf")
        return LayerOffset(-self.offset * scale, scale)

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, LayerOffset):
            return LayerOffset(self.scale * other.offset + self.offset, self.scale * other.scale)
        kind = TimeCode if isinstance(other, TimeCode) else float
        return kind(float(other) * self.scale + self.offset)

    def _key(self) -> tuple[float, float]:
        return self.offset, self.scale

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LayerOffset) and all(
            abs(a - b) < 1e-6 for a, b in zip(self._key(), other._key())
        )

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        if self._key() == (0.0, 1.0):
            return "Sdf.LayerOffset()"
        scale = f", {self.scale!r}" if self.scale != 1 else ""
        return f"Sdf.LayerOffset({self.offset!r}{scale})"


class _Arc:
    """The common part of references and payloads."""

    _name = ""

    def __init__(
        self,
        assetPath: str = "",
        primPath: Any = "",
        layerOffset: LayerOffset | None = None,
        customData: dict[str, Any] | None = None,
    ) -> None:
        self.assetPath = assetPath
        self.primPath = Path(primPath)
        self.layerOffset = layerOffset or LayerOffset()
        self.customData = dict(customData or {})

    def _key(self) -> tuple[Any, ...]:
        return self.assetPath, self.primPath, self.layerOffset, sorted(self.customData)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Arc) and self._name == other._name and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.assetPath, self.primPath))

    def __repr__(self) -> str:
        parts = [repr(self.assetPath)] if self.assetPath else []
        if self.primPath:
            parts.append(f"primPath={self.primPath!r}" if not parts else repr(self.primPath))
        if not self.layerOffset.IsIdentity():
            parts.append(f"layerOffset={self.layerOffset!r}")
        if self.customData:
            parts.append(f"customData={self.customData!r}")
        return f"Sdf.{self._name}({', '.join(parts)})"


class Reference(_Arc):
    """Corresponds to Sdf.Reference."""

    _name = "Reference"

    def IsInternal(self) -> bool:
        return not self.assetPath


class Payload(_Arc):
    """Corresponds to Sdf.Payload."""

    _name = "Payload"


_LISTS = ("explicit", "prepended", "appended", "deleted", "added", "ordered")


class ListOp:
    """A list edit. Corresponds to Sdf.TokenListOp and its like."""

    def __init__(self, isExplicit: bool = False, **lists: Iterable[Any]) -> None:
        self.isExplicit = isExplicit
        for name in _LISTS:
            setattr(self, f"{name}Items", list(lists.get(name, ())))

    def GetAddedOrExplicitItems(self) -> tuple[Any, ...]:
        names = ("explicit",) if self.isExplicit else ("prepended", "appended", "added")
        found: list[Any] = []
        for name in names:
            found += [item for item in getattr(self, f"{name}Items") if item not in found]
        return tuple(found)

    GetAppliedItems = GetAddedOrExplicitItems

    def HasKeys(self) -> bool:
        return self.isExplicit or any(getattr(self, f"{name}Items") for name in _LISTS)

    def HasItem(self, item: Any) -> bool:
        return any(item in getattr(self, f"{name}Items") for name in _LISTS)

    def ApplyOperations(self, items: Iterable[Any] = ()) -> list[Any]:
        """The items of a weaker opinion, edited."""
        lists = {name: getattr(self, f"{name}Items") for name in _LISTS}
        if self.isExplicit:
            return list(lists["explicit"])
        found = [item for item in items if item not in lists["deleted"]]
        found += [item for item in lists["added"] if item not in found]
        for name, front in (("prepended", True), ("appended", False)):
            found = [item for item in found if item not in lists[name]]
            found = lists[name] + found if front else found + lists[name]
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ListOp) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        parts = [
            f"{name.capitalize()} Items: {getattr(self, f'{name}Items')!r}"
            for name in _LISTS
            if getattr(self, f"{name}Items") or (name == "explicit" and self.isExplicit)
        ]
        return f"SdfListOp({', '.join(parts)})"


AssetPathArray = text_class("AssetPathArray", AssetPath)
PathArray = text_class("PathArray", Path)
TimeCodeArray = text_class("TimeCodeArray", lambda value: TimeCode(value or 0), "Vt")
PathExpressionArray = text_class(
    "PathExpressionArray",
    lambda value: value if isinstance(value, PathExpression) else PathExpression(value),
)
