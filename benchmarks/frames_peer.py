"""Frames as a program makes them with usd-core in Python: with its caches, once per prototype, and the second time only what may vary."""

from __future__ import annotations

from typing import Any

import numpy as np

LINKS = ("lightLink", "shadowLink")
ELSEWHERE = ("visibility", "purpose", "xformOpOrder")
ELSEWHERE_IN = ("primvars:", "collection:", "skel:")


class Geometry:
    """What the prims have in common that are the same prim of a prototype."""

    def __init__(self, prim: Any, primvars: list[Any], skin: Any) -> None:
        from pxr import Usd, UsdGeom

        names = prim.GetPrimDefinition().GetPropertyNames()
        own = [a for a in prim.GetAttributes() if a.GetName() in names and a.GetName() not in ELSEWHERE and not a.GetName().startswith(ELSEWHERE_IN)]
        self.queries = [Usd.AttributeQuery(a) for a in own if a.HasValue()]
        self.primvars = primvars
        self.skin = skin
        self.moving = self.points_with_velocities(prim)
        self.instancer = UsdGeom.PointInstancer(prim) if prim.IsA(UsdGeom.PointInstancer) else None
        self.arrays: dict[str, Any] = {}
        self.prims = 0

    @staticmethod
    def points_with_velocities(prim: Any) -> Any:
        """The schema of points that velocities advance; None for others."""
        from pxr import UsdGeom

        schema = UsdGeom.PointBased(prim)
        return schema if schema and schema.GetVelocitiesAttr().HasValue() else None

    def varies(self) -> bool:
        return self.skin is not None or any(source.ValueMightBeTimeVarying() for source in (*self.queries, *self.primvars))

    def read(self, time: float, again: bool) -> None:
        for query in self.queries:
            if not again or query.ValueMightBeTimeVarying():
                self.arrays[query.GetAttribute().GetName()] = plain(query.Get(time))
        for primvar in self.primvars:
            if not again or primvar.ValueMightBeTimeVarying():
                self.arrays[primvar.GetName()] = plain(primvar.Get(time))
                if primvar.IsIndexed():
                    self.arrays[primvar.GetName() + ":indices"] = plain(primvar.GetIndices(time))
        if self.instancer:
            self.arrays["instances"] = plain(self.instancer.ComputeInstanceTransformsAtTime(time, time))
        if self.moving:
            self.arrays["points"] = plain(self.moving.ComputePointsAtTime(time, time))
        if self.skin is not None:
            self.arrays["points"], self.arrays["normals"] = plain(self.skin.points(time)), plain(self.skin.normals(time))


def plain(value: Any) -> Any:
    """An array of NumPy for arrays, as a renderer needs them."""
    return np.array(value) if type(value).__name__.endswith("Array") and not type(value).__name__.startswith(("String", "Token")) else value


class Skin:
    """A skinned prim. Joints are computed once for all prims of a skeleton."""

    def __init__(self, skeleton: Any, query: Any, poses: dict[Any, Any]) -> None:
        from pxr import UsdGeom, UsdSkel

        self.skeleton, self.query, self.poses = skeleton, query, poses
        prim = query.GetPrim()
        self.rest = UsdGeom.PointBased(prim).GetPointsAttr() if prim.IsA(UsdGeom.PointBased) else None
        self.rigid = query.IsRigidlyDeformed()
        self.shapes = None
        if query.HasBlendShapes():
            shapes = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
            self.shapes = (shapes, shapes.ComputeBlendShapePointIndices(), shapes.ComputeSubShapePointOffsets(), query.GetBlendShapeMapper())

    def pose(self, time: float) -> Any:
        animation = self.skeleton.GetAnimQuery()
        # The skeletons of instances are one prim, that of the prototype, with an animation for each.
        key = self.skeleton.GetPrim().GetPath(), animation.GetPrim().GetPath() if animation else None, time
        if key not in self.poses:
            weights = animation.ComputeBlendShapeWeights(time) if animation else None
            self.poses[key] = (self.skeleton.ComputeSkinningTransforms(time), weights)
        return self.poses[key]

    def normals(self, time: float) -> Any:
        """Skinned normals of points, without blend shapes; None for others."""
        from pxr import Gf, UsdGeom, UsdSkel, Vt

        prim = self.query.GetPrim()
        schema = UsdGeom.PointBased(prim)
        normals = schema.GetNormalsAttr().Get(time) if schema else None
        if not normals or self.rigid or schema.GetNormalsInterpolation() not in ("vertex", "varying"):
            return normals
        joints, _ = self.pose(time)
        mapper = self.query.GetJointMapper()
        joints = mapper.RemapTransforms(joints, Vt.Matrix4dArray()) if mapper else joints
        inverse = np.linalg.inv(np.array(joints)[:, :3, :3]).transpose(0, 2, 1)
        bind = Gf.Matrix3d(*np.linalg.inv(np.array(self.query.GetGeomBindTransform(time))[:3, :3]).T.flatten())
        indices, weights = self.query.ComputeJointInfluences(time)
        matrices = Vt.Matrix3dArray.FromNumpy(np.ascontiguousarray(inverse))
        size = self.query.GetNumInfluencesPerComponent()
        UsdSkel.SkinNormals(self.query.GetSkinningMethod(), bind, matrices, indices, weights, size, normals, True)
        return normals

    def transform(self, time: float, cache: Any) -> Any:
        """The transform to world space of a prim that moves as a whole."""
        joints, _ = self.pose(time)
        skeleton = self.skeleton.GetPrim()
        if skeleton.IsInPrototype():
            prim = self.query.GetPrim()
            while not prim.IsInstance():
                prim = prim.GetParent()
            skeleton = skeleton.GetStage().GetPrimAtPath(skeleton.GetPath().ReplacePrefix(prim.GetPrototype().GetPath(), prim.GetPath()))
        return self.query.ComputeSkinnedTransform(joints, time) * cache.GetLocalToWorldTransform(skeleton)

    def points(self, time: float) -> Any:
        if self.rest is None:
            return None
        joints, weights = self.pose(time)
        points = self.rest.Get(time)
        if self.shapes is not None and weights is not None:
            shapes, indices, offsets, mapper = self.shapes
            found = shapes.ComputeSubShapeWeights(mapper.Remap(weights) if mapper else weights)
            shapes.ComputeDeformedPoints(*found[-3:], indices, offsets, points)
        if not self.rigid:
            self.query.ComputeSkinnedPoints(joints, points, time)
        return points


class PeerFrames:
    """The frames of a stage, one after another."""

    def __init__(self, stage: Any) -> None:
        from pxr import Usd

        self.stage = stage
        self.predicate = Usd.TraverseInstanceProxies()
        self.prims: list[Any] = []
        self.prototypes: list[Any] = []  # of point instancers, for each prim that is in one
        self.skins: list[Skin | None] = []
        self.poses: dict[Any, Any] = {}
        self.networks: dict[Any, Any] = {}
        self.varying_materials: set[Any] = set()
        self.blinking = False

    def frame(self, time: float) -> None:
        """Computes all that the frame has, or what may differ from the one before."""
        again = bool(self.prims)
        if not again:
            self.find()
        self.poses.clear()
        self.read_transforms(time, again)
        self.read_visibility(time, again)
        for geometry in self.varying if again else self.geometry.values():
            geometry.read(time, again)
        self.read_networks(time, again)

    # ------------------------------------------------------------------------------------ once
    def find(self) -> None:
        from pxr import Usd, UsdGeom

        skins = self.find_skins()
        self.geometry: dict[Any, Geometry] = {}
        self.varying: list[Geometry] = []
        self.subsets: dict[Any, Any] = {}
        self.lights: list[Any] = []
        purposes: dict[Any, Any] = {}
        targets: set[Any] = set()
        prototypes: dict[Any, Any] = {}
        inherited: dict[Any, Any] = {self.stage.GetPseudoRoot().GetPath(): []}
        walk = iter(Usd.PrimRange(self.stage.GetPseudoRoot(), self.predicate))
        next(walk)
        for prim in walk:
            path, above = prim.GetPath(), prim.GetPath().GetParentPath()
            primvars = UsdGeom.PrimvarsAPI(prim)
            inheritable = primvars.FindIncrementallyInheritablePrimvars(inherited[above])
            inherited[path] = inheritable or inherited[above]
            imageable = UsdGeom.Imageable(prim)
            if imageable:
                parent = purposes.get(above)
                purposes[path] = imageable.ComputePurposeInfo(parent) if parent else imageable.ComputePurposeInfo()
            if prim.HasAPI("LightAPI"):
                self.lights.append(prim)
            prototypes[path] = prim if path in targets else prototypes.get(above)
            if prim.IsA(UsdGeom.PointInstancer):
                targets.update(UsdGeom.PointInstancer(prim).GetPrototypesRel().GetTargets())
            elif not prim.IsA(UsdGeom.Gprim):
                continue
            if purposes[path].purpose in ("default", "render"):
                self.prototypes.append(prototypes[path])
                self.add(prim, inherited[above], skins)
        self.bind()

    def add(self, prim: Any, inherited: list[Any], skins: dict[Any, Any]) -> None:
        from pxr import UsdGeom

        self.prims.append(prim)
        skin = skins.get(prim.GetPath())
        shared = prim.GetPrimInPrototype().GetPath() if prim.IsInstanceProxy() and skin is None else prim.GetPath()
        key = shared, tuple(p.GetAttr().GetPath() for p in inherited)
        if key not in self.geometry:
            found = UsdGeom.PrimvarsAPI(prim).FindPrimvarsWithInheritance(inherited)
            primvars = [primvar for primvar in found if not primvar.GetPrimvarName().startswith("skel:")]  # as we do
            self.geometry[key] = Geometry(prim, primvars, Skin(*skin, self.poses) if skin else None)
            if self.geometry[key].varies():
                self.varying.append(self.geometry[key])
            if found := UsdGeom.Subset.GetAllGeomSubsets(UsdGeom.Imageable(prim)):
                self.subsets[key] = [np.array(subset.GetIndicesAttr().Get()) for subset in found]
        self.geometry[key].prims += 1
        self.skins.append(self.geometry[key].skin)

    def find_skins(self) -> dict[Any, Any]:
        from pxr import Usd, UsdSkel

        found: dict[Any, Any] = {}
        cache = UsdSkel.Cache()
        for prim in Usd.PrimRange(self.stage.GetPseudoRoot(), self.predicate):
            if not prim.IsA(UsdSkel.Root):
                continue
            root = UsdSkel.Root(prim)
            cache.Populate(root, self.predicate)
            for binding in cache.ComputeSkelBindings(root, self.predicate):
                skeleton = cache.GetSkelQuery(binding.GetSkeleton())
                for query in binding.GetSkinningTargets():
                    found[query.GetPrim().GetPath()] = (skeleton, query)
        return found

    def bind(self) -> None:
        from pxr import Usd, UsdShade

        materials, _ = UsdShade.MaterialBindingAPI.ComputeBoundMaterials(self.prims, "full")
        self.materials = {material.GetPath(): material for material in materials if material}
        queries = [[Usd.CollectionAPI(light, link).ComputeMembershipQuery() for light in self.lights] for link in LINKS]
        self.linked = [[sum(query.IsPathIncluded(prim.GetPath()) for query in link) for prim in self.prims] for link in queries if link]

    # ------------------------------------------------------------------------------ each frame
    def read_transforms(self, time: float, again: bool) -> None:
        from pxr import UsdGeom

        cache = UsdGeom.XformCache(time)
        if not again:
            self.matrices = np.empty((len(self.prims), 4, 4))
            moves: dict[Any, bool] = {}
            self.moving = [i for i, prim in enumerate(self.prims) if self.is_rigid(i) or self.may_move(prim, moves)]
        for i in self.moving if again else range(len(self.prims)):
            skin = self.skins[i]
            if skin and skin.rigid:
                self.matrices[i] = skin.transform(time, cache)
            elif self.prototypes[i]:
                self.matrices[i], _ = cache.ComputeRelativeTransform(self.prims[i], self.prototypes[i])
            else:
                self.matrices[i] = cache.GetLocalToWorldTransform(self.prims[i])

    def is_rigid(self, i: int) -> bool:
        return self.skins[i] is not None and self.skins[i].rigid

    def may_move(self, prim: Any, known: dict[Any, bool]) -> bool:
        from pxr import UsdGeom

        path = prim.GetPath()
        if path not in known:
            schema = UsdGeom.Xformable(prim)
            own = bool(schema) and schema.TransformMightBeTimeVarying()
            known[path] = own or (not path.IsAbsoluteRootPath() and self.may_move(prim.GetParent(), known))
        return known[path]

    def read_visibility(self, time: float, again: bool) -> None:
        from pxr import UsdGeom

        known: dict[Any, bool] = {}

        def visible(prim: Any) -> bool:
            path = prim.GetPath()
            if path not in known:
                schema = UsdGeom.Imageable(prim)
                attribute = schema.GetVisibilityAttr() if schema else None
                self.blinking = self.blinking or bool(attribute and attribute.ValueMightBeTimeVarying())
                hidden = attribute and attribute.Get(time) == "invisible"
                known[path] = not hidden and (path.IsAbsoluteRootPath() or visible(prim.GetParent()))
            return known[path]

        if not again or self.blinking:
            self.visible = [visible(prim) for prim in self.prims]

    def read_networks(self, time: float, again: bool) -> None:
        from pxr import UsdShade

        for path, material in self.materials.items():
            if again and path not in self.varying_materials:
                continue
            shader, _, _ = material.ComputeSurfaceSource()
            todo, values = [shader.GetPrim()] if shader else [], {}
            while todo:
                prim = todo.pop()
                if prim.GetPath() in values:
                    continue
                values[prim.GetPath()] = found = {}
                for port in UsdShade.ConnectableAPI(prim).GetInputs(True):
                    producers = UsdShade.Utils.GetValueProducingAttributes(port)
                    todo += [a.GetPrim() for a in producers if a.GetName().startswith("outputs:")]
                    found[port.GetFullName()] = [a.Get(time) for a in producers]
                    if any(a.ValueMightBeTimeVarying() for a in producers):
                        self.varying_materials.add(path)
            self.networks[path] = values

    def checks(self) -> dict[str, float]:
        """Numbers to check the frame by."""
        points = [(g.prims, g.arrays["points"]) for g in self.geometry.values() if isinstance(g.arrays.get("points"), np.ndarray)]
        return {"prims": len(self.prims), "points": sum(count * len(array) for count, array in points),
                "points_sum": float(sum(count * array.sum(dtype=np.float64) for count, array in points)),
                "moved": float(self.matrices[:, 3, :3].sum()), "materials": len(self.materials)}
