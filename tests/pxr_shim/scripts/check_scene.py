"""What a supervisor wants to know before a shot is published."""

import sys

from pxr import Sdf, Tf, Usd, UsdGeom, UsdShade

stage = Usd.Stage.Open(sys.argv[1])
problems = []
if not stage.HasDefaultPrim():
    problems.append("no default prim")
if not stage.HasAuthoredMetadata("upAxis"):
    problems.append("no up axis")
for prim in stage.Traverse():
    if not prim.IsDefined() or prim.IsAbstract() or not prim.IsActive() or not prim.IsLoaded():
        problems.append(f"{prim.GetPath()} should not be here")
    if not Tf.IsValidIdentifier(prim.GetName()):
        problems.append(f"{prim.GetPath()} has a strange name")
    if prim.IsA(UsdGeom.Gprim):
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
        if not material:
            problems.append(f"{prim.GetPath()} has no material")
        extent = UsdGeom.Boundable(prim).GetExtentAttr()
        if not extent.HasAuthoredValue():
            problems.append(f"{prim.GetPath()} has no extent")
    for relationship in prim.GetAuthoredRelationships():
        for target in relationship.GetForwardedTargets():
            if not stage.GetObjectAtPath(target):
                problems.append(f"{relationship.GetPath()} leads nowhere: {target}")
    for attribute in prim.GetAuthoredAttributes():
        if attribute.IsCustom() and not attribute.GetNamespace():
            problems.append(f"{attribute.GetPath()} is custom, of type {attribute.GetTypeName()}")
        if attribute.GetVariability() == Sdf.VariabilityUniform and attribute.GetNumTimeSamples():
            problems.append(f"{attribute.GetPath()} is uniform and has samples")
        if not attribute.HasValue():
            problems.append(f"{attribute.GetPath()} has no value")
print(len(problems))
for problem in problems:
    print(problem)
