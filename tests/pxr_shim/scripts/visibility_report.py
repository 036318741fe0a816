"""What is shown: visibility, purposes, draw modes, subsets."""

import sys

from pxr import Usd, UsdGeom
from report import short

stage = Usd.Stage.Open(sys.argv[1])
walk = iter(Usd.PrimRange.PreAndPostVisit(stage.GetPseudoRoot()))
depth = 0
for prim in walk:
    if walk.IsPostVisit():
        depth -= 1
        continue
    depth += 1
    indent = "  " * depth
    if prim.IsA(UsdGeom.Imageable):
        shown = UsdGeom.Imageable(prim)
        print(indent, prim.GetName(), shown.ComputeVisibility(1), shown.ComputePurpose(),
              shown.ComputePurposeInfo().isInheritable, shown.GetVisibilityAttr().Get(),
              UsdGeom.ModelAPI(prim).ComputeModelDrawMode())
        for subset in UsdGeom.Subset.GetAllGeomSubsets(shown):
            print(indent, "subset", subset.GetPath(), subset.GetFamilyNameAttr().Get(),
                  short(subset.GetIndicesAttr().Get()))
    else:
        print(indent, prim.GetName(), prim.GetTypeName())
    if prim.GetName() == "Looks":
        walk.PruneChildren()
