"""UsdShade: materials, shaders, connections and bindings."""

from stagedoor.pxr._shade import connections as _connections
from stagedoor.pxr._shade import materials as _materials
from stagedoor.pxr._shade.connections import (
    AttributeType,
    ConnectionModification,
    ConnectionSourceInfo,
    Input,
    Output,
    Utils,
)
from stagedoor.pxr._usd.schemas import make_classes as _make_classes

_METHODS = {
    "ConnectableAPI": _connections.ConnectableMethods,
    "CoordSysAPI": _materials.CoordSysMethods,
    "Material": _materials.MaterialMethods,
    "MaterialBindingAPI": _materials.BindingMethods,
    "NodeDefAPI": _materials.NodeDefMethods,
    "NodeGraph": _materials.NodeGraphMethods,
    "Shader": _materials.ShaderMethods,
}
globals().update(_make_classes("UsdShade", _METHODS))
