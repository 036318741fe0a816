"""Frames of a daemon, compared with what its other methods return."""

from __future__ import annotations

import asyncio
import dataclasses

import numpy as np
import pytest
from daemon import Daemon

import stagedoor
import stagedoor.aio
from stagedoor import Shutter

FAN = """#usda 1.0
def Xform "Fan"
{
    double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 30 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    def Mesh "Blade" (
        prepend apiSchemas = ["MaterialBindingAPI"]
    )
    {
        point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
        int[] faceVertexCounts = [3]
        int[] faceVertexIndices = [0, 1, 2]
        float[] primvars:heat.timeSamples = { 0: [1], 1: [3] }
        int[] primvars:name:indices = [1, 0, 1]
        string[] primvars:name = ["a", "b"] (
            interpolation = "vertex"
        )
        rel material:binding = </Fan/Red>
        def GeomSubset "Tip" (
            prepend apiSchemas = ["MaterialBindingAPI"]
        )
        {
            uniform token elementType = "face"
            uniform token familyName = "materialBind"
            int[] indices = [0]
            rel material:binding = </Fan/Blue>
        }
    }
    def Sphere "Light"
    {
        token visibility.timeSamples = { 0: "inherited", 1: "invisible" }
    }
    def Material "Red"
    {
        token outputs:surface.connect = </Fan/Red/S.outputs:surface>
        def Shader "S"
        {
            uniform token info:id = "UsdPreviewSurface"
            color3f inputs:diffuseColor = (1, 0, 0)
            token outputs:surface
        }
    }
    def Material "Blue"
    {
    }
    def PointInstancer "Many"
    {
        int[] protoIndices = [0, 0, 0]
        int64[] ids = [7, 8, 9]
        int64[] invisibleIds = [8]
        point3f[] positions.timeSamples = {
            0: [(7, 0, 0), (8, 0, 0), (9, 0, 0)], 1: [(70, 0, 0), (80, 0, 0), (90, 0, 0)]
        }
        rel prototypes = </Fan/Many/P>
        def Xform "P"
        {
            double3 xformOp:translate = (0, 5, 0)
            uniform token[] xformOpOrder = ["xformOp:translate"]
            def Cube "Box"
            {
                double3 xformOp:translate = (0, 0, 3)
                uniform token[] xformOpOrder = ["xformOp:translate"]
            }
        }
    }
}
def Cube "Still" (
    prepend apiSchemas = ["MaterialBindingAPI"]
)
{
    uniform token purpose = "render"
}
def Cube "Hint"
{
    uniform token purpose = "guide"
}
def Camera "Eye"
{
    float focalLength.timeSamples = { 0: 40, 2: 80 }
}
def SphereLight "Lamp"
{
    float inputs:intensity.timeSamples = { 0: 1, 1: 5 }
}
"""
ROOTS = ["/Fan", "/Still", "/Hint", "/Lamp"]


@pytest.fixture
def fan(stage):
    stage.set_session_layer(FAN)
    return stage


# --------------------------------------------------------------------------------- comparing frames


def plain(value):
    """What can be compared: arrays as their shapes and bytes."""
    if isinstance(value, np.ndarray):
        return (value.dtype.str, value.shape, value.tobytes())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if dataclasses.is_dataclass(value):
        return plain(vars(value))
    return value


def geometry_of(found):
    return plain([{name: found[name] for name in found}, found.fields, found.instances])


def content(frame):
    """All that belongs to a frame, which is equal for equal frames."""
    prims = dict(frame.prims)
    drawn = [*prims, *frame.lights]
    subsets = {id: subset for id, subset in frame.subsets.items() if subset.prim in prims}
    lights = {
        id: plain({**vars(light), "values": dict(light.values)})
        for id, light in frame.lights.items()
    }
    users = [*prims.values(), *subsets.values(), *frame.lights.values()]
    materials = {user.material for user in users if user.material}
    return {
        "prims": prims,
        "visibility": {id: frame.visibility.get(id) for id in drawn},
        "transforms": {id: plain(frame.transforms.get(id)) for id in drawn},
        "geometry": {
            prim.geometry: geometry_of(frame.geometry[prim])
            for prim in prims.values()
            if prim in frame.geometry
        },
        "subsets": plain(subsets),
        "materials": {id: plain(frame.materials[id].network) for id in materials},
        "lights": lights,
        "light_sets": plain(dict(frame.light_sets)),
        "camera": plain(frame.camera),
        "settings": plain(frame.settings),
    }


def same(one, other):
    one, other = content(one), content(other)
    return [kind for kind in one if one[kind] != other[kind]] == []


# -------------------------------------------------------------------------------- a complete frame


def test_frame_has_the_prims_to_draw(fan):
    found = fan.frame(1, roots=ROOTS).read()
    paths = ["/Fan/Blade", "/Fan/Light", "/Fan/Many", "/Still", "/Fan/Many/P/Box"]
    assert sorted(found.prims.paths) == sorted(paths)
    assert found.prims.paths.tolist()[-1] == "/Fan/Many/P/Box"  # those of prototypes come last
    assert found.prims["/Still"].purpose == "render"
    assert found.complete and found.snapshot == fan.snapshot and found.up_axis == "Y"
    assert found.meters_per_unit == 0.01 and found.time_codes_per_second == 24
    assert found.errors == {} and found.prim_count == len(paths)


def test_options_say_what_belongs_to_the_frame(fan):
    def paths(**options):
        return sorted(fan.frame(1, **options).read().prims.paths)

    assert paths(roots="/Still") == ["/Still"]
    assert paths(roots=ROOTS, types="Cube", excluded="/Fan/Many") == ["/Still"]
    assert paths(roots=ROOTS, purposes="guide") == ["/Hint"]
    assert "/Fan/Light" not in paths(roots=ROOTS, invisible=False)
    names = set(fan.frame(1, roots="/Fan/Blade", primvars="heat").read().geometry["/Fan/Blade"])
    assert {name for name in names if name.startswith("primvars:")} == {"primvars:heat"}
    flat = fan.frame(1, roots="/Fan/Blade", flatten_primvars=True).read().geometry["/Fan/Blade"]
    assert flat["primvars:name"].value == ["b", "a", "b"]
    assert flat["primvars:name"].indices is None


def test_values_are_those_of_other_methods(fan):
    found = fan.frame(0.5, roots=ROOTS, camera="/Eye").read()
    drawn = ["/Fan/Blade", "/Fan/Light", "/Fan/Many", "/Still", "/Lamp"]
    transforms = fan.transforms(drawn, 0.5)
    visible = fan.visibility(drawn, 0.5)
    for path in drawn:
        motion = found.transforms[path]
        assert np.array_equal(motion.values[0], transforms[path]) and np.isnan(motion.times[0])
        assert found.visibility[path] == bool(visible[path].visible)
    blade = found.geometry["/Fan/Blade"]
    for name in ("points", "faceVertexCounts", "faceVertexIndices", "primvars:heat"):
        assert np.array_equal(blade[name].value, fan[f"/Fan/Blade.{name}"].get(0.5))
    assert blade["primvars:name"].value == ["a", "b"]
    assert blade["primvars:name"].indices[0].tolist() == [1, 0, 1]
    assert blade["primvars:name"].interpolation == "vertex"
    lamp = found.lights["/Lamp"]
    assert lamp.values["inputs:intensity"].value == fan["/Lamp.inputs:intensity"].get(0.5) == 3
    assert plain(found.camera.samples[0]) == plain(fan.cameras("/Eye", 0.5)["/Eye"])
    red = found.materials[found.prims["/Fan/Blade"]]
    assert red.path == "/Fan/Red"
    assert plain(red.network) == plain(fan.material_networks("/Fan/Red", 0.5)["/Fan/Red"])
    (tip,) = found.subsets.of(found.prims["/Fan/Blade"])
    assert (tip.path, tip.indices.tolist()) == ("/Fan/Blade/Tip", [0])
    assert found.materials[tip].path == "/Fan/Blue"
    assert lamp.id in found.light_sets[found.prims["/Still"]].tolist()


def test_instances_draw_the_prims_of_their_prototypes(fan):
    found = fan.frame(1, roots=ROOTS).read()
    many, box = found.prims["/Fan/Many"], found.prims["/Fan/Many/P/Box"]
    instances = found.geometry[many].instances
    assert instances.prototype_paths == ("/Fan/Many/P",)
    assert instances.prototypes == (box.prototype,) and many.prototype == 0
    assert instances.ids.tolist() == [7, 9] and instances.instance_indices.tolist() == [0, 2]
    whole = (
        found.transforms[box].values[0] @ instances.transforms[0] @ found.transforms[many].values[0]
    )
    assert whole[:, 3, :3].tolist() == [[80, 5, 3], [100, 5, 3]]


def test_what_moves_has_samples_in_the_shutter(fan):
    found = fan.frame(1, roots=ROOTS, camera="/Eye", shutter=(-0.25, 0.25)).read()
    motion = found.transforms["/Fan/Blade"]
    assert motion.times.tolist() == [0, 1, 2] and motion.values[:, 3, 0].tolist() == [0, 10, 30]
    assert not found.transforms["/Still"].varies
    blade = found.geometry["/Fan/Blade"]
    assert blade["primvars:heat"].times.tolist() == [0, 1]
    assert not blade["points"].varies
    instances = found.geometry["/Fan/Many"].instances
    assert instances.times.tolist() == [0, 1] and len(instances.transforms) == 2
    assert found.camera.times.tolist() == [0, 2] and len(found.camera.samples) == 2
    parts = fan.frame(1, roots="/Fan/Blade", shutter=Shutter(0, 1, segments=2)).read()
    assert parts.transforms["/Fan/Blade"].times.tolist() == [1, 1.5, 2]


def test_frame_of_a_scene_with_skins_clips_and_instances(stage_door):
    stage = stage_door
    found = stage.frame(12, camera="/Shot/Camera").read()
    assert len(found.prims) == 9 and len(found.lights) == 5
    (body,) = stage.skinned_points("/Shot/Characters/Actor/Body", 12)
    points = found.geometry["/Shot/Characters/Actor/Body"]["points"]
    assert np.array_equal(points.value, body.points)
    cloth = found.geometry["/Shot/Curtain/Cloth"]["points"].value
    assert np.array_equal(cloth, stage["/Shot/Curtain/Cloth.points"].get(12))
    bound = stage.bound_materials(found.prims.paths)
    for prim in found.prims.values():
        material = bound[prim.path]
        shown = found.materials[prim].path if prim.material else None
        assert shown == (material.material if material is not None else None)
    lit = stage.light_sets(found.prims.paths)
    for prim in found.prims.values():
        sets = {found.lights[id].path for id in found.light_sets[prim].tolist()}
        assert sets == set(lit[prim.path])
    rest = stage.frame(12, skinning=False).read().geometry["/Shot/Characters/Actor/Body"]
    assert np.array_equal(rest["points"].value, stage["/Shot/Characters/Actor/Body.points"].get(12))


# --------------------------------------------------------------------------------- what changed


def test_next_frame_of_the_same_time_has_no_parts(fan):
    found = fan.frame(1, roots=ROOTS, camera="/Eye", shutter=(0, 0.5)).read()
    again = found.next(1)
    assert list(again) == [] and not again.complete
    assert again.prims is found.prims and same(again, found)


def test_only_what_moves_is_sent(fan):
    one = fan.frame(3, roots=ROOTS).read()
    two = one.next(4)
    assert [part.kind for part in two] == []  # nothing moves after 2
    three = fan.frame(0, roots=ROOTS).read().next(1)
    changed = {part.kind: set(part) for part in three if hasattr(part, "keys")}
    paths = {id: prim.path for id, prim in three.prims.items()}
    moved = {paths.get(id) for id in changed["transforms"]}
    assert moved == {"/Fan/Blade", "/Fan/Light", "/Fan/Many"}
    assert {paths.get(id) for id in changed["visibility"]} == {"/Fan/Light"}
    blade = three.geometry["/Fan/Blade"]
    assert blade.changed == {"primvars:heat"}


@pytest.mark.parametrize("shutter", [None, (-0.5, 0.5)])
def test_frames_that_follow_each_other_are_equal_to_complete_ones(fan, stage_door, shutter):
    for stage, options in (
        (fan, {"roots": ROOTS, "camera": "/Eye"}),
        (fan, {"roots": ROOTS, "invisible": False}),
        (stage_door, {"camera": "/Shot/Camera"}),
    ):
        found = stage.frame(0, shutter=shutter, **options).read()
        for time in (0.5, 1, 1, 2, 40, 3, 0):
            found = found.next(time).read()
            assert not found.complete
            assert same(found, stage.frame(time, shutter=shutter, **options).read()), time


@pytest.mark.parametrize("remembered", [False, True])
def test_frame_of_another_snapshot(fan, remembered):
    options = {"roots": ROOTS, "changes_between_snapshots": remembered}
    one = fan.frame(1, **options).read()
    before = content(one)
    fan.set_session_layer(FAN.replace("(1, 0, 0), (0, 1, 0)", "(1, 0, 0), (0, 2, 0)"))
    fan["/Still"].set_active(False)
    two = one.next(1)
    kinds = [part.kind for part in two]
    assert "removed" in kinds and two.complete is not remembered
    assert "/Still" not in two.prims and "/Still" in one.prims
    assert two.geometry["/Fan/Blade"]["points"].value[2].tolist() == [0, 2, 0]
    assert same(two, fan.frame(1, **options).read())
    assert content(one) == before
    if remembered:
        assert two.geometry["/Fan/Blade"].changed == {"points"}
        assert "materials" not in kinds


def test_array_that_came_before_is_not_sent_again(stage):
    one = stage.frame(1, roots="/World").read()
    held = one.geometry["/World/Static"]["points"].value
    two = stage.frame(2, roots="/World").read()
    assert two.geometry["/World/Static"]["points"].value is held


# ----------------------------------------------------------------------- fingerprints and errors


def test_fingerprint_names_what_the_frame_depends_on(fan):
    found = fan.frame_fingerprint(3, roots=ROOTS)
    assert len(found) == 64 and int(found, 16)
    assert fan.frame_fingerprint(4, roots=ROOTS) == found
    assert fan.frame_fingerprint(1, roots=ROOTS) != found
    assert fan.frame_fingerprint(3, roots="/Fan") != found
    fan["/Still.size"].set(5.0)
    assert fan.frame_fingerprint(3, roots=ROOTS) != found


def test_errors_name_what_is_wrong(fan):
    for options, reason in (
        ({"roots": "/None"}, "PRIM_NOT_FOUND"),
        ({"camera": "/Still"}, "WRONG_KIND"),
        ({"roots": "no path"}, "INVALID_PATH"),
    ):
        for ask in (lambda o: fan.frame(1, **o).read(), lambda o: fan.frame_fingerprint(1, **o)):
            with pytest.raises(stagedoor.Error) as info:
                ask(options)
            assert info.value.reason == reason
    with pytest.raises(stagedoor.InvalidArgumentError, match="numeric"):
        fan.frame(shutter=(0, 1)).read()


def test_asynchronous_clients_can_ask_too(daemon, folder):
    async def ask():
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            await stage.set_session_layer(FAN)
            found = stage.frame(0, roots=ROOTS)
            kinds = {part.kind async for part in found}
            moved = await found.next(1).read()
            fingerprint = await stage.frame_fingerprint(1, roots=ROOTS)
            return kinds, moved.transforms["/Fan/Blade"].values[0, 3, 0], fingerprint

    kinds, x, fingerprint = asyncio.run(ask())
    assert {"prims", "transforms", "geometry", "lights", "materials"} <= kinds
    assert x == 10 and len(fingerprint) == 64


def test_frame_goes_on_when_the_daemon_is_started_again(own_daemon, folder):
    with stagedoor.open(folder / "shot.usda", own_daemon.address) as stage:
        stage.set_session_layer(FAN)
        one = stage.frame(0, roots=ROOTS).read()
        own_daemon.stop()
        own_daemon.start()
        two = one.next(1).read()  # the token is valid, although the daemon is another one
        assert not two.complete and same(two, stage.frame(1, roots=ROOTS).read())


def test_frame_goes_on_at_another_replica_when_its_own_dies(tmp_path):
    scene = tmp_path / "many.usda"
    points = "[" + ", ".join(f"({i}, 0, 0)" for i in range(300)) + "]"
    cubes = "".join(
        f'def Mesh "M{i}" {{\npoint3f[] points = {points[:-1]}, ({i}, 1, 1)]\n}}\n'
        for i in range(2000)
    )
    scene.write_text(f"#usda 1.0\n{cubes}")
    daemons = []
    try:
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
            daemons.append(Daemon(tmp_path / name))
        with stagedoor.connect(",".join(daemon.address for daemon in daemons)) as client:
            frame = client.open(scene).frame(1)
            parts = iter(frame)
            handed_out = [next(parts)]
            for daemon in daemons:
                with stagedoor.connect(daemon.address) as one:
                    holds_it = bool(one.stages())
                if holds_it:
                    daemon.stop()
            handed_out += parts
        ids = [(part.kind, id) for part in handed_out for id in part.ids.tolist()]
        assert len(set(ids)) == len(ids)
        assert frame.prims.paths.tolist() == [f"/M{i}" for i in range(2000)]
        for i in (0, 1000, 1999):
            assert frame.geometry[frame.prims[f"/M{i}"]]["points"].value[-1].tolist() == [i, 1, 1]
        assert sum(daemon.running for daemon in daemons) == 1
    finally:
        for daemon in daemons:
            daemon.stop()
