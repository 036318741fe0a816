"""UsdUtils: statistics and dependencies of stages."""

from __future__ import annotations

from typing import Any as _Any

from stagedoor.pxr import _connection
from stagedoor.pxr._sdf.layer import Layer as _Layer
from stagedoor.pxr._usd.stage import Stage as _Stage


def ComputeUsdStageStats(stage: _Any) -> dict[str, _Any]:
    """The numbers of prims by type, of models, layers and so on; of a stage or a file."""
    opened = stage if isinstance(stage, _Stage) else _Stage.Open(stage)
    return opened._stage.statistics().usd_dict()


def ComputeAllDependencies(assetPath: _Any) -> tuple[list[_Any], list[str], list[str]]:
    """The layers, the other assets, and the paths that lead to none."""
    name = getattr(assetPath, "path", assetPath)
    stage = _connection.client().open(name, load="none")
    try:
        found = stage.dependencies()
        client = _connection.client()
        layers = [_Layer(client, stage.root_layer)]
    finally:
        stage.close()
    assets, missing = [], []
    for entry in found:
        if not entry.resolved_path:
            missing.append(entry.authored_path)
        elif entry.kind == "asset":
            assets.append(entry.resolved_path)
        elif entry.resolved_path not in [layer.identifier for layer in layers]:
            layers.append(_Layer(client, entry.resolved_path))
    return layers, assets, missing


def GetPrimaryUVSetName() -> str:
    return "st"


def GetPrimaryCameraName(forRead: bool = False) -> str:
    return "main_cam"


def GetPrefName() -> str:
    return "pref"


def GetMaterialsScopeName(forceDefault: bool = False) -> str:
    return "mtl"
