"""How the messages of a frame change what the frame before holds."""

from __future__ import annotations

import numpy as np
import pytest
from frames import (
    COMPLETE,
    FIRST,
    arrived,
    camera,
    floats,
    frame,
    geometry,
    header,
    held,
    held_after,
    kinds,
    message,
    packed,
    prims,
    settings,
    shape,
    transforms,
    value,
)

import stagedoor
from stagedoor._frame_contents import NOTHING, Arrival
from stagedoor._proto import v1


@pytest.fixture
def first():
    return held_after(FIRST)


# ------------------------------------------------------------------------------- a complete frame


def test_parts_come_in_the_order_of_the_messages():
    arrival = arrived(FIRST)
    assert kinds(arrival) == [
        *["lights", "light_sets", "materials", "prims", "visibility", "transforms"],
        *["geometry", "subsets", "prims", "transforms", "geometry"],
    ]
    assert arrival.token == b"t"
    assert [part.ids.tolist() for part in arrival.parts if part.kind == "prims"] == [[1, 2], [3]]


def test_prims_are_counted_by_the_last_message_if_the_header_cannot():
    first = frame(message(prims=prims(1)), prim_count=0)[:-1]
    last = message(prim_count=7, token=b"t")
    arrival = Arrival(NOTHING, held())
    for one in first:
        arrival.take(one)
    assert arrival.total == 0
    arrival.take(last)
    assert arrival.total == 7


def test_frame_holds_all_parts(first):
    found = first.view("prims")
    assert found.ids.tolist() == [1, 2, 3]
    assert list(found) == [1, 2, 3] and len(found) == 3
    assert first.view("visibility").visible.tolist() == [True, False, True]
    assert first.view("transforms").matrices[:, 3, 0].tolist() == [10, 20, 5, 30]
    assert list(first.view("geometry")) == [101, 102, 103]
    assert dict(first.view("geometry")[101]).keys() == {"points", "primvars:st"}
    assert first.view("materials")[70].path == "/M"
    assert first.view("light_sets")[1].tolist() == [50]
    assert first.view("subsets")[80].path == "/P1/s"


def test_objects_are_found_by_what_names_them(first):
    prim = first.view("prims")["/P1"]
    assert prim is not None and prim.id == 1
    assert first.view("prims")[np.uint64(1)] == prim
    assert first.view("transforms")["/P1"].values[0, 3, 0] == 10
    assert first.view("transforms")[prim].values[0, 3, 0] == 10
    light = first.view("lights")["/L"]
    assert first.view("transforms")["/L"].values[0, 3, 0] == 5
    assert first.view("transforms")[light].values[0, 3, 0] == 5
    assert first.view("visibility")[light] is True
    assert first.view("geometry")["/P2"].id == first.view("geometry")[102].id == 102
    assert first.view("geometry")[prim].id == 101
    assert first.view("materials")[prim].path == "/M"
    subset = first.view("subsets")["/P1/s"]
    assert first.view("materials")[subset] is first.view("materials")["/M"]
    assert first.view("subsets").of(prim) == (subset,) == first.view("subsets").of(1)
    assert first.view("subsets").of(2) == ()
    assert first.view("light_sets")[prim].tolist() == [50]


@pytest.mark.parametrize("key", ["/X", 999, -1, 2**64, "/P1/s"])
def test_what_is_not_held_is_not_found(first, key):
    for kind in ("prims", "visibility", "transforms", "geometry", "materials", "lights"):
        found = first.view(kind)
        assert key not in found
        assert found.get(key, "none") == "none"
        with pytest.raises(KeyError, match=str(key)):
            found[key]


def test_parts_are_known_by_id_only():
    parts = {part.kind: part for part in arrived(FIRST[:3] + FIRST[-1:]).parts}
    assert parts["transforms"][1].values[0, 3, 0] == 10
    assert "/P1" not in parts["transforms"] and "/P1" not in parts["geometry"]
    assert parts["prims"]["/P2"].id == 2
    assert parts["materials"]["/M"].id == 70


def test_columns_are_in_the_order_that_is_asked_for(first):
    order = first.view("prims").ids[::-1]
    assert first.view("transforms").select(order).matrices[:, 3, 0].tolist() == [30, 20, 10]
    assert first.view("visibility").select([2, 1]).visible.tolist() == [False, True]
    assert first.view("prims").select([3]).paths.tolist() == ["/P3"]
    with pytest.raises(KeyError, match="77"):
        first.view("transforms").select([77])


def test_frame_can_be_looked_at_while_it_arrives():
    arrival = Arrival(NOTHING, held())
    seen = []
    for one in FIRST:
        arrival.take(one)
        seen.append(len(arrival.contents().view("prims")))
    assert seen == [0, 0, 2, 3, 3]


def test_what_was_seen_of_a_frame_stays_as_it_was():
    arrival = Arrival(NOTHING, held())
    for one in FIRST[:3]:
        arrival.take(one)
    arrival.take(message(prims=prims(3)))
    seen = arrival.contents().view("prims")
    arrival.take(message(prims=prims(4)))
    assert list(seen) == [1, 2, 3]
    assert list(arrival.contents().view("prims")) == [1, 2, 3, 4]


def test_repeated_object_takes_the_place_of_the_earlier_one():
    twice = frame(
        message(prims=prims(1, 2), transforms=transforms({1: [1], 2: [2]})),
        message(prims=prims(2, paths=["/New"]), transforms=transforms({2: [9], 1: [8]})),
        **COMPLETE,
    )
    contents = held_after(twice)
    assert sorted(contents.view("prims")) == [1, 2]
    assert contents.view("prims")[2].path == "/New"
    assert contents.view("transforms")[1].values[0, 3, 0] == 8
    assert len(contents.view("transforms")) == 2


# --------------------------------------------------------------------------------- what changed


def test_frame_without_changes_is_the_frame_before(first):
    arrival = arrived(frame(), first)
    assert arrival.parts == []
    assert arrival.contents() is first


def test_only_what_came_is_changed(first):
    arrival = arrived(frame(message(transforms=transforms({2: [21]}))), first)
    contents = arrival.contents()
    assert kinds(arrival) == ["transforms"]
    assert contents.view("transforms")[2].values[0, 3, 0] == 21
    assert contents.view("transforms")[1].values[0, 3, 0] == 10
    assert first.view("transforms")[2].values[0, 3, 0] == 20
    for kind in ("prims", "visibility"):
        assert contents.tables[kind] is first.tables[kind]
    for kind in contents.objects:
        assert contents.objects[kind] is first.objects[kind]


def test_objects_that_are_removed_are_gone(first):
    arrival = arrived(frame(message(removed=[1, 50]), message(removed=[70, 12345])), first)
    contents = arrival.contents()
    assert [part.ids.tolist() for part in arrival.parts] == [[1, 50], [70, 12345]]
    assert list(contents.view("prims")) == [2, 3]
    assert 1 not in contents.view("transforms") and 1 not in contents.view("visibility")
    assert 50 not in contents.view("lights") and 50 not in contents.view("transforms")
    assert 70 not in contents.view("materials")
    assert "/P1" not in contents.view("prims") and "/P1" in first.view("prims")


def test_objects_that_are_removed_can_come_back(first):
    gone = held_after(frame(message(removed=[1])), first)
    back = held_after(frame(message(prims=prims(1), transforms=transforms({1: [11]}))), gone)
    assert list(back.view("prims")) == [2, 3, 1]
    assert back.view("transforms")["/P1"].values[0, 3, 0] == 11


def test_complete_frame_takes_the_place_of_all(first):
    second = frame(
        message(prims=prims(3, 4), geometry=[geometry(103, value("points", floats(9)))]),
        **COMPLETE,
    )
    arrival = arrived(second, first)
    contents = arrival.contents()
    assert kinds(arrival) == ["prims", "geometry", "removed"]
    assert arrival.parts[-1].ids.tolist() == [1, 2, 50, 70, 80, 101, 102]
    assert list(contents.view("prims")) == [3, 4]
    assert list(contents.view("geometry")) == [103]
    assert len(contents.view("transforms")) == len(contents.view("lights")) == 0
    assert list(first.view("prims")) == [1, 2, 3]


def test_objects_that_nothing_refers_to_are_dropped(first):
    contents = held_after(frame(message(removed=[1])), first)
    assert list(contents.view("geometry")) == [102, 103]
    assert list(contents.view("materials")) == list(contents.view("subsets")) == []
    contents = held_after(frame(message(removed=[3])), first)
    assert list(contents.view("geometry")) == [101, 102]
    assert list(contents.view("materials")) == [70] and list(contents.view("subsets")) == [80]


def test_materials_of_subsets_and_lights_are_kept():
    materials = v1.FrameMaterials(
        ids=[70, 71, 72, 73],
        paths=["/A", "/B", "/C", "/D"],
        networks=[{"item": item} for item in range(4)],
    )
    one = frame(
        message(
            lights=[{"id": 50, "material": 72}],
            materials=materials,
            prims=prims(1, 2, materials=[70, 73]),
            subsets=[{"id": 80, "prim": 1, "material": 71}],
        ),
        **COMPLETE,
    )
    contents = held_after(frame(message(removed=[2])), held_after(one))
    assert list(contents.view("materials")) == [70, 71, 72]


def test_objects_are_looked_for_that_nothing_refers_to_when_there_may_be_many(first):
    removed = frame(message(removed=[1]), prim_count=1000)
    contents = held_after(removed, first)
    assert list(contents.view("geometry")) == [101, 102, 103]
    assert contents.unused == 1
    again = held_after(frame(message(prims=prims(2)), prim_count=1000), contents)
    assert again.unused == 2
    assert held_after(frame(prim_count=1000), again) is again
    assert list(held_after(frame(message(removed=[2]), prim_count=11), again).view("geometry")) == [
        103
    ]


# ------------------------------------------------------------------------------------- geometry


def test_only_values_that_differ_are_sent(first):
    arrival = arrived(frame(message(geometry=[geometry(101, value("points", floats(7)))])), first)
    assert shape(arrival.contents()) == {"points": [7], "primvars:st": [3]}
    assert shape(first) == {"points": [1, 2], "primvars:st": [3]}
    part = arrival.parts[0][101]
    assert part.changed == {"points"} and part.removed == frozenset()
    assert set(part) == {"points", "primvars:st"}
    assert part["primvars:st"] is first.view("geometry")[101]["primvars:st"]


def test_values_can_be_removed_and_added(first):
    gone = geometry(101, value("points", removed=True), value("widths", floats(1)))
    arrival = arrived(frame(message(geometry=[gone])), first)
    part = arrival.parts[0][101]
    assert shape(arrival.contents()) == {"primvars:st": [3], "widths": [1]}
    assert part.removed == {"points"} and part.changed == {"widths"}
    same = arrived(frame(message(geometry=[geometry(101, value("x", removed=True))])), first)
    assert shape(same.contents()) == shape(first)
    assert same.parts[0][101].removed == frozenset()


def test_complete_geometry_forgets_other_values(first):
    whole = geometry(101, value("points", floats(7)), complete=True)
    arrival = arrived(frame(message(geometry=[whole])), first)
    assert shape(arrival.contents()) == {"points": [7]}
    part = arrival.parts[0][101]
    assert part.removed == {"primvars:st"} and part.changed == {"points"}


def test_geometry_of_a_complete_frame_forgets_other_values(first):
    second = frame(
        message(prims=prims(1), geometry=[geometry(101, value("points", floats(7)))]), **COMPLETE
    )
    arrival = arrived(second, first)
    assert shape(arrival.contents()) == {"points": [7]}
    assert arrival.parts[1][101].removed == {"primvars:st"}


def test_several_messages_about_a_geometry_add_up(first):
    parts = frame(
        message(geometry=[geometry(101, value("points", floats(7)))]),
        message(
            geometry=[
                geometry(101, value("a", floats(1))),
                geometry(101, value("points", removed=True), value("b", floats(2))),
            ]
        ),
    )
    arrival = arrived(parts, first)
    assert shape(arrival.contents()) == {"primvars:st": [3], "a": [1], "b": [2]}
    found = arrival.parts[1][101]
    assert found.changed == {"a", "b"} and found.removed == {"points"}
    whole = held_after(frame(*parts[1:-1], **COMPLETE))
    assert shape(whole) == {"a": [1], "b": [2]}
    emptied = [geometry(101, complete=True), geometry(101, value("c", floats(3)))]
    assert shape(held_after(frame(message(geometry=emptied)), first)) == {"c": [3]}


def shared(id, other, *names):
    """A geometry with values of another one."""
    return geometry(id, shared=[{"geometry": other, "names": names}], complete=True)


def test_values_are_shared_with_other_geometry(first):
    same = message(geometry=[shared(104, 101, "points"), shared(105, 102, "points")])
    contents = held_after([*FIRST[:-1], same, FIRST[-1]])
    found = contents.view("geometry")
    assert found[104]["points"] is found[101]["points"]
    assert shape(contents, 104) == {"points": [1, 2]}
    # In a frame that changes little, too, with the values that came.
    moved = [geometry(101, value("points", floats(7))), shared(102, 101, "points")]
    contents = held_after(frame(message(geometry=moved)), first)
    assert shape(contents, 102) == {"points": [7]}
    assert contents.view("geometry")[102].changed == {"points"}


def test_loops_over_views_find_what_names_do(first):
    for mapping in (first.view("geometry"), first.view("geometry")[101]):
        assert list(mapping.items()) == [(name, mapping[name]) for name in mapping]
        assert list(mapping.values()) == [mapping[name] for name in mapping]
        assert len(mapping.values()) == len(mapping.items()) == len(mapping) == len(list(mapping))
        assert all(item in mapping.items() for item in mapping.items())
        assert mapping[list(mapping)[-1]] in mapping.values()


def test_values_are_shared_with_geometry_that_has_come_only(first):
    with pytest.raises(stagedoor.Error, match="has not come"):
        held_after(frame(message(geometry=[shared(102, 101, "points")])), first)
    sent = [*FIRST[:-1], message(geometry=[shared(104, 102, "primvars:st")]), FIRST[-1]]
    with pytest.raises(stagedoor.Error, match="no primvars:st"):
        shape(held_after(sent), 104)


def test_fields_and_instances_are_parts_of_their_own(first):
    instances = v1.FrameInstances(
        prototypes=[5],
        prototype_paths=["/Proto"],
        prototype_indices=packed(np.zeros(2, np.uint32)),
        instance_indices=packed(np.array([3, 4], np.uint32)),
        transforms=[packed(np.zeros((2, 4, 4)), rows=4, columns=4)],
    )
    volume = geometry(101, fields=[{"name": "density", "path": "/V/d"}], instances=instances)
    second = held_after(frame(message(geometry=[volume])), first)
    found = second.view("geometry")[101]
    assert [field.path for field in found.fields] == ["/V/d"]
    assert found.instances.instance_indices.tolist() == [3, 4]
    assert shape(second) == shape(first)
    third = held_after(frame(message(geometry=[geometry(101, value("x", floats(1)))])), second)
    assert third.view("geometry")[101].instances is found.instances
    assert third.view("geometry")[101].fields == found.fields
    none = held_after(frame(message(geometry=[geometry(101, complete=True)])), third)
    assert none.view("geometry")[101].instances is None
    assert none.view("geometry")[101].fields == ()
    assert first.view("geometry")[101].instances is None


# ------------------------------------------------------------------------ header, errors, warnings


def test_settings_and_camera_are_kept_until_others_come():
    paths = {"settings_path": "/Render", "camera_path": "/Cam"}
    one = arrived(frame(settings=settings(), camera=camera(), **paths, **COMPLETE))
    assert kinds(one) == ["settings", "camera"]
    assert one.contents().settings.path == "/Render"
    assert one.contents().camera.path == "/Cam"
    assert one.contents().camera.samples[0].focal_length == 50
    two = arrived(frame(camera=camera(35), **paths), one.contents())
    assert kinds(two) == ["camera"]
    assert two.contents().camera.samples[0].focal_length == 35
    assert two.contents().settings is one.contents().settings
    three = arrived(frame(**paths), two.contents())
    assert kinds(three) == []
    assert three.contents() is two.contents()
    four = arrived(frame(), three.contents())
    assert kinds(four) == ["settings", "camera"]
    assert four.contents().settings is None and four.contents().camera is None
    assert four.parts[0].settings is None and four.parts[1].path == ""
    assert kinds(arrived(frame(), four.contents())) == []
    five = arrived(frame(**paths, **COMPLETE), one.contents())  # they cannot be computed
    assert kinds(five) == ["settings", "camera"]
    assert five.contents().settings is None and five.contents().camera is None


def test_camera_that_cannot_be_computed_has_an_error():
    reply = v1.ComputeCamerasResponse(path_errors=[{"code": 5, "message": "no"}])
    found = arrived(frame(camera=reply, camera_path="/Cam", **COMPLETE)).contents().camera
    assert found.samples == () and found.error.message == "no"


def test_errors_and_warnings_are_those_of_the_frame(first):
    problems = message(
        error_paths=["/A", "/B"],
        path_errors=[{"item": 1, "code": 9, "message": "bad"}],
        warnings=[{"kind": 1, "path": "/W"}],
    )
    arrival = arrived(frame(problems, problems), first)
    assert kinds(arrival) == ["errors"]
    assert arrival.errors["/B"].message == "bad" and list(arrival.errors) == ["/B"]
    assert [found.path for found in arrival.warnings] == ["/W"]
    assert arrived(frame(), arrival.contents()).errors == {}


@pytest.mark.parametrize(
    "messages",
    [
        [message(token=b"t")],
        [message(header=header())],
        [message(header=header()), message(error_paths=["/A"], path_errors=[{"item": 1}])],
        frame(message(materials=v1.FrameMaterials(ids=[1], paths=["/M"]))),
        frame(message(materials=v1.FrameMaterials(ids=[1, 2], paths=["/M"]))),
    ],
    ids=["no header", "no token", "error of no path", "no network", "no path"],
)
def test_inconsistent_frame_is_refused(messages):
    with pytest.raises(stagedoor.Error, match="inconsistent reply"):
        arrived(messages)
