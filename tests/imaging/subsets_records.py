"""What usd-core computes of subsets, in the form of imaging_dump."""
from pxr import Tf, UsdGeom


def answer(compute):
    """The result, or "failed"."""
    try:
        return compute()
    except Tf.ErrorException:
        return "failed"


def subsets_records(prim, times):
    if not (prim.IsActive() and prim.IsDefined() and not prim.IsAbstract() and prim.IsA(UsdGeom.Imageable)):
        return
    path, geom = str(prim.GetPath()), UsdGeom.Imageable(prim)
    subsets = UsdGeom.Subset.GetAllGeomSubsets(geom)
    pairs = sorted({(s.GetElementTypeAttr().Get(), s.GetFamilyNameAttr().Get()) for s in subsets})
    for element_type, family in pairs:
        found = [str(s.GetPath()) for s in UsdGeom.Subset.GetGeomSubsets(geom, element_type, family)]
        valid = answer(lambda: UsdGeom.Subset.ValidateFamily(geom, element_type, family)[0])
        yield {"path": path, "key": f"{element_type} {family}", "subsets": found, "valid": valid,
               "type": UsdGeom.Subset.GetFamilyType(geom, family)}
        for name, time in times:
            unassigned = answer(lambda: list(UsdGeom.Subset.GetUnassignedIndices(geom, element_type, family, time)))
            yield {"path": path, "time": str(name), "key": f"{element_type} {family}", "unassigned": unassigned}
    if prim.IsA(UsdGeom.BasisCurves):
        for name, time in times:
            yield {"path": path, "time": str(name), "segments": list(UsdGeom.BasisCurves(prim).ComputeSegmentCounts(time))}
