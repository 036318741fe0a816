"""Skeletons, their animation, and the meshes that they deform."""

import sys

from pxr import Usd, UsdGeom, UsdSkel
from report import matrix, row, short

stage = Usd.Stage.Open(sys.argv[1])
time = 5
cache = UsdSkel.Cache()
for prim in stage.Traverse():
    if not prim.IsA(UsdSkel.Root):
        continue
    root = UsdSkel.Root(prim)
    cache.Populate(root, Usd.PrimDefaultPredicate)
    for binding in cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate):
        query = cache.GetSkelQuery(binding.GetSkeleton())
        print(prim.GetPath(), query.GetPrim().GetPath(), query.HasBindPose(), query.HasRestPose())
        parents = query.GetTopology().GetParentIndices()
        local = query.ComputeJointLocalTransforms(time)
        skel = query.ComputeJointSkelTransforms(time)
        for i, joint in enumerate(query.GetJointOrder()):
            print("  joint", joint, parents[i], matrix(local[i]), matrix(skel[i]))
        animation = query.GetAnimQuery()
        if animation:
            print("  animation", animation.GetPrim().GetPath(), list(animation.GetJointOrder()))
            print("  samples", animation.GetJointTransformTimeSamples())
            print("  shapes", list(animation.GetBlendShapeOrder()),
                  short(animation.ComputeBlendShapeWeights(time)))
        transforms = query.ComputeSkinningTransforms(time)
        for target in binding.GetSkinningTargets():
            mesh = UsdGeom.PointBased(target.GetPrim())
            print("  mesh", target.GetPrim().GetPath(), target.GetInterpolation(),
                  target.GetNumInfluencesPerComponent(), target.HasBlendShapes(),
                  target.IsRigidlyDeformed(), matrix(target.GetGeomBindTransform()))
            if not target.HasJointInfluences():
                continue
            print("  influences", *(short(part) for part in target.ComputeJointInfluences()))
            points = mesh.GetPointsAttr().Get()
            if not target.IsRigidlyDeformed() and target.ComputeSkinnedPoints(transforms, points):
                print("  skinned", [row(point) for point in points[:8]])
            targets = target.GetBlendShapeTargetsRel()
            for name in targets.GetTargets() if targets else ():
                shape = UsdSkel.BlendShape.Get(stage, name)
                print("  blend shape", name, short(shape.GetOffsetsAttr().Get()),
                      [(found.GetAttr().GetName(), found.GetWeight())
                       for found in shape.GetInbetweens()])
