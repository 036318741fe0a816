"""Schema classes such as UsdGeom.Mesh, which are made from a table of their properties.

What the classes do besides is in classes of methods that the modules pass to `make_classes`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._errors import authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._usd.prim import Prim
from stagedoor.pxr._usd.properties import Attribute
from stagedoor.pxr._usd.schema_table import table

# Names of methods that author.
_AUTHORS = re.compile(
    r"(Create|Set|Add|Remove|Clear|Block|Bind|Unbind|Make|Define|Apply)[A-Z]|"
    r"(Define|Apply|Bind|UnapplyAPI)\Z|(Connect|Disconnect)"
)
SCHEMA_KINDS = {
    name: Enum(f"Usd.SchemaKind.{name}", number)
    for number, name in enumerate(
        [
            *("Invalid", "AbstractBase", "AbstractTyped", "ConcreteTyped", "NonAppliedAPI"),
            *("SingleApplyAPI", "MultipleApplyAPI"),
        ]
    )
}


class _SchemaMeta(type):
    """So that authoring methods of classes, such as Mesh.Define, say that there are none."""

    def __getattr__(cls, name: str) -> Any:
        if _AUTHORS.match(name):
            return authoring(name).__get__(cls)
        raise AttributeError(f"{cls.__name__} has no attribute {name!r}")


class SchemaBase(metaclass=_SchemaMeta):
    """A view of a prim as a schema. Corresponds to Usd.SchemaBase."""

    _schema_type = ""
    _schema_kind = "AbstractBase"
    _own_properties: Mapping[str, str] = {}
    _cpp_name = "UsdSchemaBase"

    def __init__(self, prim: Any = None, name: str = "") -> None:
        self._prim = prim.GetPrim() if prim is not None else Prim()
        self._name = name or getattr(prim, "_name", "") if prim is not None else ""

    @classmethod
    def Get(cls, stage: Any, path: Any, name: str = "") -> Any:
        """The schema of a prim, or of a property path with the name of an instance."""
        if not name and cls._schema_kind == "MultipleApplyAPI":
            found = Path(path)
            if found.IsPropertyPath():
                name = cls._instance_of(found.name)
                path = found.GetPrimPath()
        prim = stage if isinstance(stage, Prim) else stage.GetPrimAtPath(path)
        if isinstance(stage, Prim):
            name = str(path)
        return cls(prim, name) if name else cls(prim)

    @classmethod
    def _instance_of(cls, property_name: str) -> str:
        prefix = cls._prefix()
        return property_name[len(prefix) :] if property_name.startswith(prefix) else ""

    @classmethod
    def _prefix(cls) -> str:
        """The prefix of the names of an instance's properties, such as "collection:"."""
        templates = [text for text in cls._own_properties.values() if "{}" in text]
        return templates[0].partition("{}")[0] if templates else ""

    @classmethod
    def GetAll(cls, prim: Any) -> list[Any]:
        """All instances of a multiple-apply schema that are applied to a prim."""
        names = (name.partition(":") for name in prim.GetAppliedSchemas())
        return [cls(prim, instance) for name, _, instance in names if name == cls._schema_type]

    def GetPrim(self) -> Prim:
        return self._prim

    def GetPath(self) -> Path:
        return self._prim.GetPath()

    def GetName(self) -> str:
        return self._name

    @classmethod
    def GetSchemaKind(cls) -> Enum:
        return SCHEMA_KINDS[cls._schema_kind]

    @classmethod
    def IsConcrete(cls) -> bool:
        return cls._schema_kind == "ConcreteTyped"

    @classmethod
    def IsTyped(cls) -> bool:
        return issubclass(cls, Typed)

    @classmethod
    def IsAPISchema(cls) -> bool:
        return issubclass(cls, APISchemaBase)

    @classmethod
    def IsAppliedAPISchema(cls) -> bool:
        return cls._schema_kind in ("SingleApplyAPI", "MultipleApplyAPI")

    @classmethod
    def IsMultipleApplyAPISchema(cls) -> bool:
        return cls._schema_kind == "MultipleApplyAPI"

    @classmethod
    def GetSchemaAttributeNames(cls, includeInherited: bool = True, name: str = "") -> list[str]:
        kinds: Any = reversed(cls.__mro__) if includeInherited else (cls,)
        found: dict[str, None] = {}
        for kind in kinds:
            for getter, text in vars(kind).get("_own_properties", {}).items():
                if getter.endswith("Attr"):
                    found[text.format(name or "__INSTANCE_NAME__")] = None
        return list(found)

    def _compatible(self) -> bool:
        return True

    def __bool__(self) -> bool:
        return bool(self._prim) and self._compatible()

    def _attribute(self, name: str) -> Attribute:
        return self._prim.GetAttribute(name)

    def __getattr__(self, name: str) -> Any:
        if _AUTHORS.match(name):
            return authoring(name).__get__(self)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, SchemaBase)
            and self._prim == other._prim
            and self._name == other._name
        )

    def __hash__(self) -> int:
        return hash((self._prim, self._name))

    def __repr__(self) -> str:
        module = type(self).__module__.rpartition(".")[2]
        name = f", {self._name!r}" if self._name else ""
        return f"{module}.{type(self).__name__}({self._prim!r}{name})"


class Typed(SchemaBase):
    """Corresponds to Usd.Typed."""

    _schema_type = "Typed"
    _cpp_name = "UsdTyped"

    def _compatible(self) -> bool:
        return self._prim.IsA(type(self))


class APISchemaBase(SchemaBase):
    """Corresponds to Usd.APISchemaBase."""

    _schema_type = "APISchemaBase"
    _cpp_name = "UsdAPISchemaBase"

    def _compatible(self) -> bool:
        if self._schema_kind == "MultipleApplyAPI" and not self._name:
            return False
        return not self.IsAppliedAPISchema() or self._prim.HasAPI(type(self), self._name)

    @classmethod
    def CanApply(cls, prim: Prim, name: str = "") -> bool:
        return prim.CanApplyAPI(cls)


_ROOTS: dict[str, type[SchemaBase]] = {
    "Usd.SchemaBase": SchemaBase,
    "Usd.Typed": Typed,
    "Usd.APISchemaBase": APISchemaBase,
}
_made: dict[str, type[SchemaBase]] = dict(_ROOTS)


def _getter(name: str, property_name: str) -> Any:
    relationship = name.endswith("Rel")

    def get(self: Any) -> Any:
        full = property_name.format(self._name) if "{}" in property_name else property_name
        prim = self._prim
        return prim.GetRelationship(full) if relationship else prim.GetAttribute(full)

    get.__name__ = name
    return get


def _make(module: str, name: str, methods: Mapping[str, type]) -> type[SchemaBase]:
    full = f"{module}.{name}"
    if full in _made:
        return _made[full]
    facts = table()[module]["classes"][name]
    base = facts["bases"][0]
    base_module, _, base_name = base.rpartition(".")
    if base in _made:
        parent = _made[base]
    elif base_module == module:
        parent = _make(module, base_name, methods)
    else:
        parent = getattr(__import__(f"stagedoor.pxr.{base_module}", fromlist=["_"]), base_name)
    scope: dict[str, Any] = {
        **{key: _getter(key, text) for key, text in facts["properties"].items()},
        "_schema_type": facts["type"],
        "_schema_kind": facts["kind"],
        "_own_properties": facts["properties"],
        "_cpp_name": full.replace(".", ""),
        "__module__": f"stagedoor.pxr.{module}",
        "__doc__": f"Corresponds to {full}.",
    }
    extra = methods.get(name)
    if extra is not None:  # its methods take precedence over those of the table
        for kind in reversed(extra.__mro__[:-1]):
            scope.update({k: value for k, value in vars(kind).items() if k not in _NOT_COPIED})
    made: Any = _SchemaMeta(name, (parent,), scope)
    _made[full] = made
    return made


_NOT_COPIED = ("__dict__", "__weakref__", "__module__", "__doc__", "__qualname__")


def make_classes(module: str, methods: Mapping[str, type]) -> dict[str, Any]:
    """The schema classes of a module by name, and its Tokens."""
    found: dict[str, Any] = {
        name: _make(module, name, methods) for name in table()[module]["classes"]
    }
    tokens = {"__module__": f"stagedoor.pxr.{module}", **table()[module]["tokens"]}
    return {**found, "Tokens": type("Tokens", (), tokens)}
