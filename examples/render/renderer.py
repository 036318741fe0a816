"""Renders scenes by following paths of light, with Embree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene

import lights
import shapes
from scene import Array, Camera, Scene

OFFSET = 1e-3  # between a surface and the rays that begin there


@dataclass(frozen=True)
class Settings:
    """How to render. moments: how many times within the shutter; samples: paths for each pixel and moment."""

    width: int = 320
    height: int = 180
    moments: int = 8
    samples: int = 4
    bounces: int = 2
    seed: int = 1


def render(scene: Scene, settings: Settings) -> Array:
    """The image: height × width × 3, linear. Equal scenes and settings give equal images, in every bit."""
    random = np.random.default_rng(settings.seed)
    shutter = scene.shutter
    image = np.zeros((settings.height * settings.width, 3))
    for moment in range(settings.moments):
        share = (moment + random.random()) / settings.moments
        time = shutter.frame + shutter.open + (shutter.close - shutter.open) * share
        world = _World(scene, time)
        exposure = float(scene.camera.lens.at(time)[5])
        for _ in range(settings.samples):
            origins, directions = _camera_rays(scene.camera, time, settings, random)
            image += world.radiance(origins, directions, settings.bounces, random) * exposure
    image /= settings.moments * settings.samples
    return image.reshape(settings.height, settings.width, 3)


def to_bytes(image: Array, stops: float = 0.0) -> Array:
    """The image for screens: sRGB of 8 bits, in which bright colors come closer and closer to white."""
    linear = 1 - np.exp(-image * 2.0**stops)
    curved: Array = np.where(linear < 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return (curved * 255 + 0.5).astype(np.uint8)


def _camera_rays(camera: Camera, time: float, settings: Settings, random: np.random.Generator) -> tuple[Array, Array]:
    """A ray through a random point of each pixel of an image that shows all of the aperture."""
    focal, wide, high, right, up, _ = map(float, camera.lens.at(time))
    aspect = settings.width / settings.height
    wide, high = max(wide, high * aspect), max(high, wide / aspect)
    row, column = np.divmod(np.arange(settings.width * settings.height), settings.width)
    jitter = random.random((2, len(row)))
    x = ((column + jitter[0]) / settings.width - 0.5) * wide + right
    y = (0.5 - (row + jitter[1]) / settings.height) * high + up
    matrix = camera.transform.at(time)
    directions = np.stack([x, y, np.full_like(x, -focal)], axis=1) @ matrix[:3, :3]
    return np.broadcast_to(matrix[3, :3], directions.shape), lights.unit(directions)


class _World:
    """The triangles and lights of a scene at one time."""

    def __init__(self, scene: Scene, time: float) -> None:
        self.lights = [lights.at(light, time) for light in scene.lights if light.type_name in lights.TYPES]
        sets = sorted({item.lights for item in scene.items})
        # For each set of lights that items have, which lights are in it.
        linked = [[light.path in paths for light in self.lights] for paths in sets]
        self.linked = np.array(linked, bool).reshape(len(sets), len(self.lights))
        corners, colors, set_of = [np.zeros((0, 3, 3))], [np.zeros((0, 3, 3))], [np.zeros(0, int)]
        for item, geometry, places in scene.placed(time):
            try:
                own_corners, own_colors = shapes.triangles(item, geometry, time)
            except ValueError as error:
                scene.warnings.append(f"{item.path} is not drawn: {error}")
                continue
            corners += [own_corners @ place[:3, :3] + place[3, :3] for place in places]
            colors += [own_colors] * len(places)
            set_of += [np.full(len(own_colors), sets.index(item.lights))] * len(places)
        self.corners = np.concatenate(corners).astype(np.float32)
        self.colors = np.concatenate(colors)
        self.set_of = np.concatenate(set_of)
        self.embree = EmbreeScene()
        TriangleMesh(self.embree, self.corners)

    def radiance(self, origins: Array, directions: Array, bounces: int, random: np.random.Generator) -> Array:
        """The light that comes along rays, by way of surfaces that are matte on both sides."""
        total, weight = np.zeros(origins.shape), np.ones(origins.shape)
        ray = np.arange(len(origins))
        linked = np.ones((len(ray), len(self.lights)), bool)  # for each ray, which lights it may come from
        for _ in range(bounces + 1):
            hit = self._trace(origins, directions, output=1)
            missed = hit["primID"] < 0
            total[ray[missed]] += weight[missed] * self._sky(linked[missed])
            ray, weight, directions = ray[~missed], weight[~missed], directions[~missed]
            triangle, u, v, distance = (hit[name][~missed, None] for name in ("primID", "u", "v", "tfar"))
            a, b, c = np.moveaxis(self.colors[triangle[:, 0]], 1, 0)
            weight = weight * (a * (1 - u - v) + b * u + c * v)
            normals = self._normals(triangle[:, 0], directions)
            origins = origins[~missed] + directions * distance + normals * OFFSET
            linked = self.linked[self.set_of[triangle[:, 0]]]
            total[ray] += weight * self._direct(origins, normals, linked, random)
            directions = lights.unit(normals + lights.on_sphere(len(ray), random))
        return total

    def _trace(self, origins: Array, directions: Array, **options: Any) -> Any:
        return self.embree.run(origins.astype(np.float32), directions.astype(np.float32), **options)

    def _normals(self, triangle: Array, directions: Array) -> Array:
        """The normals of triangles, on the side that rays come from."""
        a, b, c = np.moveaxis(self.corners[triangle].astype(np.float64), 1, 0)
        normals = lights.unit(np.cross(b - a, c - a))
        behind = np.sum(normals * directions, axis=1) > 0
        return np.where(behind[:, None], -normals, normals)

    def _sky(self, linked: Array) -> Array:
        """The light of domes."""
        domes = [i for i, light in enumerate(self.lights) if light.type_name == "DomeLight"]
        return sum((linked[:, i, None] * self.lights[i].radiance for i in domes), np.zeros((len(linked), 3)))

    def _direct(self, points: Array, normals: Array, linked: Array, random: np.random.Generator) -> Array:
        """The light of other lights that a white surface sends back."""
        total = np.zeros(points.shape)
        for i, light in enumerate(self.lights):
            if light.type_name == "DomeLight":
                continue
            directions, distances, irradiance = light.sample(points, random)
            facing = np.sum(normals * directions, axis=1)
            lit = np.flatnonzero(linked[:, i] & (facing > 0) & irradiance.any(axis=1))
            if not len(lit):
                continue
            reach = distances[lit].astype(np.float32)
            lit = lit[self._trace(points[lit], directions[lit], dists=reach, query="OCCLUDED") < 0]
            total[lit] += irradiance[lit] * facing[lit, None] / np.pi
        return total
