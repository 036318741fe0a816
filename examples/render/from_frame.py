"""Scenes of frames as a Stagedoor daemon streams them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import stagedoor

import shapes
from scene import Array, Camera, Geometry, Instances, Item, Light, Motion, Scene, Shutter

LENS = (
    "focal_length",
    "horizontal_aperture",
    "vertical_aperture",
    "horizontal_aperture_offset",
    "vertical_aperture_offset",
    "linear_exposure_scale",
)


def scenes(root: str, camera: str, shutters: list[Shutter]) -> Iterator[Scene]:
    """The scene of each frame. Of the second and later ones, only what differs is sent."""
    first = shutters[0]
    with stagedoor.open(root) as stage:
        frame = stage.frame(
            first.frame,
            shutter=stagedoor.Shutter(first.open, first.close, segments=first.segments),
            camera=camera,
            purposes=["default", "render"],
            primvars=["displayColor"],
            flatten_primvars=True,
            invisible=False,
        )
        for shutter in shutters:
            frame = (frame if shutter is first else frame.next(shutter.frame)).read()
            yield _Reader(frame, shutter).scene()


class _Reader:
    """Reads what a frame holds."""

    def __init__(self, frame: Any, shutter: Shutter) -> None:
        self.frame, self.shutter = frame, shutter
        self.warnings = [f"{path}: {error}" for path, error in frame.errors.items()]
        self.prototypes = {0: ""}  # the paths of their roots, by ID
        for geometry in frame.geometry.values():
            if instances := geometry.instances:
                self.prototypes.update(zip(instances.prototypes, instances.prototype_paths))

    def scene(self) -> Scene:
        items = [item for prim in self.frame.prims.values() for item in self._items(prim)]
        lights = [self._light(light) for light in self.frame.lights.values() if self.frame.visibility[light]]
        items.sort(key=lambda item: (item.prototype, item.path))
        lights.sort(key=lambda light: light.path)
        return Scene(self.shutter, self._camera(), items, lights, self.warnings)

    def _items(self, prim: Any) -> Iterator[Item]:
        """The item of a prim; none if it cannot be drawn."""
        geometry = self.frame.geometry.get(prim)
        if geometry is None:
            return  # which is among the errors
        if geometry.instances is None and (prim.draw_mode or prim.type_name not in shapes.ATTRIBUTES):
            kind = prim.draw_mode or f"of the type {prim.type_name}"
            self.warnings.append(f"{prim.path} is not drawn: it is {kind}")
            return
        lights = [self.frame.lights[id] for id in self.frame.light_sets[prim].tolist()]
        yield Item(
            prim.path,
            self._transform(prim),
            self._instances(geometry.instances) if geometry.instances else self._geometry(prim.type_name, geometry),
            self._base_color(prim.material),
            [
                (subset.indices, self._base_color(subset.material))
                for subset in self.frame.subsets.of(prim)
                if (subset.family, subset.element_type) == ("materialBind", "face")
            ],
            tuple(sorted(light.path for light in lights if self.frame.visibility[light])),
            self.prototypes[prim.prototype],
        )

    def _motion(self, times: Array, values: Any) -> Motion:
        return Motion.of(times, values, self.shutter.frame)

    def _transform(self, placed: Any) -> Motion:
        motion = self.frame.transforms[placed]
        return self._motion(motion.times, motion.values)

    def _geometry(self, kind: str, geometry: Any) -> Geometry:
        values = {name: self._value(geometry[name]) for name in shapes.ATTRIBUTES[kind]}
        color = geometry.get("primvars:displayColor")
        if color is None:
            return Geometry(kind, values)
        return Geometry(kind, values, self._value(color), color.interpolation)

    def _value(self, value: Any) -> Motion:
        return self._motion(value.times, value.values)

    def _instances(self, instances: Any) -> Instances:
        transforms = self._motion(instances.times, instances.transforms)
        return Instances(list(instances.prototype_paths), instances.prototype_indices, transforms)

    def _base_color(self, material: int) -> Array | None:
        """The diffuseColor of a material that is a UsdPreviewSurface, if it is constant."""
        network = self.frame.materials[material].network if material else None
        if network is None or "surface" not in network.terminals:
            return None
        node = network.nodes[network.terminals["surface"].source.node]
        if node.id != "UsdPreviewSurface":
            return None
        port = node.inputs.get("diffuseColor")
        if port is None:
            return shapes.GRAY
        return None if port.connections else np.array(port.value, np.float32)

    def _light(self, light: Any) -> Light:
        values = {name[len("inputs:") :]: v for name, v in light.values.items() if name.startswith("inputs:")}
        inputs = {name: self._value(value) for name, value in values.items()}
        return Light(light.path, light.type_name, self._transform(light), inputs)

    def _camera(self) -> Camera:
        camera = self.frame.camera
        if camera.error:
            raise camera.error
        transforms = self._motion(camera.times, [sample.transform for sample in camera.samples])
        lens = [[getattr(sample, name) for name in LENS] for sample in camera.samples]
        return Camera(transforms, self._motion(camera.times, lens))
