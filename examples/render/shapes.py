"""Triangles of meshes, and of the shapes that UsdGeom describes by a few numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from scene import Array, Geometry, Item

# The attributes that make each type of geometry.
ATTRIBUTES: dict[str, tuple[str, ...]] = {
    "Mesh": ("points", "faceVertexCounts", "faceVertexIndices"),
    "Sphere": ("radius",),
    "Cube": ("size",),
    "Cone": ("height", "radius", "axis"),
    "Cylinder": ("height", "radius", "axis"),
    "Capsule": ("height", "radius", "axis"),
    "Plane": ("width", "length", "axis"),
}
GRAY = np.full(3, 0.18, np.float32)  # of UsdPreviewSurface, and of items without any color
SIDES = 48  # of shapes that are round

# Points, the number of corners of each face, and for each corner its point.
Polygons = tuple[Array, Array, Array]


def triangles(item: Item, geometry: Geometry, time: float) -> tuple[Array, Array]:
    """The corners of triangles in the item's own space, N × 3 × 3, and their linear colors, likewise.

    Raises ValueError for a mesh whose arrays do not fit together.
    """
    polygons = _mesh(geometry, time) if geometry.type_name == "Mesh" else _implicit(geometry, time)
    points, counts, indices = polygons
    face, corner = _fans(counts)
    color = item.color if item.color is not None else _displayed(geometry, time, polygons, face, corner)
    colors = np.array(np.broadcast_to(color, (len(face), 3, 3)), np.float32)
    for faces, own in item.subsets:
        if own is not None:
            colors[np.isin(face, faces)] = own
    return points[indices[corner]], colors


def _fans(counts: Array) -> tuple[Array, Array]:
    """For each triangle of fans over faces, its face, and the places of its corners among those of all faces."""
    each = np.maximum(counts - 2, 0)
    face = np.repeat(np.arange(len(counts)), each)
    first = (np.cumsum(counts) - counts)[face]
    number = np.arange(len(face)) - np.repeat(np.cumsum(each) - each, each)
    return face, np.stack([first, first + number + 1, first + number + 2], axis=1)


def _displayed(geometry: Geometry, time: float, polygons: Polygons, face: Array, corner: Array) -> Array:
    """The displayColor of each corner; gray if there is none, or not one for each element."""
    if geometry.display_color is None:
        return GRAY
    points, counts, indices = polygons
    colors = geometry.display_color.at(time)
    count, index = {
        "uniform": (len(counts), np.repeat(face[:, None], 3, axis=1)),
        "varying": (len(points), indices[corner]),
        "vertex": (len(points), indices[corner]),
        "faceVarying": (len(indices), corner),
    }.get(geometry.interpolation, (1, np.zeros_like(corner)))
    return colors[index] if len(colors) == count and (count == 1 or geometry.type_name == "Mesh") else GRAY


def _mesh(geometry: Geometry, time: float) -> Polygons:
    points, counts, indices = (geometry.values[name].at(time) for name in ATTRIBUTES["Mesh"])
    if (counts < 0).any() or counts.sum() != len(indices):
        raise ValueError(f"its faces have {counts.sum()} corners, but there are {len(indices)} indices")
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(points):
        raise ValueError(f"indices are from {indices.min()} to {indices.max()}, but there are {len(points)} points")
    return points, counts, indices


def _implicit(geometry: Geometry, time: float) -> Polygons:
    values = {name: motion.at(time) for name, motion in geometry.values.items()}
    axis = str(values.pop("axis", "Z"))
    points, counts, indices = IMPLICIT[geometry.type_name](**{name: float(v) for name, v in values.items()})
    # Shapes are made along z, which trades places with the axis; a mirror image looks no different.
    order = {"X": [2, 1, 0], "Y": [0, 2, 1]}.get(axis, [0, 1, 2])
    return points[:, order].astype(np.float32), counts, indices


def _revolved(*profile: tuple[float, float]) -> Polygons:
    """The surface that a profile of radii and heights describes when it turns around z."""
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    rings = [np.stack([r * np.cos(angles), r * np.sin(angles), np.full(SIDES, z)], axis=1) for r, z in profile]
    ring, side = np.divmod(np.arange(SIDES * (len(profile) - 1)), SIDES)
    here, there = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
    quads = np.stack([here, there, there + SIDES, here + SIDES], axis=1)
    return np.concatenate(rings), np.full(len(quads), 4), quads.ravel()


def _arc(radius: float, begin: float, end: float, z: float = 0.0) -> list[tuple[float, float]]:
    """A profile from one latitude to another, in degrees."""
    angles = np.radians(np.linspace(begin, end, SIDES // 4))
    return list(zip(radius * np.cos(angles), z + radius * np.sin(angles)))


def _sphere(radius: float) -> Polygons:
    return _revolved(*_arc(radius, -90, 0), *_arc(radius, 0, 90)[1:])


def _cone(height: float, radius: float) -> Polygons:
    return _revolved((0, -height / 2), (radius, -height / 2), (0, height / 2))


def _cylinder(height: float, radius: float) -> Polygons:
    return _revolved((0, -height / 2), (radius, -height / 2), (radius, height / 2), (0, height / 2))


def _capsule(height: float, radius: float) -> Polygons:
    return _revolved(*_arc(radius, -90, 0, -height / 2), *_arc(radius, 0, 90, height / 2))


def _plane(width: float, length: float) -> Polygons:
    corners = np.array([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)])
    return corners * [width / 2, length / 2, 0], np.array([4]), np.arange(4)


def _cube(size: float) -> Polygons:
    corners = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3]
    return corners * (size / 2), np.full(6, 4), np.array(quads)


IMPLICIT: dict[str, Callable[..., Polygons]] = {
    "Sphere": _sphere,
    "Cube": _cube,
    "Cone": _cone,
    "Cylinder": _cylinder,
    "Capsule": _capsule,
    "Plane": _plane,
}
