"""How many prims, faces and points a scene has, by type and by model."""

import collections
import sys

from pxr import Kind, Usd, UsdGeom

stage = Usd.Stage.Open(sys.argv[1])
types, kinds, faces, points = (collections.Counter() for _ in range(4))
depth = 0
for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
    types[prim.GetTypeName() or "untyped"] += 1
    depth = max(depth, prim.GetPath().pathElementCount)
    model = Usd.ModelAPI(prim)
    if model.GetKind():
        kinds[model.GetKind()] += 1
        print(prim.GetPath(), prim.IsModel(), prim.IsGroup(), model.IsKind(Kind.Tokens.model),
              model.GetAssetName(), prim.GetDisplayName())
    if prim.IsA(UsdGeom.Mesh):
        mesh = UsdGeom.Mesh(prim)
        faces[mesh.GetFaceCount(1)] += 1
    if prim.IsA(UsdGeom.PointBased):
        points["points"] += len(UsdGeom.PointBased(prim).GetPointsAttr().Get(1) or [])
    if prim.IsInstance() or prim.IsInstanceable() or prim.IsInstanceProxy():
        print(prim.GetPath(), prim.IsInstance(), prim.IsInstanceable(), prim.IsInstanceProxy())
print(sorted(types.items()), sorted(kinds.items()), sorted(faces.items()), points["points"], depth)
