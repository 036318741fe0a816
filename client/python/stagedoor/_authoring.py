"""The methods of handles that edit the session layer. In stagedoor.aio, they are awaited."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Union

from stagedoor import _edits, _values
from stagedoor._session import Session
from stagedoor._values import Path
from stagedoor.types import Time

Paths = Union[Path, Iterable[Path]]


class ObjectEdits:
    """The common part of prims and properties."""

    def _author(self, plan: Any) -> Any:
        """Carries out a plan of an edit."""
        raise NotImplementedError

    @property
    def _edited(self) -> Any:
        """The session that is edited."""
        raise NotImplementedError

    @property
    def _edited_path(self) -> str:
        raise NotImplementedError

    def set_metadata(self, name: str, value: Any, *, key: str = "") -> Any:
        """Sets a field such as "kind", or with `key` an entry of a dictionary ("a:b")."""
        return self._author(_edits.set_field(self._edited, self._edited_path, name, value, key))

    def clear_metadata(self, name: str, *, key: str = "") -> Any:
        """Removes the session layer's opinion on a field, or an entry of a dictionary."""
        return self._author(_edits.clear_field(self._edited, self._edited_path, name, key))

    def SetMetadata(self, key: str, value: Any) -> Any:
        return self.set_metadata(key, value)

    def SetMetadataByDictKey(self, key: str, keyPath: str, value: Any) -> Any:
        return self.set_metadata(key, value, key=keyPath)

    def ClearMetadata(self, key: str) -> Any:
        return self.clear_metadata(key)

    def ClearMetadataByDictKey(self, key: str, keyPath: str) -> Any:
        return self.clear_metadata(key, key=keyPath)

    def SetCustomDataByKey(self, keyPath: str, value: Any) -> Any:
        return self.set_metadata("customData", value, key=keyPath)


class PropertyEdits(ObjectEdits):
    _prim: Any
    _name: str

    def _author(self, plan: Any) -> Any:
        return self._prim._stage._edit(plan)

    @property
    def _edited(self) -> Any:
        return self._prim._session

    @property
    def _edited_path(self) -> str:
        return f"{self._prim.path}.{self._name}"


class AttributeEdits(PropertyEdits):
    """Edits of an attribute in the session layer."""

    def set(
        self,
        value: Any,
        time: Time = None,
        *,
        type_name: str = "",
        custom: bool = False,
        uniform: bool = False,
    ) -> Any:
        """Sets the default value, or a time sample at a time of the stage.

        value: a number, text, sequence or array, which is converted to the type of the attribute;
          None for a value block.
        type_name, custom, uniform: of an attribute that does not exist, and is created.
        """
        return self._author(
            _edits.set_value(self._prim, self._name, value, time, type_name, custom, uniform)
        )

    def block(self) -> Any:
        """Removes the values of the session layer, and blocks those of weaker layers."""
        return self._author(_edits.block(self._edited, self._edited_path))

    def clear(self) -> Any:
        """Removes the values of the session layer."""
        return self._author(_edits.clear(self._edited, self._edited_path))

    def clear_at(self, time: Time) -> Any:
        """Removes the time sample of the session layer at a time of the stage."""
        return self._author(_edits.clear_at(self._edited, self._edited_path, time))

    def set_connections(self, paths: Paths) -> Any:
        """Sets the paths of the attributes that this one is connected to."""
        return self._author(_edits.set_targets(self._edited, self._edited_path, paths))

    def clear_connections(self) -> Any:
        """Removes the session layer's opinion on the connections."""
        return self._author(_edits.clear_targets(self._edited, self._edited_path))

    Block = block
    Clear = clear
    ClearAtTime = clear_at
    SetConnections = set_connections
    ClearConnections = clear_connections

    def Set(self, value: Any, time: Time = None) -> Any:
        return self.set(value, time)

    def ClearDefault(self) -> Any:
        return self.clear_at(None)


class RelationshipEdits(PropertyEdits):
    """Edits of a relationship in the session layer."""

    def set_targets(self, paths: Paths, *, custom: bool = False) -> Any:
        """Sets the targets. A relationship that does not exist is created, `custom` or not."""
        return self._author(_edits.set_targets(self._edited, self._edited_path, paths, custom))

    def clear_targets(self) -> Any:
        """Removes the session layer's opinion on the targets."""
        return self._author(_edits.clear_targets(self._edited, self._edited_path))

    def SetTargets(self, targets: Paths) -> Any:
        return self.set_targets(targets)

    def ClearTargets(self, removeSpec: bool = False) -> Any:
        if removeSpec:
            return self._author(_edits.remove_spec(self._edited, self._edited_path))
        return self.clear_targets()


class VariantSetEdits:
    """A variant set of a prim, for edits. Corresponds to Usd.VariantSet."""

    def __init__(self, prim: Any, name: str) -> None:
        self._prim = prim
        self._name = name

    def select(self, variant: str) -> Any:
        """Selects a variant; an empty one blocks the selections of weaker layers."""
        return self._prim._author(
            _edits.select_variant(self._prim._session, self._prim.path, self._name, variant)
        )

    def clear(self) -> Any:
        """Removes the session layer's selection."""
        return self._prim._author(
            _edits.clear_variant(self._prim._session, self._prim.path, self._name)
        )

    def SetVariantSelection(self, variantName: str) -> Any:
        return self.select(variantName) if variantName else self.clear()

    def BlockVariantSelection(self) -> Any:
        return self.select("")

    ClearVariantSelection = clear


class PrimEdits(ObjectEdits):
    """Edits of a prim in the session layer."""

    _stage: Any
    _session: Any
    _path: str

    def _author(self, plan: Any) -> Any:
        return self._stage._edit(plan)

    @property
    def _edited(self) -> Any:
        return self._session

    @property
    def _edited_path(self) -> str:
        return self._path

    def variant_set(self, name: str) -> VariantSetEdits:
        """A variant set, to select a variant of it."""
        return VariantSetEdits(self, name)

    def set_active(self, active: bool) -> Any:
        return self.set_metadata("active", active)

    GetVariantSet = variant_set
    SetActive = set_active

    def ClearActive(self) -> Any:
        return self.clear_metadata("active")

    def SetInstanceable(self, instanceable: bool) -> Any:
        return self.set_metadata("instanceable", instanceable)

    def SetKind(self, kind: str) -> Any:
        return self.set_metadata("kind", kind)

    def RemoveProperty(self, name: str) -> Any:
        """Removes the spec of a property from the session layer."""
        return self._author(_edits.remove_spec(self._session, f"{self._path}.{name}"))


class StageEdits:
    """Edits of the namespace in the session layer."""

    _session: Session

    def _edit(self, plan: Any) -> Any:
        raise NotImplementedError

    def define_prim(self, path: Path, type_name: str = "") -> Any:
        """Defines a prim and its ancestors; returns its handle."""
        return self._edit(_edits.define_prim(self, path, type_name, "def"))

    def override_prim(self, path: Path) -> Any:
        """Authors an over unless the prim exists; returns the handle."""
        return self._edit(_edits.define_prim(self, path, "", "over"))

    def create_class(self, path: Path) -> Any:
        """Authors a class; returns its handle."""
        return self._edit(_edits.define_prim(self, path, "", "class"))

    def remove_spec(self, path: Path) -> Any:
        """Removes what the session layer has on a prim or property, with all below it."""
        return self._edit(_edits.remove_spec(self._session, _values.path_text(path)))

    def set_metadata(self, name: str, value: Any, *, key: str = "") -> Any:
        """Sets metadata of the stage, such as "startTimeCode", in the session layer."""
        return self._edit(_edits.set_field(self._session, "/", name, value, key))

    def clear_metadata(self, name: str, *, key: str = "") -> Any:
        return self._edit(_edits.clear_field(self._session, "/", name, key))

    DefinePrim = define_prim
    OverridePrim = override_prim
    CreateClassPrim = create_class
    RemovePrim = remove_spec

    def SetMetadata(self, key: str, value: Any) -> Any:
        return self.set_metadata(key, value)
