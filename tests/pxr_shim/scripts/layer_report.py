"""Layers, and which of them have specs of a prim."""

import os
import sys

from pxr import Pcp, Sdf, Usd
from report import short


def name(layer):
    return os.path.basename(layer.identifier)


stage = Usd.Stage.Open(sys.argv[1])
print([name(layer) for layer in stage.GetLayerStack(includeSessionLayers=False)])
root = stage.GetRootLayer()
print(name(root), root.defaultPrim, list(root.subLayerPaths), root.startTimeCode, root.endTimeCode,
      root.HasStartTimeCode(), root.documentation, root.GetDisplayName())
for spec in root.rootPrims:
    print(spec.path, spec.specifier, spec.typeName, spec.kind, [c.name for c in spec.nameChildren])
    for prop in spec.attributes:
        print("  ", prop.path, prop.typeName, short(prop.default), prop.custom, prop.variability)
    print("  ", [rel.path for rel in spec.relationships], dict(spec.variantSelections))
for prim in stage.Traverse():
    stack = prim.GetPrimStack()
    print(prim.GetPath(), [(name(spec.layer), str(spec.path)) for spec in stack])
    arcs = [arc for arc in Usd.PrimCompositionQuery(prim).GetCompositionArcs() if arc.HasSpecs()]
    print("  ", [(arc.GetArcType(), arc.GetTargetPrimPath()) for arc in arcs])
    print("  ", [name(arc.GetTargetLayer()) for arc in arcs if arc.GetArcType() == Pcp.ArcTypeRoot])
    for attribute in prim.GetAuthoredAttributes()[:3]:
        sites = attribute.GetPropertyStack(Usd.TimeCode.Default())
        print("  ", attribute.GetName(), [(name(spec.layer), str(spec.path)) for spec in sites])
opened = Sdf.Layer.FindOrOpen(root.identifier)
print(opened == root, Sdf.Layer.FindOrOpen(root.identifier + ".missing"))
