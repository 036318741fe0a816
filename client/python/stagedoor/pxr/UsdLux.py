"""UsdLux: the schema classes of lights, with a method for each of their properties."""

from typing import Any as _Any

from stagedoor.pxr._shade.connections import PortMethods as _PortMethods
from stagedoor.pxr._usd.schemas import make_classes as _make_classes


class _LightMethods(_PortMethods):
    """The methods of UsdLux.LightAPI and of lights."""

    _prim: _Any

    def _collection(self, name: str) -> _Any:
        from stagedoor.pxr import Usd

        return Usd.CollectionAPI(self._prim, name)  # type: ignore[attr-defined]

    def GetLightLinkCollectionAPI(self) -> _Any:
        return self._collection("lightLink")

    def GetShadowLinkCollectionAPI(self) -> _Any:
        return self._collection("shadowLink")

    def LightAPI(self) -> _Any:
        return globals()["LightAPI"](self._prim)

    def GetShaderIdAttrForRenderContext(self, renderContext: str) -> _Any:
        name = f"{renderContext}:light:shaderId" if renderContext else "light:shaderId"
        return self._prim.GetAttribute(name)

    def GetShaderId(self, renderContexts: _Any = ()) -> str:
        for context in [*renderContexts, ""]:
            found = self.GetShaderIdAttrForRenderContext(context).Get()
            if found:
                return str(found)
        return ""


class _LightListMethods:
    """The methods of UsdLux.LightListAPI."""

    _prim: _Any
    ComputeModeConsultModelHierarchyCache = "ConsultModelHierarchyCache"
    ComputeModeIgnoreCache = "IgnoreCache"

    def ComputeLightList(self, mode: str) -> list[_Any]:
        from stagedoor.pxr._sdf.path import Path

        path = str(self._prim.GetPath())
        found = self._prim._checked().stage.lights(
            "" if path == "/" else path,
            consult_cache=mode == self.ComputeModeConsultModelHierarchyCache,
        )
        return [Path._of(light.path) for light in found]


globals().update(
    _make_classes(
        "UsdLux",
        {
            "BoundableLightBase": _LightMethods,
            "LightAPI": _LightMethods,
            "LightFilter": _PortMethods,
            "LightListAPI": _LightListMethods,
            "NonboundableLightBase": _LightMethods,
        },
    )
)
