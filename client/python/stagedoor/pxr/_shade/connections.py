"""Inputs and outputs, and what they are connected to: UsdShade.Input, Output, ConnectableAPI."""

from __future__ import annotations

from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._errors import add_authoring
from stagedoor.pxr._sdf.path import Path

INPUTS, OUTPUTS = "inputs:", "outputs:"


class AttributeType:
    """Which kind of port an attribute is."""

    Invalid = Enum("pxr.UsdShade.AttributeType.Invalid", 0, text="Invalid")
    Input = Enum("pxr.UsdShade.AttributeType.Input", 1, text="Input")
    Output = Enum("pxr.UsdShade.AttributeType.Output", 2, text="Output")


class ConnectionModification:
    """How an authored connection would be merged; for scripts that name it."""

    Replace = Enum("UsdShade.ConnectionModification.Replace", 0)
    Prepend = Enum("UsdShade.ConnectionModification.Prepend", 1)
    Append = Enum("UsdShade.ConnectionModification.Append", 2)


def type_and_name(full: str) -> tuple[str, Enum]:
    """The base name of an input or output, and which of them it is."""
    for prefix, kind in ((INPUTS, AttributeType.Input), (OUTPUTS, AttributeType.Output)):
        if full.startswith(prefix):
            return full[len(prefix) :], kind
    return full, AttributeType.Invalid


class ConnectionSourceInfo:
    """One of the sources of a connection. Corresponds to UsdShade.ConnectionSourceInfo."""

    def __init__(self, source: Any = None, name: str = "", kind: Any = None, type_name: Any = None):
        self.source = source
        self.sourceName = name
        self.sourceType = kind or AttributeType.Invalid
        self.typeName = type_name

    def IsValid(self) -> bool:
        known = self.sourceType != AttributeType.Invalid
        return bool(known and self.sourceName and self.source and self.source.GetPrim())

    def __bool__(self) -> bool:
        return self.IsValid()

    def _key(self) -> tuple[Any, ...]:
        return self.source, self.sourceName, self.sourceType

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ConnectionSourceInfo) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.sourceName, self.sourceType))

    def __repr__(self) -> str:
        return f"UsdShade.ConnectionSourceInfo({self.source!r}, {self.sourceName!r})"


def sources_of(attribute: Any) -> tuple[list[ConnectionSourceInfo], list[Path]]:
    """The valid sources of an attribute, and the paths that lead to none."""
    from stagedoor.pxr import UsdShade

    found, broken = [], []
    stage = attribute.GetStage()
    for path in attribute.GetConnections():
        name, kind = type_and_name(path.name)
        prim = stage.GetPrimAtPath(path.GetPrimPath())
        if not prim or kind == AttributeType.Invalid:
            broken.append(path)
            continue
        source = prim.GetAttribute(path.name)
        type_name = source.GetTypeName() if source else None
        connectable: Any = UsdShade.ConnectableAPI  # type: ignore[attr-defined]
        found.append(ConnectionSourceInfo(connectable(prim), name, kind, type_name))
    return found, broken


def value_attributes(port: Any, outputs_only: bool, seen: set[str] | None = None) -> list[Any]:
    """The attributes that supply the value of an input or output, through all connections."""
    seen = set() if seen is None else seen
    attribute = port.GetAttr()
    path = str(attribute.GetPath())
    if path in seen:
        return []
    seen.add(path)
    sources, _ = sources_of(attribute)
    if not sources:
        return _end(port, outputs_only)
    found: list[Any] = []
    for info in sources:
        prefix = INPUTS if info.sourceType == AttributeType.Input else OUTPUTS
        source = info.source.GetPrim().GetAttribute(prefix + info.sourceName)
        if not source:
            continue
        if info.sourceType == AttributeType.Output and not info.source.IsContainer():
            found.append(source)
        else:
            next_port = Input(source) if prefix == INPUTS else Output(source)
            found += value_attributes(next_port, outputs_only, seen)
    if found:
        return list(dict.fromkeys(found))
    return _end(port, outputs_only) if attribute.HasAuthoredValue() else []


def _end(port: Any, outputs_only: bool) -> list[Any]:
    """The port itself, if it may supply the value."""
    attribute = port.GetAttr()
    if isinstance(port, Output):
        container = _connectable(attribute.GetPrim()).IsContainer()
        return [attribute] if not container or attribute.HasAuthoredValue() else []
    return [attribute] if not outputs_only and attribute.HasAuthoredValue() else []


def _connectable(prim: Any) -> Any:
    from stagedoor.pxr import UsdShade

    made: Any = UsdShade.ConnectableAPI  # type: ignore[attr-defined]
    return made(prim)


class _Port:
    """The common methods of inputs and outputs."""

    _prefix = ""

    def __init__(self, attr: Any = None) -> None:
        self._attr = attr

    def GetAttr(self) -> Any:
        return self._attr

    def GetPrim(self) -> Any:
        return self._attr.GetPrim()

    def IsDefined(self) -> bool:
        return bool(self._attr) and self._attr.GetName().startswith(self._prefix)

    def __bool__(self) -> bool:
        return self._attr is not None and self.IsDefined()

    def GetFullName(self) -> str:
        return str(self._attr.GetName())

    def GetBaseName(self) -> str:
        name = self.GetFullName()
        return name[len(self._prefix) :] if name.startswith(self._prefix) else name

    def GetTypeName(self) -> Any:
        return self._attr.GetTypeName()

    def GetDocumentation(self) -> str:
        return str(self._attr.GetDocumentation())

    def GetDisplayGroup(self) -> str:
        return str(self._attr.GetDisplayGroup())

    def GetRenderType(self) -> str:
        return self._attr.GetMetadata("renderType") or ""

    def HasRenderType(self) -> bool:
        return bool(self._attr.HasMetadata("renderType"))

    def GetSdrMetadata(self) -> dict[str, str]:
        return self._attr.GetMetadata("sdrMetadata") or {}

    def GetSdrMetadataByKey(self, key: str) -> str:
        return self.GetSdrMetadata().get(key, "")

    def HasSdrMetadata(self) -> bool:
        return bool(self.GetSdrMetadata())

    def HasSdrMetadataByKey(self, key: str) -> bool:
        return key in self.GetSdrMetadata()

    def HasConnectedSource(self) -> bool:
        return bool(sources_of(self._attr)[0])

    def GetConnectedSources(self) -> tuple[list[ConnectionSourceInfo], list[Path]]:
        return sources_of(self._attr)

    def GetConnectedSource(self) -> tuple[Any, str, Enum] | None:
        """(source, name, type) of the first source; None without one."""
        found, _ = sources_of(self._attr)
        return (found[0].source, found[0].sourceName, found[0].sourceType) if found else None

    def GetRawConnectedSourcePaths(self) -> list[Path]:
        return list(self._attr.GetConnections())

    def IsSourceConnectionFromBaseMaterial(self) -> bool:
        return False

    def GetValueProducingAttributes(self, shaderOutputsOnly: bool = False) -> list[Any]:
        return value_attributes(self, shaderOutputsOnly)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._attr == other._attr

    def __hash__(self) -> int:
        return hash(self._attr)

    def __repr__(self) -> str:
        return f"UsdShade.{type(self).__name__}({self._attr!r})"


class Input(_Port):
    """Corresponds to UsdShade.Input."""

    _prefix = INPUTS

    def Get(self, time: Any = None) -> Any:
        return self._attr.Get(time)

    def GetConnectability(self) -> str:
        return self._attr.GetMetadata("connectability") or "full"

    def GetValueProducingAttribute(self) -> tuple[Any, Enum]:
        found = value_attributes(self, False)
        if not found:
            return None, AttributeType.Invalid
        return found[0], type_and_name(found[0].GetName())[1]

    @staticmethod
    def IsInput(attr: Any) -> bool:
        return bool(attr) and attr.GetName().startswith(INPUTS)

    @staticmethod
    def IsInterfaceInputName(name: str) -> bool:
        return name.startswith(INPUTS)


class Output(_Port):
    """Corresponds to UsdShade.Output."""

    _prefix = OUTPUTS

    @staticmethod
    def IsOutput(attr: Any) -> bool:
        return bool(attr) and attr.GetName().startswith(OUTPUTS)


_AUTHORING = [
    *("Set", "SetRenderType", "SetConnectability", "ClearConnectability", "ConnectToSource"),
    *("SetConnectedSources", "DisconnectSource", "ClearSource", "ClearSources", "SetSdrMetadata"),
    *("SetSdrMetadataByKey", "SetDocumentation", "SetDisplayGroup", "ClearSdrMetadata"),
]
add_authoring(_Port, *_AUTHORING)


class PortMethods:
    """Inputs and outputs of a prim: what NodeGraph, Shader and ConnectableAPI have."""

    _prim: Any

    def ConnectableAPI(self) -> Any:
        return _connectable(self._prim)

    def GetInput(self, name: str) -> Input:
        return Input(self._prim.GetAttribute(INPUTS + name))

    def GetOutput(self, name: str) -> Output:
        return Output(self._prim.GetAttribute(OUTPUTS + name))

    def GetInputs(self, onlyAuthored: bool = True) -> list[Input]:
        return [Input(attribute) for attribute in self._ports("inputs", onlyAuthored)]

    def GetOutputs(self, onlyAuthored: bool = True) -> list[Output]:
        return [Output(attribute) for attribute in self._ports("outputs", onlyAuthored)]

    def _ports(self, namespace: str, authored: bool) -> list[Any]:
        find = self._prim.GetAuthoredPropertiesInNamespace
        found = (find if authored else self._prim.GetPropertiesInNamespace)(namespace)
        return [port for port in found if hasattr(port, "GetConnections")]


_CONTAINERS = ("NodeGraph", "Material")


class ConnectableMethods(PortMethods):
    """The methods of UsdShade.ConnectableAPI."""

    def _compatible(self) -> bool:
        return bool(self._prim) and ConnectableMethods.HasConnectableAPI(self._prim)

    @staticmethod
    def HasConnectableAPI(prim: Any) -> bool:
        """Whether prims of the type, or of an API schema of the prim, have ports."""
        if isinstance(prim, type) or not hasattr(prim, "IsA"):
            return getattr(prim, "_schema_type", "") in ("Shader", *_CONTAINERS)
        types = ("Shader", "NodeGraph", "LightFilter", "BackdropUI")
        return any(prim.IsA(name) for name in types) or any(
            prim.HasAPI(name) for name in ("LightAPI", "NodeDefAPI", "MaterialXConfigAPI")
        )

    def IsContainer(self) -> bool:
        prim = self._prim
        return bool(prim.IsA("NodeGraph") or prim.HasAPI("LightAPI") or prim.IsA("LightFilter"))

    def RequiresEncapsulation(self) -> bool:
        return not (self._prim.HasAPI("LightAPI") or self._prim.IsA("LightFilter"))

    @staticmethod
    def _attribute_of(port: Any) -> Any:
        return port.GetAttr() if hasattr(port, "GetAttr") else port

    @staticmethod
    def GetConnectedSources(port: Any) -> tuple[list[ConnectionSourceInfo], list[Path]]:
        return sources_of(ConnectableMethods._attribute_of(port))

    @staticmethod
    def GetConnectedSource(port: Any) -> Any:
        return _Port(ConnectableMethods._attribute_of(port)).GetConnectedSource()

    @staticmethod
    def HasConnectedSource(port: Any) -> bool:
        return bool(sources_of(ConnectableMethods._attribute_of(port))[0])

    @staticmethod
    def GetRawConnectedSourcePaths(port: Any) -> list[Path]:
        return list(ConnectableMethods._attribute_of(port).GetConnections())

    @staticmethod
    def IsSourceConnectionFromBaseMaterial(port: Any) -> bool:
        return False


class Utils:
    """Corresponds to UsdShade.Utils."""

    @staticmethod
    def GetPrefixForAttributeType(kind: Enum) -> str:
        return {1: INPUTS, 2: OUTPUTS}.get(kind.value, "")

    @staticmethod
    def GetBaseNameAndType(fullName: str) -> tuple[str, Enum]:
        return type_and_name(fullName)

    @staticmethod
    def GetType(fullName: str) -> Enum:
        return type_and_name(fullName)[1]

    @staticmethod
    def GetFullName(baseName: str, kind: Enum) -> str:
        return Utils.GetPrefixForAttributeType(kind) + baseName

    @staticmethod
    def GetValueProducingAttributes(port: Any, shaderOutputsOnly: bool = False) -> list[Any]:
        return value_attributes(port, shaderOutputsOnly)

    @staticmethod
    def GetConnectedSourcePath(info: ConnectionSourceInfo) -> Path:
        return info.source.GetPath().AppendProperty(
            Utils.GetFullName(info.sourceName, info.sourceType)
        )
