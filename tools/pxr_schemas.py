#!/usr/bin/env python3
"""Writes the table of schema classes that the read shim stagedoor.pxr makes its classes from.

The table states facts about the Python API of usd-core, which it is read from: which classes each
module has, what they derive from, the schema type they stand for, and which property each of the
methods such as GetPointsAttr names; the tokens of each module; and the names of value types.

Usage: pxr_schemas.py [TARGET], with a Python that has usd-core.
"""

from __future__ import annotations

import importlib
import json
import pathlib
import re
import sys
from typing import Any

from pxr import Sdf, Tf, Usd

TARGET = pathlib.Path(__file__).resolve().parent.parent / "client/python/stagedoor/pxr/schemas.json"
MODULES = [
    *("Usd", "UsdGeom", "UsdShade", "UsdSkel", "UsdLux", "UsdVol", "UsdRender", "UsdPhysics"),
    *("UsdUI", "UsdMedia", "UsdProc", "UsdHydra", "UsdSemantics", "UsdLod", "UsdRi"),
]
GETTER = re.compile(r"Get\w+(Attr|Rel)$")
INSTANCE = "pxrSchemasInstance"


def class_name(cls: type) -> str:
    return f"{cls.__module__.rpartition('.')[2]}.{cls.__name__}"


def instance_of(cls: type, prim: Usd.Prim) -> Any:
    try:
        return cls(prim, INSTANCE)
    except Exception:
        return cls(prim)


def getters(cls: type, prim: Usd.Prim) -> dict[str, str]:
    """The names of the properties that the methods of the class itself return."""
    found = {}
    for name in sorted(vars(cls)):
        if not GETTER.match(name):
            continue
        try:
            prop = getattr(instance_of(cls, prim), name)()
        except Exception:  # a method with arguments
            continue
        if isinstance(prop, Usd.Property) and prop.GetName():
            found[name] = prop.GetName().replace(INSTANCE, "{}")
    return found


def schema(cls: type, prim: Usd.Prim) -> dict[str, Any]:
    type_of_class = Tf.Type(cls)
    type_name = Usd.SchemaRegistry.GetSchemaTypeName(type_of_class)
    kind = Usd.SchemaRegistry.GetSchemaKind(type_of_class)
    return {
        "bases": [class_name(base) for base in cls.__bases__],
        "type": type_name,
        "kind": kind.displayName if hasattr(kind, "displayName") else str(kind),
        "properties": getters(cls, prim),
        "applies_to": list(Usd.SchemaRegistry.GetAPISchemaCanOnlyApplyToTypeNames(type_name, "")),
    }


def module_facts(name: str, prim: Usd.Prim) -> dict[str, Any]:
    module = importlib.import_module(f"pxr.{name}")
    classes = {}
    for key, cls in sorted(vars(module).items()):
        if isinstance(cls, type) and issubclass(cls, Usd.SchemaBase) and class_name(cls) == f"{name}.{key}":
            classes[key] = schema(cls, prim)
    tokens = getattr(module, "Tokens", None)
    words = {
        key: value
        for key, value in sorted(vars(tokens).items() if tokens else ())
        if not key.startswith("__") and isinstance(getattr(tokens, key), str)
        for value in [getattr(tokens, key)]
    }
    return {"classes": classes, "tokens": words}


def value_types() -> dict[str, list[str]]:
    """For each name in Sdf.ValueTypeNames, the type name, its role, C++ type and type of Tf."""
    found = {}
    for key in sorted(dir(Sdf.ValueTypeNames)):
        value = getattr(Sdf.ValueTypeNames, key)
        if isinstance(value, Sdf.ValueTypeName):
            found[key] = [str(value), value.role, value.cppTypeName, value.type.typeName]
    return found


def line(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def text() -> str:
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/Prim")
    facts = {name: module_facts(name, prim) for name in MODULES}
    rows = []
    for name, module in facts.items():
        classes = ",\n".join(f"  {line(key)}:{line(cls)}" for key, cls in module["classes"].items())
        tokens = line(module["tokens"])
        rows.append(f'{line(name)}:{{"classes":{{\n{classes}\n }},"tokens":\n  {tokens}}}')
    rows.append(f'"ValueTypeNames":{line(value_types())}')
    return "{" + ",\n".join(rows) + "}\n"


if __name__ == "__main__":
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.write_text(text(), encoding="utf-8")
