"""Usd.SchemaRegistry, as far as the table of schemas has its answers."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._tf_type import Type
from stagedoor.pxr._usd import schema_table
from stagedoor.pxr._usd.schemas import SCHEMA_KINDS


class PrimTypeInfo:
    """The type of a prim and its API schemas. Corresponds to Usd.PrimTypeInfo."""

    def __init__(self, type_name: str, apis: list[str]) -> None:
        self._type_name = type_name
        self._apis = apis

    def GetTypeName(self) -> str:
        return self._type_name

    def GetSchemaTypeName(self) -> str:
        return self._type_name

    def GetAppliedAPISchemas(self) -> list[str]:
        return list(self._apis)

    def GetSchemaType(self) -> Type:
        return SchemaRegistry.GetTypeFromSchemaTypeName(self._type_name)


class SchemaRegistry:
    """Corresponds to Usd.SchemaRegistry."""

    def __new__(cls) -> SchemaRegistry:
        return super().__new__(cls)

    @staticmethod
    def GetTypeFromSchemaTypeName(name: str) -> Type:
        return Type(schema_table.class_of_type(name).replace(".", ""))

    GetTypeFromName = GetTypeFromSchemaTypeName

    @staticmethod
    def GetConcreteTypeFromSchemaTypeName(name: str) -> Type:
        concrete = schema_table.kind_of_type(name) == "ConcreteTyped"
        return SchemaRegistry.GetTypeFromSchemaTypeName(name) if concrete else Type.Unknown

    @staticmethod
    def GetAPITypeFromSchemaTypeName(name: str) -> Type:
        api = schema_table.kind_of_type(name).endswith("API")
        return SchemaRegistry.GetTypeFromSchemaTypeName(name) if api else Type.Unknown

    @staticmethod
    def _name(schema: Any) -> str:
        from stagedoor.pxr._usd.prim import type_name_of

        return type_name_of(schema)

    @staticmethod
    def GetSchemaTypeName(schema: Any) -> str:
        return SchemaRegistry._name(schema)

    @staticmethod
    def GetSchemaKind(schema: Any) -> Enum:
        return SCHEMA_KINDS[schema_table.kind_of_type(SchemaRegistry._name(schema))]

    @staticmethod
    def IsConcrete(schema: Any) -> bool:
        return SchemaRegistry.GetSchemaKind(schema) == SCHEMA_KINDS["ConcreteTyped"]

    @staticmethod
    def IsAbstract(schema: Any) -> bool:
        return SchemaRegistry.GetSchemaKind(schema).name in ("AbstractBase", "AbstractTyped")

    @staticmethod
    def IsTyped(schema: Any) -> bool:
        return SchemaRegistry.GetSchemaKind(schema).name in ("AbstractTyped", "ConcreteTyped")

    @staticmethod
    def IsAppliedAPISchema(schema: Any) -> bool:
        return SchemaRegistry.GetSchemaKind(schema).name.endswith("ApplyAPI")

    @staticmethod
    def IsMultipleApplyAPISchema(schema: Any) -> bool:
        return SchemaRegistry.GetSchemaKind(schema).name == "MultipleApplyAPI"

    @staticmethod
    def GetTypeNameAndInstance(name: str) -> tuple[str, str]:
        type_name, _, instance = name.partition(":")
        return type_name, instance
