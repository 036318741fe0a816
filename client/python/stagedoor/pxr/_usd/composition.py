"""The arcs that contribute opinions to a prim: Usd.PrimCompositionQuery."""

from __future__ import annotations

import itertools
from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._sdf.layer import Layer
from stagedoor.pxr._sdf.path import Path
from stagedoor.types import Site

ARC_TYPES = {
    name: Enum(f"Pcp.ArcType{name.capitalize()}", number)
    for number, name in enumerate(
        ["root", "inherit", "variant", "relocate", "reference", "payload", "specialize"]
    )
}


class CompositionArc:
    """An arc with specs, strongest first. Corresponds to Usd.CompositionArc.

    Its layer is that of the strongest spec, or for the root arc the root layer of the stage.
    """

    def __init__(self, prim: Any, sites: list[Site]) -> None:
        self._prim = prim
        self._sites = sites

    def GetArcType(self) -> Enum:
        return ARC_TYPES[self._sites[0].arc]

    def GetTargetPrimPath(self) -> Path:
        return Path(self._sites[0].path)

    def GetTargetLayer(self) -> Any:
        stage = self._prim.GetStage()
        if self._sites[0].arc == "root":
            return stage.GetRootLayer()
        return Layer(stage._client, self._sites[0].layer)

    def HasSpecs(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"<{self.GetArcType()} {self._sites[0]}>"


class PrimCompositionQuery:
    """The arcs of a prim that have specs. Corresponds to Usd.PrimCompositionQuery."""

    def __init__(self, prim: Any) -> None:
        self._prim = prim

    def GetCompositionArcs(self) -> list[CompositionArc]:
        sites = [site for site in self._prim._checked().stack if site.arc in ARC_TYPES]
        groups = itertools.groupby(sites, key=lambda site: (site.arc, site.path))
        return [CompositionArc(self._prim, list(group)) for _, group in groups]
