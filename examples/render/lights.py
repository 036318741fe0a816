"""Lights of UsdLux at one time, and samples of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from scene import Array, Light

TYPES = ("SphereLight", "DistantLight", "DomeLight")
FAR = 1e6


def unit(vectors: Array) -> Array:
    """Vectors with the length 1; those without a length stay as they are."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)


def on_sphere(count: int, random: np.random.Generator) -> Array:
    """Points on the sphere of the radius 1, evenly distributed."""
    z, angle = random.uniform(-1, 1, count), random.uniform(0, 2 * np.pi, count)
    ring = np.sqrt(1 - z * z)
    return np.stack([ring * np.cos(angle), ring * np.sin(angle), z], axis=1)


@dataclass(frozen=True, eq=False)
class Lamp:
    """A light at one time. size: its radius, or its angle in radians; radiance: of red, green and blue."""

    path: str
    type_name: str
    matrix: Array
    size: float
    radiance: Array

    def sample(self, points: Array, random: np.random.Generator) -> tuple[Array, Array, Array]:
        """For each point, the direction and the distance of a random point of the light, and the irradiance of a
        surface that faces it."""
        sphere = on_sphere(len(points), random)
        if self.type_name == "DistantLight":
            inside = sphere * np.tan(self.size / 2) * random.random((len(points), 1))
            irradiance = np.broadcast_to(self.radiance * area(self.type_name, self.size), points.shape)
            return unit(unit(self.matrix[2, :3]) + inside), np.full(len(points), FAR), irradiance
        center = self.matrix[3, :3]
        behind = np.sum(sphere * (points - center), axis=1) < 0
        normals = np.where(behind[:, None], -sphere, sphere)  # of the half that faces the point
        way = center + self.size * normals - points
        distance = np.linalg.norm(way, axis=1)
        facing = np.maximum(-np.sum(unit(way) * normals, axis=1), 0)
        share = facing * area(self.type_name, self.size) / 2 / np.maximum(distance, 1e-6) ** 2
        return unit(way), distance, share[:, None] * self.radiance


def at(light: Light, time: float) -> Lamp:
    """A light of one of TYPES at a time."""
    values = {name: motion.at(time) for name, motion in light.values.items()}
    size = float(values.get("radius", 0)) or float(np.radians(values.get("angle", 0)))
    power = float(values["intensity"] * values["diffuse"]) * 2.0 ** float(values["exposure"])
    if values["normalize"]:
        power /= area(light.type_name, size)
    radiance = values["color"].astype(np.float64) * power
    return Lamp(light.path, light.type_name, light.transform.at(time), size, radiance)


def area(type_name: str, size: float) -> float:
    """The surface of a sphere, or the irradiance by a distant light of the radiance 1; 1 if there is none."""
    if type_name == "SphereLight":
        return 4 * np.pi * size**2 or 1.0
    return np.pi * np.sin(size / 2) ** 2 or 1.0 if type_name == "DistantLight" else 1.0
