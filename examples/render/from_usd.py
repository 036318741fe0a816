"""Scenes of frames as OpenUSD's own library computes them, to compare those of Stagedoor with."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdLux, UsdShade, UsdSkel

import shapes
from scene import Array, Camera, Geometry, Instances, Item, Light, Motion, Scene, Shutter

PREDICATE = Usd.TraverseInstanceProxies()
PURPOSES = (UsdGeom.Tokens.default_, UsdGeom.Tokens.render)


def scenes(root: str, camera: str, shutters: list[Shutter]) -> Iterator[Scene]:
    """The scene of each frame."""
    stage = Usd.Stage.Open(root)
    for shutter in shutters:
        yield _Reader(stage, shutter).scene(camera)


class _Reader:
    """Reads one frame of a stage."""

    def __init__(self, stage: Usd.Stage, shutter: Shutter) -> None:
        self.stage, self.shutter = stage, shutter
        self.frame = Usd.TimeCode(shutter.frame)
        self.spaces = {time: UsdGeom.XformCache(Usd.TimeCode(time)) for time in shutter.times}
        self.warnings: list[str] = []
        everything = list(Usd.PrimRange(stage.GetPseudoRoot(), PREDICATE))
        self.instancers = [prim for prim in everything if prim.IsA(UsdGeom.PointInstancer)]
        self.lights = [prim for prim in everything if prim.HasAPI(UsdLux.LightAPI) and self._visible(prim)]
        links = [UsdLux.LightAPI(prim).GetLightLinkCollectionAPI() for prim in self.lights]
        self.links = [link.ComputeMembershipQuery() for link in links]
        self.skins = dict(self._skins(prim for prim in everything if prim.IsA(UsdSkel.Root)))

    def scene(self, camera: str) -> Scene:
        items = [item for prim in self._drawn(self.stage.GetPseudoRoot()) for item in self._items(prim, None)]
        for root in self._prototypes():
            items += [item for prim in self._drawn(root) for item in self._items(prim, root)]
        items.sort(key=lambda item: (item.prototype, item.path))
        lights = sorted(map(self._light, self.lights), key=lambda light: light.path)
        return Scene(self.shutter, self._camera(camera), items, lights, self.warnings)

    # ------------------------------------------------------------------------------------- prims

    def _drawn(self, root: Usd.Prim) -> Iterator[Usd.Prim]:
        """The prims below a root that are visible; not those below point instancers."""
        prims = iter(Usd.PrimRange(root, PREDICATE))
        for prim in prims:
            if prim.IsA(UsdGeom.PointInstancer):
                prims.PruneChildren()
            if prim.IsA(UsdGeom.Imageable) and self._visible(prim):
                yield prim

    def _visible(self, prim: Usd.Prim) -> bool:
        return bool(UsdGeom.Imageable(prim).ComputeVisibility(self.frame) != UsdGeom.Tokens.invisible)

    def _prototypes(self) -> list[Usd.Prim]:
        """The roots of prototypes of point instancers."""
        targets = [UsdGeom.PointInstancer(prim).GetPrototypesRel().GetForwardedTargets() for prim in self.instancers]
        paths = {path for found in targets for path in found}
        return [prim for path in sorted(paths) if (prim := self.stage.GetPrimAtPath(path))]

    def _items(self, prim: Usd.Prim, root: Usd.Prim | None) -> Iterator[Item]:
        """The item of a prim, as a part of the prototype that has a root; none if it cannot be drawn."""
        path, instancer = str(prim.GetPath()), prim.IsA(UsdGeom.PointInstancer)
        if UsdGeom.Imageable(prim).ComputePurpose() not in PURPOSES or not (instancer or prim.IsA(UsdGeom.Gprim)):
            return
        if not instancer and prim.GetTypeName() not in shapes.ATTRIBUTES:
            self.warnings.append(f"{path} is not drawn: it is of the type {prim.GetTypeName()}")
            return
        linked = [light for light, link in zip(self.lights, self.links) if link.IsPathIncluded(prim.GetPath())]
        yield Item(
            path,
            self._transform(prim, root),
            self._instances(prim) if instancer else self._geometry(prim),
            self._base_color(prim),
            [
                (np.array(subset.GetIndicesAttr().Get(self.frame)), self._base_color(subset.GetPrim()))
                for subset in UsdShade.MaterialBindingAPI(prim).GetMaterialBindSubsets()
            ],
            tuple(sorted(str(light.GetPath()) for light in linked)),
            str(root.GetPath()) if root else "",
        )

    # ---------------------------------------------------------------------------------- geometry

    def _motion(self, read: Callable[[Usd.TimeCode], Any]) -> Motion:
        times = self.shutter.times
        return Motion.of(times, [np.array(read(Usd.TimeCode(time))) for time in times], self.shutter.frame)

    def _transform(self, prim: Usd.Prim, root: Usd.Prim | None = None) -> Motion:
        def read(time: Usd.TimeCode) -> Any:
            space = self.spaces[time.GetValue()]
            return space.ComputeRelativeTransform(prim, root)[0] if root else space.GetLocalToWorldTransform(prim)

        return self._motion(read)

    def _geometry(self, prim: Usd.Prim) -> Geometry:
        kind = str(prim.GetTypeName())
        values = {name: self._motion(prim.GetAttribute(name).Get) for name in shapes.ATTRIBUTES[kind]}
        if "points" in values:
            values["points"] = self._motion(lambda time: self._points(prim, time))
        color = UsdGeom.PrimvarsAPI(prim).FindPrimvarWithInheritance("displayColor")
        if not color.HasValue():
            return Geometry(kind, values)
        return Geometry(kind, values, self._motion(color.ComputeFlattened), color.GetInterpolation())

    def _points(self, prim: Usd.Prim, time: Usd.TimeCode) -> Any:
        """The points in the prim's space, moved by velocities, or by a skeleton and blend shapes."""
        points = UsdGeom.PointBased(prim).ComputePointsAtTime(time, self.frame)
        if prim.GetPath() not in self.skins:
            return points
        skeleton, skin = self.skins[prim.GetPath()]
        if skin.HasBlendShapes() and skeleton.GetAnimQuery():
            weights = skeleton.GetAnimQuery().ComputeBlendShapeWeights(time)
            mapper = skin.GetBlendShapeMapper()
            query = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
            parts = query.ComputeSubShapeWeights(mapper.Remap(weights) if mapper else weights)
            indices, offsets = query.ComputeBlendShapePointIndices(), query.ComputeSubShapePointOffsets()
            query.ComputeDeformedPoints(*parts, indices, offsets, points)
        skin.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(time), points, time)
        space = self.spaces[time.GetValue()]
        to_world = space.GetLocalToWorldTransform(skeleton.GetPrim())
        to_prim = to_world * space.GetLocalToWorldTransform(prim).GetInverse()
        return [to_prim.Transform(point) for point in points]

    @staticmethod
    def _skins(roots: Iterator[Usd.Prim]) -> Iterator[tuple[Any, tuple[Any, Any]]]:
        """By the path of each skinned prim, the queries of its skeleton and of its skin."""
        cache = UsdSkel.Cache()
        for root in map(UsdSkel.Root, roots):
            if cache.Populate(root, PREDICATE):
                for binding in cache.ComputeSkelBindings(root, PREDICATE):
                    skeleton = cache.GetSkelQuery(binding.GetSkeleton())
                    yield from ((skin.GetPrim().GetPath(), (skeleton, skin)) for skin in binding.GetSkinningTargets())

    def _instances(self, prim: Usd.Prim) -> Instances:
        instancer = UsdGeom.PointInstancer(prim)
        times = [Usd.TimeCode(time) for time in self.shutter.times]
        transforms = instancer.ComputeInstanceTransformsAtTimes(times, self.frame)
        mask = np.array(instancer.ComputeMaskAtTime(self.frame), bool)
        indices = np.array(instancer.GetProtoIndicesAttr().Get(self.frame))
        return Instances(
            [str(path) for path in instancer.GetPrototypesRel().GetForwardedTargets()],
            indices[mask] if len(mask) else indices,
            Motion.of(self.shutter.times, map(np.array, transforms), self.shutter.frame),
        )

    # ----------------------------------------------------------------- materials, lights, camera

    def _base_color(self, prim: Usd.Prim) -> Array | None:
        """The diffuseColor of the UsdPreviewSurface that a prim is bound to, if it is constant."""
        material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("full")
        surface = material.ComputeSurfaceSource()[0] if material else None
        if not surface or surface.GetIdAttr().Get() != "UsdPreviewSurface":
            return None
        port = surface.GetInput("diffuseColor")
        if not port:
            return shapes.GRAY
        source = UsdShade.Utils.GetValueProducingAttributes(port)
        constant = bool(source) and UsdShade.Input.IsInput(source[0])
        return np.array(source[0].Get(self.frame), np.float32) if constant else None

    def _light(self, prim: Usd.Prim) -> Light:
        inputs = [a for a in prim.GetAttributes() if a.GetName().startswith("inputs:") and a.HasValue()]
        values = {attribute.GetName()[len("inputs:") :]: self._motion(attribute.Get) for attribute in inputs}
        return Light(str(prim.GetPath()), str(prim.GetTypeName()), self._transform(prim), values)

    def _camera(self, path: str) -> Camera:
        camera = UsdGeom.Camera(self.stage.GetPrimAtPath(path))
        names = ["focalLength", "horizontalAperture", "verticalAperture"]
        names += ["horizontalApertureOffset", "verticalApertureOffset"]
        attributes = [camera.GetPrim().GetAttribute(name) for name in names]

        def lens(time: Usd.TimeCode) -> list[float]:
            return [*(attribute.Get(time) for attribute in attributes), camera.ComputeLinearExposureScale(time)]

        return Camera(self._transform(camera.GetPrim()), self._motion(lens))
