"""Images of frames from a daemon equal those of what OpenUSD computes; and the renderer draws what it should.

The daemon is that at STAGEDOOR_ADDRESS: tools/render_example_test.sh starts it.
"""

from __future__ import annotations

import dataclasses
import pathlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import from_frame
import from_usd
import renderer
import shapes
from scene import Array, Camera, Geometry, Instances, Item, Light, Motion, Scene, Shutter

HERE = pathlib.Path(__file__).resolve().parent
DEMO = str(HERE.parent.parent / "tests" / "data" / "stage_door" / "root.usda")
OWN = str(HERE / "test_scene.usda")
SETTINGS = renderer.Settings(width=64, height=36, moments=4, samples=2)

# ----------------------------------------------------------------------- comparison with OpenUSD


def leaves(value: Any, name: str = "") -> Iterator[tuple[str, Array]]:
    """All arrays and other values of a scene by name."""
    if isinstance(value, Motion):
        for time, sample in zip(value.times, value.values):
            # A value that does not vary has no time.
            yield f"{name}@{time if len(value.times) > 1 else ''}", sample
    elif dataclasses.is_dataclass(value):
        title = getattr(value, "path", "")
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name), f"{name}{title}.{field.name}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, f"{name}.{key}")
    elif isinstance(value, (list, tuple)):
        yield f"{name}.length", np.array(len(value))
        for i, item in enumerate(value):
            yield from leaves(item, name if hasattr(item, "path") else f"{name}[{i}]")
    else:
        yield name, np.asarray(value)


def differences(scene: Scene, reference: Scene) -> dict[str, float]:
    """The arrays that differ, and how much: infinitely if they are not comparable."""
    found, expected = dict(leaves(scene)), dict(leaves(reference))
    differ = {name: float("inf") for name in found.keys() ^ expected.keys()}
    for name in found.keys() & expected.keys():
        a, b = found[name], expected[name]
        if not np.array_equal(a, b):
            numbers = a.shape == b.shape and a.dtype.kind == b.dtype.kind == "f"
            differ[name] = float(np.abs(a - b).max()) if numbers else float("inf")
    return differ


def both(root: str, camera: str, times: list[float]) -> Iterator[tuple[Scene, Scene]]:
    shutters = [Shutter(time, -0.25, 0.25, segments=2) for time in times]
    yield from zip(from_frame.scenes(root, camera, shutters), from_usd.scenes(root, camera, shutters))


def test_images_equal_those_of_openusd_in_every_bit() -> None:
    for scene, reference in both(OWN, "/World/Camera", [1, 2.5, 4, 4, 7]):
        assert differences(scene, reference) == {}
        image, expected = (renderer.render(each, SETTINGS) for each in (scene, reference))
        assert np.array_equal(image, expected) and image.max() > 0


def test_skinned_points_and_rotations_differ_in_the_last_digits_at_most() -> None:
    computed = ("/Shot/Characters/Actor/Body.shape.values.points", "/Shot/Props/LampB/")
    for scene, reference in both(DEMO, "/Shot/Camera", [1, 7, 8, 13, 24]):
        for name, difference in differences(scene, reference).items():
            assert any(part in name for part in computed) and difference < 5e-7, name
        image, expected = (renderer.to_bytes(renderer.render(each, SETTINGS)) for each in (scene, reference))
        # A ray that meets an edge may pass on the other side.
        assert np.count_nonzero(image != expected) <= image.size / 1000


def test_the_scenes_contain_what_the_renderer_draws() -> None:
    scene, _ = next(both(OWN, "/World/Camera", [2]))
    kinds = {item.shape.type_name for item in scene.items if isinstance(item.shape, Geometry)}
    assert kinds == set(shapes.ATTRIBUTES)
    assert {light.type_name for light in scene.lights} == {"SphereLight", "DistantLight", "DomeLight"}
    assert sum(isinstance(item.shape, Instances) for item in scene.items) == 2
    assert any(item.subsets for item in scene.items) and len({item.lights for item in scene.items}) == 2
    assert [warning.split()[0] for warning in scene.warnings] == ["/World/Shapes/Grass"]


# --------------------------------------------------------------------------------- the renderer


def still(value: Any) -> Motion:
    return Motion.of([0], [np.asarray(value)], 0)


def moved(x: float, y: float, z: float) -> Array:
    matrix = np.eye(4)
    matrix[3, :3] = x, y, z
    return matrix


def light(type_name: str, **inputs: Any) -> Light:
    values = {"intensity": 1, "exposure": 0, "diffuse": 1, "normalize": False, "color": (1, 1, 1), **inputs}
    floats = {name: still(np.float32(value)) for name, value in values.items()}
    return Light("/Light", type_name, still(moved(0, 0, 5)), floats)


def wall(transform: Motion | None = None, **fields: Any) -> Item:
    size = {"width": still(2.0), "length": still(2.0), "axis": still("Z")}
    fields = {"color": np.full(3, 0.5), "lights": ("/Light",), **fields}
    return Item("/Wall", transform or still(np.eye(4)), Geometry("Plane", size), **fields)


def rendered(items: list[Item], lights: list[Light], samples: int = 8) -> Array:
    """An image of 9 × 9 pixels of the square from -2 to 2, from the distance 10."""
    camera = Camera(still(moved(0, 0, 10)), still([50.0, 20, 20, 0, 0, 1]))
    scene = Scene(Shutter(0, -0.5, 0.5, 1), camera, items, lights)
    return renderer.render(scene, renderer.Settings(9, 9, moments=16, samples=samples, bounces=0))


def test_a_distant_light_illuminates_by_its_normalized_intensity() -> None:
    image = rendered([wall()], [light("DistantLight", angle=1, normalize=True, intensity=2)])
    assert image[4, 4] == pytest.approx(0.5 * 2 / np.pi, rel=1e-3)
    assert (image[0, 0] == 0).all()


def test_a_sphere_light_illuminates_by_its_size_and_distance() -> None:
    # The irradiance by a sphere that is far away: its radiance × its solid angle.
    image = rendered([wall()], [light("SphereLight", radius=0.5, intensity=3, exposure=1)], samples=64)
    assert image[4, 4] == pytest.approx(0.5 * 6 * np.pi * (0.5 / 5) ** 2 / np.pi, rel=0.03)


def test_a_dome_light_is_seen_where_nothing_is() -> None:
    image = rendered([wall()], [light("DomeLight", color=(1, 2, 3))])
    assert (image[0, 0] == (1, 2, 3)).all() and (image[4, 4] == 0).all()


def test_lights_illuminate_only_what_is_linked_to_them() -> None:
    sun = light("DistantLight", angle=1, normalize=True)
    assert rendered([wall()], [sun])[4, 4, 0] > 0
    assert rendered([wall(lights=())], [sun])[4, 4, 0] == 0


def test_shapes_cast_shadows() -> None:
    blocker = wall(still(moved(0, 0, 12)))  # behind the camera
    assert rendered([wall(), blocker], [light("DistantLight", angle=0)])[4, 4, 0] == 0


def test_what_moves_is_blurred() -> None:
    sun = light("DistantLight", angle=1, normalize=True)
    path = Motion.of([-0.5, 0.5], [moved(-2, 0, 0), moved(2, 0, 0)], 0)
    row = rendered([wall(path)], [sun])[4, :, 0] / rendered([wall()], [sun])[4, 4, 0]
    assert 0.4 < row[4] < 0.6 and 0 < row[0] < 0.4  # it is there half of the time


def test_point_instances_are_drawn_where_they_are() -> None:
    sun = light("DistantLight", angle=1, normalize=True)
    places = Instances(["/P", "/Q"], np.array([0, 1, 0]), still([moved(1.4, 0, 0), np.eye(4), moved(-1.4, 0, 0)]))
    instancer = Item("/Instancer", still(moved(0, 1.4, 0)), places)
    part = wall(still(np.diag([0.3, 0.3, 1, 1])), prototype="/P")
    lit = rendered([instancer, part], [sun])[:, :, 0] > 0
    assert lit[1, 1] and lit[1, 7] and not lit[1, 4] and not lit[4:].any()


def test_subsets_have_colors_of_their_own() -> None:
    sun = light("DistantLight", angle=1, normalize=True)
    red = wall(subsets=[(np.array([0]), np.array([0.9, 0, 0]))])
    assert (rendered([red], [sun])[4, 4, 1:] == 0).all()


def test_colors_of_elements_are_found_at_corners() -> None:
    points = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (2, 0, 0)], np.float32)
    values = {
        "points": still(points),
        "faceVertexCounts": still([4, 3]),
        "faceVertexIndices": still([0, 1, 2, 3, 1, 4, 2]),
    }
    counts = {"constant": 1, "uniform": 2, "vertex": 5, "faceVarying": 7}
    expected = {
        "constant": [[0, 0, 0]] * 3,
        "uniform": [[0, 0, 0], [0, 0, 0], [1, 1, 1]],
        "vertex": [[0, 1, 2], [0, 2, 3], [1, 4, 2]],
        "faceVarying": [[0, 1, 2], [0, 2, 3], [4, 5, 6]],
    }
    for interpolation, count in counts.items():
        colors = np.repeat(np.arange(count, dtype=np.float32)[:, None], 3, axis=1)
        mesh = Geometry("Mesh", values, still(colors), interpolation)
        corners, found = shapes.triangles(Item("/A", still(np.eye(4)), mesh), mesh, 0)
        assert corners.shape == (3, 3, 3)
        assert found[:, :, 0].tolist() == expected[interpolation], interpolation
        assert (found[:, :, 0] == found[:, :, 2]).all()


def test_a_mesh_whose_arrays_do_not_fit_together_is_not_drawn() -> None:
    values = {"points": still(np.zeros((3, 3))), "faceVertexCounts": still([3])}
    mesh = Geometry("Mesh", {**values, "faceVertexIndices": still([0, 1, 3])})
    with pytest.raises(ValueError, match="indices are from 0 to 3, but there are 3 points"):
        shapes.triangles(Item("/A", still(np.eye(4)), mesh), mesh, 0)


def test_values_without_common_shapes_are_held() -> None:
    shrinking = Motion.of([0, 1, 2], [np.zeros((3, 3)), np.ones((2, 3)), np.ones((2, 3))], 1.5)
    assert shrinking.at(0).shape == (2, 3)
    assert Motion.of([0, 1], [np.array([1]), np.array([2])], 0).at(0.9).tolist() == [1]
    rising = Motion.of([0, 1, 3], [np.array([v], np.float32) for v in (0, 1, 5)], 1)
    assert [rising.at(t).tolist() for t in (-1, 0.5, 2, 4)] == [[0], [0.5], [3], [5]]
    assert rising.at(0.5).dtype == np.float32


def test_equal_scenes_give_equal_images() -> None:
    lights = [light("SphereLight", radius=0.5)]
    assert np.array_equal(rendered([wall()], lights), rendered([wall()], lights))
