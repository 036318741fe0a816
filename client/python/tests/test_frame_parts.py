"""How the objects of frames are decoded."""

from __future__ import annotations

import numpy as np
import pytest
from frames import floats, geometry, header, held, message, packed, prims, transforms, value
from frames import visibility as visibility_of

import stagedoor
from stagedoor import _frame_columns, _frame_objects
from stagedoor._digests import ArrayCache
from stagedoor._frame_contents import NOTHING, Arrival
from stagedoor._proto import v1
from stagedoor.types import TimeCode


def part(kind, sent):
    """The part that a message has of a kind of objects in columns."""
    arrival = Arrival(NOTHING, held())
    (found,) = arrival.take(message(header=header(complete=True), **{kind: sent}))
    assert found.kind == kind
    return found


def made(sent, arrays=None):
    arrays = held() if arrays is None else arrays
    return _frame_objects.geometry(sent, None, None, arrays, {}.get)


# ----------------------------------------------------------------------------------------- columns


def test_columns_of_prims():
    found = part(
        "prims",
        prims(
            *[2**64 - 1, 300],
            types=[1, 0],
            type_names=["Mesh", "Volume"],
            purposes=[2, 1],
            materials=[7, 0],
            light_sets=[1, 8],
            shadow_sets=[9, 1],
            geometry=[400, 401],
            prototypes=[0, 5],
            pass_members=bytes([5, 0]),
            draw_modes=["", "cards"],
        ),
    )
    assert found.ids.tolist() == [2**64 - 1, 300] and found.ids.dtype == np.uint64
    assert found.paths.tolist() == [f"/P{2**64 - 1}", "/P300"]
    assert found.type_names.tolist() == ["Volume", "Mesh"]
    assert found.purposes.tolist() == ["render", "default"]
    assert found.materials.tolist() == [7, 0] and found.prototypes.tolist() == [0, 5]
    assert found.light_sets.tolist() == [1, 8] and found.shadow_sets.tolist() == [9, 1]
    assert found.geometry.tolist() == [400, 401]
    assert found.pass_members.tolist() == [5, 0]
    assert found.draw_modes.tolist() == ["", "cards"]
    prim = found[2**64 - 1]
    assert (prim.type_name, prim.purpose, prim.material) == ("Volume", "render", 7)
    assert prim.pass_members == {"renderVisibility", "prune"}
    assert found[300].draw_mode == "cards" and found[300].prototype == 5


def test_columns_that_are_left_out_are_the_same_for_all():
    found = part("prims", prims(1, 2))
    assert found.draw_modes.tolist() == ["", ""] and found.pass_members.tolist() == [0, 0]
    assert found[1].pass_members == frozenset()
    assert part("prims", prims(1, purposes=[99])).purposes.tolist() == ["unknown"]


def test_transforms_have_the_times_of_several_samples():
    found = part("transforms", transforms({3: [1], 4: [2, 3, 4], 5: [5]}, times=[0, 0.5, 1]))
    assert found.counts.tolist() == [1, 3, 1]
    np.testing.assert_array_equal(found.times, [np.nan, 0, 0.5, 1, np.nan])
    motion = found[4]
    assert motion.times.tolist() == [0, 0.5, 1] and motion.varies
    assert motion.values.shape == (3, 4, 4) and motion.values[:, 3, 0].tolist() == [2, 3, 4]
    assert np.isnan(found[5].times).all() and not found[5].varies
    assert found[5].values[0, 3, 0] == 5
    assert not found.matrices.flags.writeable and not found.times.flags.writeable


def test_visibility_is_of_booleans():
    found = part("visibility", visibility_of(_3=True, _4=False))
    assert found.visible.dtype == bool and found.visible.tolist() == [True, False]
    assert found[3] is True and found[4] is False and 4 in found


def test_bytes_of_numbers_are_those_of_the_message():
    many = np.random.default_rng(1).integers(0, 2**64, 1000, dtype=np.uint64)
    found = part("prims", prims(*many.tolist(), geometry=many[::-1].tolist()))
    assert (found.ids == many).all() and (found.geometry == many[::-1]).all()


DAMAGED = {
    "paths": ("prims", prims(1, paths=["/A", "/B"])),
    "types": ("prims", prims(1, types=[1])),
    "type_names": ("prims", prims(1, types=[0, 0])),
    "materials": ("prims", prims(1, materials=[])),
    "draw_modes": ("prims", prims(1, draw_modes=["", ""])),
    "pass_members": ("prims", prims(1, pass_members=b"12")),
    "visible": ("visibility", v1.FrameVisibility(ids=[1], visible=b"12")),
    "counts": ("transforms", v1.FrameTransforms(ids=[1, 2], counts=[1])),
    "matrices": ("transforms", transforms({1: [1], 2: []})),
    "times": ("transforms", transforms({1: [1, 2]}, times=[0])),
    "times of one": ("transforms", transforms({1: [1]}, times=[0])),
    "huge counts": (
        "transforms",
        v1.FrameTransforms(
            ids=[1, 2], counts=[2**32 - 1] * 2, matrices=packed(np.eye(4)[None], rows=4, columns=4)
        ),
    ),
}
DAMAGED["matrices"][1].counts[1] = 1


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_columns_are_refused(name):
    kind, sent = DAMAGED[name]
    rows = _frame_columns.rows(kind, sent)
    with pytest.raises(stagedoor.Error, match="inconsistent reply"):
        len(rows.ids)


# ------------------------------------------------------------------------------------------ values


def test_values_of_a_geometry():
    found = made(
        geometry(
            *[7],
            value("points", floats(1), floats(2), times=[0.5, 1], interpolation="vertex"),
            value(
                *["primvars:st", floats(1, 2)],
                type_name="texCoord2f[]",
                element_size=2,
                indices=[v1.Value(array_value=packed(np.array([1, 0, 1], np.int32)))],
            ),
            value("orientation", v1.Value(token_value="leftHanded")),
            value("hole", v1.Value(), floats(3), times=[0, 1]),
        )
    )
    assert (found.id, list(found), len(found)) == (
        *[7, ["points", "primvars:st", "orientation", "hole"]],
        4,
    )
    points = found["points"]
    assert points.times.tolist() == [0.5, 1] and points.varies and points.value.tolist() == [1]
    assert [array.tolist() for array in points.values] == [[1], [2]]
    assert points.interpolation == "vertex" and points.indices is None
    st = found["primvars:st"]
    assert (st.type_name, st.element_size, st.indices[0].tolist()) == ("texCoord2f[]", 2, [1, 0, 1])
    assert np.isnan(st.times).all() and len(st.times) == 1 and not st.varies
    assert found["orientation"].value == "leftHanded"
    assert found["hole"].value is None and found["hole"].values[1].tolist() == [3]
    assert "normals" not in found
    with pytest.raises(KeyError, match="normals"):
        found["normals"]
    assert found["points"] is points
    assert repr(found) == "<FrameGeometry: points, primvars:st, orientation, hole>"


@pytest.mark.parametrize(
    "sent",
    [
        value("a", floats(1), floats(2), times=[1]),
        value("a", floats(1), indices=[v1.Value(), v1.Value()]),
    ],
    ids=["times", "indices"],
)
def test_damaged_values_are_refused_when_they_are_needed(sent):
    found = made(geometry(7, sent, value("b", floats(1))))
    assert found["b"].value.tolist() == [1]
    with pytest.raises(stagedoor.Error, match="inconsistent reply"):
        found["a"]


def test_small_values_that_objects_have_in_common_are_decoded_once():
    arrays = held()
    sent = [
        [value("a", floats(1, 2), interpolation="vertex"), value("b", floats(*[7] * count))]
        for count in (3, 600, 3)
    ]
    found = [made(geometry(id, *values), arrays) for id, values in enumerate(sent)]
    assert found[0]["a"] is found[1]["a"] is found[2]["a"] and found[0]["b"] is found[2]["b"]
    assert found[1]["b"] is not found[0]["b"] and len(found[1]["b"].value) == 600
    large = [value("b", floats(*[7] * 600))]  # is compared with nothing
    first, second = (made(geometry(id, *large), arrays) for id in (8, 9))
    assert first["b"] is not second["b"]
    other = made(geometry(1, value("a", floats(1, 2))), arrays)
    assert other["a"] is not found[0]["a"] and other["a"].interpolation == ""


def test_unchanged_arrays_are_kept_for_each_object():
    cache = ArrayCache(1 << 20)
    arrays = held(cache, d=np.ones(3, np.float32))
    unchanged = floats(1, 1, 1, digest=b"d", unchanged=True)
    for id in (4, 5):
        found = made(geometry(id, value("a", unchanged)), arrays)
        assert found["a"].value.tolist() == [1, 1, 1]
    part = (TimeCode(1).kind, 1, 0)
    assert all(cache.expect([f"{id:016x} a"], [part]) for id in (4, 5))


def test_instances():
    def of(**fields):
        sent = {
            "prototypes": [5, 0],
            "prototype_paths": ["/A", "/B"],
            "prototype_indices": packed(np.array([1, 0], np.uint32)),
            "instance_indices": packed(np.array([2, 9], np.uint32)),
            "ids": packed(np.array([-1, 7], np.int64)),
            "times": [0, 1],
            "transforms": [packed(np.full((2, 4, 4), t), rows=4, columns=4) for t in (0.0, 1.0)],
            **fields,
        }
        return made(geometry(7, instances=v1.FrameInstances(**sent))).instances

    found = of()
    assert found.prototypes == (5, 0) and found.prototype_paths == ("/A", "/B")
    assert found.prototype_indices.tolist() == [1, 0] and found.instance_indices.tolist() == [2, 9]
    assert found.ids.tolist() == [-1, 7] and found.times.tolist() == [0, 1]
    assert [t.shape for t in found.transforms] == [(2, 4, 4)] * 2 and found.transforms[1].all()
    nothing = made(geometry(7, instances=v1.FrameInstances())).instances
    assert len(nothing.prototype_indices) == len(nothing.instance_indices) == 0
    assert nothing.ids is None and nothing.transforms == ()
    for damage in (
        {"instance_indices": packed(np.zeros(3, np.uint32))},
        {"prototype_indices": packed(np.array([2, 0], np.uint32))},
        {"transforms": [packed(np.zeros((3, 4, 4)), rows=4, columns=4)], "times": []},
        {"times": [1]},
    ):
        with pytest.raises(stagedoor.Error, match="inconsistent reply"):
            of(**damage)


# ------------------------------------------------------------------------------------ other objects


def test_light():
    sent = v1.FrameLight(
        id=5,
        path="/L",
        type_name="SphereLight",
        shader_id="SphereLight",
        filters=[6],
        portals=[7],
        values=[value("inputs:intensity", v1.Value(float_value=2))],
        material=8,
        prim=9,
    )
    found = _frame_objects.light(sent, held())
    assert (found.id, found.path, found.type_name) == (5, "/L", "SphereLight")
    assert (found.filters, found.portals, found.material, found.prim) == ((6,), (7,), 8, 9)
    assert found.values["inputs:intensity"].value == 2 and not found.is_filter
    assert "SphereLight" in repr(found)


def test_materials_have_their_networks_in_any_order():
    networks = [
        {"item": 1, "error": {"code": 9, "message": "too large"}},
        {"item": 0, "base_material": "/Base"},
    ]
    found = _frame_objects.materials(
        v1.FrameMaterials(ids=[4, 5], paths=["/A", "/B"], networks=networks)
    )
    assert found[4].network.base_material == "/Base" and found[4].error is None
    assert found[4].network is found[4].network
    assert found[5].network is None and found[5].error.message == "too large"
    assert repr(found[5]) == "<FrameMaterial /B>"
    with pytest.raises(stagedoor.Error, match="no network of /A"):
        _frame_objects.materials(
            v1.FrameMaterials(ids=[4], paths=["/A"], networks=[{"unchanged": True}])
        )


def test_subset_without_indices_is_empty():
    sent = v1.FrameSubset(id=1, prim=2, path="/P/s", element_type="face", family_name="f")
    found = _frame_objects.subset(sent, held())
    assert found.indices.tolist() == [] and found.indices.dtype == np.int32
    sent.indices.CopyFrom(packed(np.array([3, 4], np.int32)))
    assert _frame_objects.subset(sent, held()).indices.tolist() == [3, 4]
    assert (found.prim, found.element_type, found.family) == (2, "face", "f")
