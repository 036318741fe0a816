"""Variant sets, what is chosen, and what there is to choose."""

import sys

from pxr import Usd

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.TraverseAll():
    if not prim.HasVariantSets():
        continue
    sets = prim.GetVariantSets()
    print(prim.GetPath(), sets.GetNames(), sorted(sets.GetAllVariantSelections().items()))
    for name in sets.GetNames():
        chosen = sets.GetVariantSet(name)
        print("  ", name, chosen.GetVariantSelection(), chosen.GetVariantNames(),
              chosen.HasAuthoredVariant("nothing"), prim.GetVariantSet(name).GetName())
