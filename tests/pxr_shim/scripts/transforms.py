"""Transform operations and matrices at several times."""

import sys

from pxr import Gf, Usd, UsdGeom
from report import matrix, row, short

stage = Usd.Stage.Open(sys.argv[1])
cache = UsdGeom.XformCache()
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.Xformable):
        continue
    xform = UsdGeom.Xformable(prim)
    for op in xform.GetOrderedXformOps():
        print(op.GetAttr().GetPath(), op.GetOpType(), op.GetPrecision(), op.IsInverseOp(),
              op.GetOpName(), op.SplitName(), short(op.Get(3)), matrix(op.GetOpTransform(3)))
    print(prim.GetPath(), xform.GetResetXformStack(), xform.GetXformOpOrderAttr().Get())
    for time in (Usd.TimeCode.Default(), Usd.TimeCode(1), 7.5):
        cache.SetTime(time)
        world = cache.GetLocalToWorldTransform(prim)
        local, resets = cache.GetLocalTransformation(prim)
        print("  ", time, matrix(world), matrix(local), resets)
        print("  ", matrix(xform.GetLocalTransformation(time)),
              matrix(cache.GetParentToWorldTransform(prim)))
        print("   at", row(world.ExtractTranslation()), matrix(world.GetInverse()))
        turn = world.GetOrthonormalized().ExtractRotation()
        print("   angles", row(turn.Decompose(Gf.Vec3d.ZAxis(), Gf.Vec3d.YAxis(), Gf.Vec3d.XAxis())))
    common = UsdGeom.XformCommonAPI(prim)
    if common:
        print("   common", *(short(part) for part in common.GetXformVectors(1)[:4]))
