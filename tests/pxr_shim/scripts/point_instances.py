"""Point instancers: prototypes, transforms and boxes of instances."""

import sys

from pxr import Usd, UsdGeom
from report import matrix, row

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.PointInstancer):
        continue
    instancer = UsdGeom.PointInstancer(prim)
    print(prim.GetPath(), instancer.GetPrototypesRel().GetForwardedTargets(),
          instancer.GetInstanceCount(1), list(instancer.GetProtoIndicesAttr().Get(1) or []))
    for time in (1, 4):
        for transform in instancer.ComputeInstanceTransformsAtTime(time, time)[:5]:
            print("  ", time, matrix(transform))
        print("  mask", list(instancer.ComputeMaskAtTime(time)))
    cache = UsdGeom.BBoxCache(1, ["default", "render"])
    count = min(3, instancer.GetInstanceCount(1))
    for box in cache.ComputePointInstanceWorldBounds(instancer, list(range(count))):
        ends = box.ComputeAlignedRange()
        print("  box", "empty" if ends.IsEmpty() else (row(ends.min), row(ends.max)))
