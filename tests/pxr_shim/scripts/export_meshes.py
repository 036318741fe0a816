"""Meshes in world space, as an exporter of OBJ files writes them."""

import sys

from pxr import Gf, Usd, UsdGeom
from report import row

stage = Usd.Stage.Open(sys.argv[1])
time = Usd.TimeCode(float(sys.argv[2]) if len(sys.argv) > 2 else 1)
cache = UsdGeom.XformCache(time)
first = 1
for prim in Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies()):
    mesh = UsdGeom.Mesh(prim)
    if not mesh or UsdGeom.Imageable(prim).ComputeVisibility(time) == UsdGeom.Tokens.invisible:
        continue
    points = mesh.GetPointsAttr().Get(time)
    counts = mesh.GetFaceVertexCountsAttr().Get(time)
    indices = mesh.GetFaceVertexIndicesAttr().Get(time)
    if not points or not counts or not indices:
        print("empty", prim.GetPath())
        continue
    print("o", prim.GetPath(), mesh.GetSubdivisionSchemeAttr().Get(), mesh.GetOrientationAttr().Get())
    to_world = cache.GetLocalToWorldTransform(prim)
    for point in points[:50]:
        print("v", row(to_world.Transform(Gf.Vec3d(point))))
    normals = mesh.GetNormalsAttr().Get(time)
    turn = to_world.GetInverse().GetTranspose()
    for normal in (normals or [])[:10]:
        print("vn", row(turn.TransformDir(Gf.Vec3d(normal)).GetNormalized()))
    uvs = UsdGeom.PrimvarsAPI(prim).GetPrimvar("st")
    if uvs and uvs.HasValue():
        print("vt", uvs.GetInterpolation(), [row(uv) for uv in uvs.ComputeFlattened(time)][:10])
    at = 0
    for count in counts[:50]:
        print("f", *(first + index for index in indices[at : at + count]))
        at += count
    print("valid", UsdGeom.Mesh.ValidateTopology(indices, counts, len(points))[0])
    first += len(points)
