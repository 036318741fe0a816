"""Primvars, own and inherited ones."""

import sys

from pxr import Usd, UsdGeom
from report import short

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.Imageable):
        continue
    api = UsdGeom.PrimvarsAPI(prim)
    for primvar in api.GetPrimvarsWithValues():
        print(primvar.GetAttr().GetPath(), primvar.GetPrimvarName(), primvar.GetTypeName(),
              primvar.GetInterpolation(), primvar.GetElementSize(), primvar.IsIndexed(),
              primvar.ValueMightBeTimeVarying())
        print("  ", short(primvar.Get(1)), short(primvar.GetIndices(1)),
              short(primvar.ComputeFlattened(1)))
    print(prim.GetPath(), sorted(p.GetName() for p in api.FindPrimvarsWithInheritance()),
          sorted(p.GetName() for p in api.FindInheritablePrimvars()),
          sorted(p.GetName() for p in api.GetAuthoredPrimvars()),
          bool(api.FindPrimvarWithInheritance("displayColor").HasAuthoredValue()),
          api.HasPossiblyInheritedPrimvar("displayColor"))
