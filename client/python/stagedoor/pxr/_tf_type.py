"""Types by name: Tf.Type, as far as schemas and value types need it."""

from __future__ import annotations

from typing import Any


class Type:
    """A type of C++ or Python by its name. Corresponds to Tf.Type."""

    Unknown: Type

    def __init__(self, name: Any = "") -> None:
        named = getattr(name, "_cpp_name", None)
        text = name if isinstance(name, str) else getattr(name, "__name__", "")
        self.typeName = str(named or text)

    @classmethod
    def Find(cls, name: Any) -> Type:
        return cls(name)

    @classmethod
    def FindByName(cls, name: str) -> Type:
        return cls(name)

    @property
    def isUnknown(self) -> bool:
        return not self.typeName

    def IsA(self, other: Any) -> bool:
        wanted = other if isinstance(other, Type) else Type(other)
        if self == wanted:
            return True
        from stagedoor.pxr._usd.schema_table import ancestors_of_cpp

        return wanted.typeName in ancestors_of_cpp(self.typeName)

    def __bool__(self) -> bool:
        return bool(self.typeName)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Type) and self.typeName == other.typeName

    def __hash__(self) -> int:
        return hash(self.typeName)

    def __str__(self) -> str:
        return self.typeName

    def __repr__(self) -> str:
        if not self.typeName:
            return "Tf.Type.Unknown"
        return f"Tf.Type.FindByName('{self.typeName}')"


Type.Unknown = Type()
