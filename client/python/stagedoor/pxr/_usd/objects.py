"""The methods that prims, attributes and relationships share: Usd.Object.

An object holds a handle of the package, which asks the daemon when it has to. An object without a
handle is invalid.
"""

from __future__ import annotations

from typing import Any

from stagedoor import _names
from stagedoor.pxr._errors import add_authoring
from stagedoor.pxr._sdf.path import Path
from stagedoor.pxr._sdf.types import SPECIFIERS, VARIABILITIES
from stagedoor.pxr._usd.values import plain

# Fields that are parts of what composes a prim. `apiSchemas` is a list edit in OpenUSD.
_ENUMS = {"specifier": SPECIFIERS, "variability": VARIABILITIES}


def field_value(name: str, value: Any) -> Any:
    """The value of a metadata field of the package as OpenUSD has it."""
    if name in _ENUMS and isinstance(value, str):
        return _ENUMS[name].get(value, value)
    return plain(value)


class Object:
    """Corresponds to Usd.Object."""

    _handle: Any
    _invalid = "invalid null object"

    def IsValid(self) -> bool:
        return self._handle is not None and self._handle.exists()

    def __bool__(self) -> bool:
        return self.IsValid()

    def _checked(self) -> Any:
        """The handle; an invalid object raises an error, as in OpenUSD."""
        if self._handle is None:
            raise RuntimeError(f"Accessed {self._invalid}")
        return self._handle

    def GetPath(self) -> Path:
        return Path._of(self._handle.path) if self._handle is not None else Path.emptyPath

    def GetName(self) -> str:
        return str(self._checked().name)

    def GetStage(self) -> Any:
        raise NotImplementedError

    def GetPrim(self) -> Any:
        raise NotImplementedError

    def GetPrimPath(self) -> Path:
        return self.GetPath().GetPrimPath()

    def GetDescription(self) -> str:
        return repr(self)

    # ---------------------------------------------------------------------------------- metadata

    def _fields(self) -> dict[str, Any]:
        """All fields, with those that the package has properties for."""
        found: dict[str, Any] = self._checked().GetAllMetadata()
        return found

    def GetAllMetadata(self) -> dict[str, Any]:
        return {name: field_value(name, value) for name, value in self._fields().items()}

    def GetAllAuthoredMetadata(self) -> dict[str, Any]:
        return self.GetAllMetadata()

    def GetMetadata(self, key: str) -> Any:
        value = self._checked().GetMetadata(key)
        return field_value(key, value) if value is not None else None

    def GetMetadataByDictKey(self, key: str, keyPath: str) -> Any:
        return _names.by_key_path(self.GetMetadata(key), keyPath)

    def HasMetadata(self, key: str) -> bool:
        return self.GetMetadata(key) is not None

    def HasAuthoredMetadata(self, key: str) -> bool:
        return self.HasMetadata(key)

    def HasMetadataDictKey(self, key: str, keyPath: str) -> bool:
        return self.GetMetadataByDictKey(key, keyPath) is not None

    HasAuthoredMetadataDictKey = HasMetadataDictKey

    def GetCustomData(self) -> dict[str, Any]:
        return self.GetMetadata("customData") or {}

    def GetCustomDataByKey(self, keyPath: str) -> Any:
        return _names.by_key_path(self.GetCustomData(), keyPath)

    def HasCustomData(self) -> bool:
        return self.HasMetadata("customData")

    HasAuthoredCustomData = HasCustomData

    def HasCustomDataKey(self, keyPath: str) -> bool:
        return self.GetCustomDataByKey(keyPath) is not None

    HasAuthoredCustomDataKey = HasCustomDataKey

    def GetAssetInfo(self) -> dict[str, Any]:
        return self.GetMetadata("assetInfo") or {}

    def GetAssetInfoByKey(self, keyPath: str) -> Any:
        return _names.by_key_path(self.GetAssetInfo(), keyPath)

    def HasAssetInfo(self) -> bool:
        return self.HasMetadata("assetInfo")

    HasAuthoredAssetInfo = HasAssetInfo

    def HasAssetInfoKey(self, keyPath: str) -> bool:
        return self.GetAssetInfoByKey(keyPath) is not None

    HasAuthoredAssetInfoKey = HasAssetInfoKey

    def GetDocumentation(self) -> str:
        return self.GetMetadata("documentation") or ""

    def HasAuthoredDocumentation(self) -> bool:
        return self.HasMetadata("documentation")

    def GetDisplayName(self) -> str:
        return self.GetMetadata("displayName") or ""

    def HasAuthoredDisplayName(self) -> bool:
        return self.HasMetadata("displayName")

    def IsHidden(self) -> bool:
        return bool(self.GetMetadata("hidden"))

    def HasAuthoredHidden(self) -> bool:
        return self.HasMetadata("hidden")

    # ----------------------------------------------------------------------------------- operators

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)

    def __lt__(self, other: Object) -> bool:
        return self.GetPath() < other.GetPath()


add_authoring(
    Object,
    *("SetMetadata", "SetMetadataByDictKey", "ClearMetadata", "ClearMetadataByDictKey"),
    *("SetCustomData", "SetCustomDataByKey", "ClearCustomData", "ClearCustomDataByKey"),
    *("SetAssetInfo", "SetAssetInfoByKey", "ClearAssetInfo", "ClearAssetInfoByKey"),
    *("SetDocumentation", "ClearDocumentation", "SetDisplayName", "ClearDisplayName"),
    *("SetHidden", "ClearHidden"),
)
