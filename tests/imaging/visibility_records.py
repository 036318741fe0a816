"""What usd-core computes of visibilities and proxies, in the form of imaging_dump."""
from pxr import UsdGeom

PURPOSES = ["default", "render", "proxy", "guide"]


def visibility_records(prim, times):
    schema = UsdGeom.Imageable(prim)
    path = str(prim.GetPath())
    for name, time in times:
        yield {"path": path, "time": str(name),
               **{purpose: schema.ComputeEffectiveVisibility(purpose, time) for purpose in PURPOSES}}
    found = schema.ComputeProxyPrim()
    yield {"path": path, "proxy": str(found[0].GetPath()) if found else "",
           "render": str(found[1].GetPath()) if found else ""}
