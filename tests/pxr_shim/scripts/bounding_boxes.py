"""The boxes of models and of everything, in world space and in that of the parent."""

import sys

from pxr import Gf, Usd, UsdGeom
from report import number, row

stage = Usd.Stage.Open(sys.argv[1])
for time in (1, 10):
    cache = UsdGeom.BBoxCache(time, [UsdGeom.Tokens.default_, UsdGeom.Tokens.render])
    for prim in stage.Traverse():
        if not prim.IsA(UsdGeom.Imageable):
            continue
        world = cache.ComputeWorldBound(prim).ComputeAlignedRange()
        if world.IsEmpty():
            print(time, prim.GetPath(), "empty")
            continue
        local = cache.ComputeLocalBound(prim).ComputeAlignedRange()
        own = cache.ComputeUntransformedBound(prim)
        print(time, prim.GetPath(), row(world.min), row(world.max), row(local.GetMidpoint()),
              row(own.GetRange().GetSize()), number(own.GetVolume()))
everything = Gf.Range3d()
for prim in stage.GetPseudoRoot().GetChildren():
    everything.UnionWith(cache.ComputeWorldBound(prim).ComputeAlignedRange())
print("all", "empty" if everything.IsEmpty() else row(everything.GetSize()))
