"""Which instances usd-core masks, in the form of imaging_dump."""
from pxr import UsdGeom


def instancer_records(prim, times):
    if not prim.IsA(UsdGeom.PointInstancer):
        return
    schema = UsdGeom.PointInstancer(prim)
    for name, time in times:
        ids = schema.GetIdsAttr().Get(time)
        yield {"path": str(prim.GetPath()), "time": str(name), "mask": list(schema.ComputeMaskAtTime(time)),
               "ids": [int(i) for i in ids] if ids else []}
