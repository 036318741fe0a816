"""What usd-core computes of levels of detail, in the form of imaging_dump.

OpenUSD computes overrides, distances, sizes and levels, and leaves the choice of a heuristic to renderers.
"""
import math

from pxr import Tf, Usd, UsdGeom, UsdLod
from typed_values import typed_value


def measure(heuristic, frustum, world, time):
    """The distance or the size, and its level; None for a heuristic that cannot be used."""
    if heuristic.IsA(UsdLod.DistanceHeuristic):
        query = UsdLod.DistanceHeuristic(heuristic).CreateDistanceHeuristicQuery(time)
        found = query.ComputeDistance(frustum.position, world)
    elif heuristic.IsA(UsdLod.ScreenSizeHeuristic):
        query = UsdLod.ScreenSizeHeuristic(heuristic).CreateScreenSizeHeuristicQuery(time)
        try:
            found = query.ComputeScreenSize(frustum, world)
        except Tf.ErrorException:
            return None
    else:
        return None
    return query.lodDomain, found, query.ComputeLOD(found)


def choice(root, measures, time, count):
    """What is shown, why, and the level."""
    mode, index = UsdLod.OverrideAPI(root).ComputeLODOverride(time)
    if mode in ("noLOD", "allLOD"):
        return [mode if count else "noLOD", "override", 0]
    shown = "levels" if count else "noLOD"
    limited = lambda level: max(0, min(level, count - 1))  # noqa: E731
    if mode == "indexedLOD":
        return [shown, "override", limited(index)]
    for domain, _, level in filter(None, measures):
        if domain == "imaging":
            return [shown, "heuristic", limited(level)]
    index = typed_value(UsdLod.RootAPI(root).GetLodDefaultIndexAttr(), int, time, 0)
    return [shown, "default", limited(index)]


def lod_records(prim, times):
    if not prim.HasAPI(UsdLod.RootAPI):
        return
    path, stage = str(prim.GetPath()), prim.GetStage()
    levels = prim.GetFilteredChildren(Usd.TraverseInstanceProxies(Usd.PrimDefaultPredicate))
    for name, time in times:
        frustum = UsdGeom.Camera(stage.GetPrimAtPath("/Camera")).GetCamera(time).frustum
        world = UsdGeom.Imageable(prim).ComputeLocalToWorldTransform(time)
        targets = [stage.GetPrimAtPath(t) for t in UsdLod.RootAPI(prim).GetLodHeuristicsRel().GetForwardedTargets()]
        measures = [measure(target, frustum, world, time) if target else None for target in targets]
        mode, index = UsdLod.OverrideAPI(prim).ComputeLODOverride(time)
        yield {"path": path, "time": str(name), "levels": [level.GetName() for level in levels],
               "override": [mode, index or 0], "choice": choice(prim, measures, time, len(levels)),
               "measures": [[domain, None if math.isnan(found) else found, level]
                            for domain, found, level in filter(None, measures)]}
