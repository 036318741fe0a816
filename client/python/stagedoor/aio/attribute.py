"""Attributes and relationships, as the asyncio client has them."""

from __future__ import annotations

from stagedoor._async.attribute import AttributeCalls, PropertyCalls, RelationshipCalls


class _Property(PropertyCalls):
    """The common part of attributes and relationships."""

    def __bool__(self) -> bool:
        raise TypeError("whether a property exists must be awaited: use 'await property.exists()'")


class Attribute(AttributeCalls, _Property):
    """An attribute: as stagedoor.Attribute, but its methods and properties are awaited."""


class Relationship(RelationshipCalls, _Property):
    """A relationship: as stagedoor.Relationship, but its properties are awaited."""
