"""The table of schema classes, value types and tokens, which tools/pxr_schemas.py writes."""

from __future__ import annotations

import json
import pathlib
from functools import cache, lru_cache
from typing import Any


@lru_cache(maxsize=1)
def table() -> dict[str, Any]:
    file = pathlib.Path(__file__).resolve().parent.parent / "schemas.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def modules() -> list[str]:
    return [name for name in table() if name != "ValueTypeNames"]


@lru_cache(maxsize=1)
def _classes() -> dict[str, dict[str, Any]]:
    """The facts about classes, by names such as "UsdGeom.Mesh"."""
    return {
        f"{module}.{name}": facts
        for module in modules()
        for name, facts in table()[module]["classes"].items()
    }


@lru_cache(maxsize=1)
def _names_of_types() -> dict[str, str]:
    """The names of classes by the schema types that they stand for."""
    return {facts["type"]: name for name, facts in _classes().items() if facts["type"]}


def class_of_type(type_name: str) -> str:
    """Such as "UsdGeom.Subset" for "GeomSubset"; empty for types that the table lacks."""
    return _names_of_types().get(type_name, "")


@cache
def ancestors(type_name: str) -> frozenset[str] | None:
    """A schema type and those that it derives from; None for a type that the table lacks."""
    name = class_of_type(type_name)
    found = set()
    while name in _classes():
        found.add(_classes()[name]["type"])
        name = _classes()[name]["bases"][0]
    return frozenset(found) if found else None


def kind_of_type(type_name: str) -> str:
    """Such as "ConcreteTyped" or "SingleApplyAPI"; "Invalid" for types that the table lacks."""
    return str(_classes().get(class_of_type(type_name), {}).get("kind", "Invalid"))


def types_to_apply_to(type_name: str) -> list[str]:
    """The only schema types that an API schema may be applied to; empty for all of them."""
    return list(_classes().get(class_of_type(type_name), {}).get("applies_to", ()))


def ancestors_of_cpp(cpp_name: str) -> frozenset[str]:
    """The C++ names of a schema class and of those that it derives from."""
    by_cpp = {name.replace(".", ""): name for name in _classes()}
    name = by_cpp.get(cpp_name, "")
    found = set()
    while name in _classes():
        found.add(name.replace(".", ""))
        name = _classes()[name]["bases"][0]
    return frozenset(found)


def fallback_known(attribute: Any) -> bool:
    """Whether a schema has a fallback for an attribute, although something else is authored."""
    metadata = attribute.GetAllMetadata()
    return "default" in metadata


@lru_cache(maxsize=1)
def _types_by_cpp() -> dict[str, str]:
    return {name.replace(".", ""): facts["type"] for name, facts in _classes().items()}


def type_of_cpp(cpp_name: str) -> str:
    """The schema type of a C++ name such as UsdGeomMesh; the name itself if it is not one."""
    return _types_by_cpp().get(cpp_name, cpp_name)
