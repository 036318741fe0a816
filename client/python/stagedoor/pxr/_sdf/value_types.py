"""The names of value types: Sdf.ValueTypeNames."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._tf_type import Type
from stagedoor.pxr._usd.schema_table import table


class ValueTypeName:
    """The type of an attribute, such as point3f[]. Corresponds to Sdf.ValueTypeName."""

    def __init__(self, text: str, role: str = "", cpp: str = "", type_name: str = "") -> None:
        self._name = text
        self.role = role
        self.cppTypeName = cpp
        self.type = Type(type_name)
        self.aliasesAsStrings = [text] if text else []

    @property
    def isArray(self) -> bool:
        return self._name.endswith("[]")

    @property
    def isScalar(self) -> bool:
        return bool(self._name) and not self.isArray

    @property
    def scalarType(self) -> ValueTypeName:
        return find(self._name[:-2] if self.isArray else self._name)

    @property
    def arrayType(self) -> ValueTypeName:
        return self if self.isArray else find(f"{self._name}[]")

    @property
    def defaultValue(self) -> Any:
        from stagedoor.pxr._usd.values import default_of

        return default_of(self._name)

    def __bool__(self) -> bool:
        return bool(self._name)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, str):
            return self._name == other
        return isinstance(other, ValueTypeName) and self._name == other._name

    def __hash__(self) -> int:
        return hash(self._name)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"Sdf.ValueTypeName({self._name!r})" if self._name else "<invalid type>"


class _Names:
    """All value types, by the names that Sdf.ValueTypeNames has for them."""

    def __init__(self) -> None:
        self._by_text: dict[str, ValueTypeName] = {}
        for name, (text, role, cpp, type_name) in table()["ValueTypeNames"].items():
            made = self._by_text.setdefault(text, ValueTypeName(text, role, cpp, type_name))
            setattr(self, name, made)

    def Find(self, text: str) -> ValueTypeName:
        return self._by_text.get(text) or ValueTypeName("")

    def __getattr__(self, name: str) -> ValueTypeName:
        raise AttributeError(f"Sdf.ValueTypeNames has no type {name!r}")


ValueTypeNames = _Names()


def find(text: str) -> ValueTypeName:
    """The type of a name; one without a role if it is not known."""
    return ValueTypeNames._by_text.get(text) or ValueTypeName(text)
