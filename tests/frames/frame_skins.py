"""The skinned prims of a stage, deformed by usd-core."""
import numpy as np
from plain_values import UNCHECKED, rows
from pxr import Usd, UsdGeom, UsdSkel
from skinning_records import PREDICATE, chain, deformation_attributes, operations, outside

import oracle

oracle.enc = lambda value: value  # arrays as they are, not as text


class Skins:
    """The bindings of all SkelRoots. Deformations are remembered."""

    def __init__(self, stage, wanted=True):
        self.stage, self.targets, self.known = stage, {}, {}
        for prim in Usd.PrimRange(stage.GetPseudoRoot(), PREDICATE) if wanted else ():
            if prim.IsA(UsdSkel.Root):
                self.add(UsdSkel.Root(prim))

    def add(self, root):
        cache = UsdSkel.Cache()
        if not cache.Populate(root, PREDICATE):
            return
        for binding in cache.ComputeSkelBindings(root, PREDICATE):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            for skinning in binding.GetSkinningTargets() if skeleton else ():
                self.targets.setdefault(skinning.GetPrim().GetPath(), (skeleton, skinning))

    def has(self, prim):
        return prim.GetPath() in self.targets

    def is_rigid(self, prim):
        if not self.has(prim):
            return False
        skinning = self.targets[prim.GetPath()][1]
        return skinning.HasJointInfluences() and skinning.IsRigidlyDeformed() and prim.IsA(UsdGeom.Xformable)

    def record(self, prim, code):
        key = prim.GetPath(), code
        if key not in self.known:
            self.known[key] = self.compute(prim, code)
        return self.known[key]

    def compute(self, prim, code):
        try:
            return oracle.skin(*self.targets[prim.GetPath()], "", code)
        except IndexError:  # faces have points that do not exist; the oracle does not know what becomes of their normals
            return {"points": UNCHECKED, "normals": UNCHECKED, "xform": None}

    def array(self, prim, name, code):
        """The deformed points or normals; None if they cannot be deformed."""
        found = self.record(prim, code)[name]
        return found if found is None or found is UNCHECKED else rows(np.array(found))

    def rigid(self, prim, code):
        """The local transform of a prim that its skin moves as a whole; None for others, and if it cannot be computed."""
        return self.record(prim, code)["xform"] if self.is_rigid(prim) else None

    def deforms(self, prim, name):
        """Whether the skin deforms the points or normals of a prim."""
        if not self.has(prim) or not prim.IsA(UsdGeom.PointBased):
            return False
        skinning = self.targets[prim.GetPath()][1]
        if self.is_rigid(prim) and not skinning.HasBlendShapes():
            return False
        if name == "points":
            return True
        interpolation = UsdGeom.PointBased(prim).GetNormalsInterpolation()
        return interpolation in ("vertex", "varying") or (interpolation == "faceVarying" and prim.IsA(UsdGeom.Mesh))

    def attributes(self, prim):
        """The attributes that the deformation in the prim's space depends on."""
        skeleton_query, skinning = self.targets[prim.GetPath()]
        skeleton = self.stage.GetPrimAtPath(outside(skeleton_query.GetSkeleton().GetPath(), prim))
        own, other = chain(prim), chain(skeleton)
        while own and other and own[-1] == other[-1]:
            own.pop()
            other.pop()
        return deformation_attributes(skeleton_query, skinning) + [op for p in own + other for op in operations(p)[0]]
