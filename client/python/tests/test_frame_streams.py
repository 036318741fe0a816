"""Arrays of frames that the client has, and frames whose streams break."""

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
from stagedoor import _frame_arrays
from stagedoor._digests import ArrayCache
from stagedoor._frame_arrays import FrameArrays
from stagedoor._frame_contents import NOTHING, Arrival
from stagedoor._proto import v1
from stagedoor.types import TimeCode


@pytest.fixture
def first():
    return held_after(FIRST)


# ------------------------------------------------------------------------------------- digests


def unchanged(digest):
    return floats(1, 2, digest=digest, unchanged=True)


def test_array_that_was_not_sent_is_what_the_client_has(first):
    array = np.array([5.0, 6.0], np.float32)
    known = held(ArrayCache(1 << 20), d=array)
    changes = frame(message(geometry=[geometry(101, value("points", unchanged(b"d")))]))
    contents = arrived(changes, first, known).contents()
    assert known.known == {}  # so that the frame does not keep the other arrays
    assert contents.view("geometry")[101]["points"].value is array
    with pytest.raises(stagedoor.Error, match="did not name"):
        arrived(changes, first, held(ArrayCache(1 << 20), e=array))


def kept(arrays, time, *ids):
    return set(arrays.expect(TimeCode(time), ids or None).known)


def test_arrays_are_kept_for_objects_and_times():
    arrays = FrameArrays(ArrayCache(1 << 20))

    def read(time, **digests):
        """Reads a frame with an array of each of some objects, such as _7."""
        sent = []
        for name, digest in digests.items():
            data = np.array([1, 2], np.float32).tobytes()
            points = floats(1, 2, digest=digest, data=data)
            sent.append(geometry(int(name[1:]), value("points", points)))
        some = arrays.expect(TimeCode(time), None)
        arrival = arrived(frame(message(geometry=sent), **COMPLETE), arrays=some)
        for found in arrival.contents().view("geometry").values():
            assert found["points"].value.tolist() == [1, 2]

    read(1, _7=b"a", _8=b"b")
    read(2, _7=b"c")
    assert kept(arrays, 1, 7) == {b"a", b"c"}  # that of the time, and the last one
    assert kept(arrays, 5, 7) == {b"c"}
    assert kept(arrays, 5) == {b"b", b"c"}
    assert kept(arrays, 5, 9) == set()


def test_arrays_are_kept_once_they_are_needed():
    arrays = FrameArrays(ArrayCache(1 << 20))
    array = floats(1, 2, digest=b"d", data=np.array([1, 2], np.float32).tobytes())
    indices = v1.Value(
        array_value=packed(np.array([0], np.int32), digest=b"i", data=bytes(4)),
    )
    sent = value("st", array, array, times=[0, 1], indices=[indices, indices])
    messages = frame(message(geometry=[geometry(7, sent)]), **COMPLETE)
    arrival = arrived(messages, arrays=arrays.expect(TimeCode(1), None))
    assert kept(arrays, 1) == set()
    found = arrival.contents().view("geometry")[7]["st"]
    assert kept(arrays, 1) == {b"d", b"i"}
    assert found.values[0] is found.values[1]
    assert arrival.changed == (7,)


def test_objects_with_arrays_are_remembered_within_a_limit(monkeypatch):
    monkeypatch.setattr(_frame_arrays, "_MAX_OBJECTS", 3)
    arrays = FrameArrays(ArrayCache(1 << 20))
    held = arrays.expect(TimeCode(1), None)
    for id in range(5):
        arrays.store(held.key(id, "points"), bytes([id]), np.zeros(1))
        arrays.store(held.key(id, "points"), bytes([id]), np.zeros(1))
    assert kept(arrays, 1) == {bytes([3]), bytes([4])}


# -------------------------------------------------------------------------- streams that go on


def again(messages, seen, base=NOTHING):
    """A frame whose stream breaks after some messages, and is sent again."""
    arrival = Arrival(base, held())
    for one in messages[:seen]:
        arrival.take(one)
    before = len(arrival.parts)
    arrival.begin(again=True)
    return arrival, before


def content(arrival):
    """What a frame holds, in a form that can be compared."""
    contents = arrival.contents()
    matrices = contents.view("transforms")
    return (
        dict(contents.view("prims")),
        dict(contents.view("visibility")),
        {id: matrices[id].values.tolist() for id in matrices},
        {id: shape(contents, id) for id in contents.view("geometry")},
        {kind: list(contents.view(kind)) for kind in ("materials", "lights", "subsets")},
    )


# The messages of FIRST in batches of another size.
OTHER_BATCHES = frame(
    message(
        lights=FIRST[1].lights,
        light_sets=FIRST[1].light_sets,
        materials=FIRST[2].materials,
        prims=prims(1, 2, 3, materials=[70, 0, 0]),
        transforms=transforms({1: [10], 2: [20], 50: [5], 3: [30]}),
    ),
    message(visibility=FIRST[2].visibility, geometry=FIRST[2].geometry[:1]),
    message(geometry=[*FIRST[2].geometry[1:], *FIRST[3].geometry], subsets=FIRST[2].subsets),
    **COMPLETE,
)


@pytest.mark.parametrize("seen", range(1, len(FIRST)))
@pytest.mark.parametrize("turned", [False, True])
def test_nothing_is_handed_out_twice(seen, turned):
    first, second = (OTHER_BATCHES, FIRST) if turned else (FIRST, OTHER_BATCHES)
    arrival, before = again(first, seen)
    for one in second:
        arrival.take(one)
    arrival.end()
    assert content(arrival) == content(arrived(FIRST))
    handed_out = {}
    for part in arrival.parts:
        handed_out.setdefault(part.kind, []).extend(part.ids.tolist())
    for kind, ids in handed_out.items():
        assert len(set(ids)) == len(ids), kind
    assert len(arrival.parts) >= before


def test_daemon_that_forgot_what_it_sent_sends_all_again(first):
    """One daemon begins with what has changed; the other one sends a complete frame."""
    changes = frame(message(transforms=transforms({2: [21]})), message(removed=[1]))
    arrival, _ = again(changes, 2, first)
    complete = frame(
        message(prims=prims(2, 3), transforms=transforms({2: [21], 3: [30]})), **COMPLETE
    )
    for one in complete:
        arrival.take(one)
    arrival.end()
    contents = arrival.contents()
    assert list(contents.view("prims")) == [2, 3]
    moved = contents.view("transforms")
    assert {id: moved[id].values[0, 3, 0] for id in moved} == {2: 21, 3: 30}
    assert kinds(arrival) == ["transforms", "prims", "transforms", "removed"]
    assert arrival.parts[2].ids.tolist() == [3]


def test_settings_and_camera_are_handed_out_once():
    paths = {"settings_path": "/Render", "camera_path": "/Cam"}
    sent = frame(settings=settings(), camera=camera(), **paths, **COMPLETE)
    arrival, _ = again(sent, 1)
    for one in sent:
        arrival.take(one)
    arrival.end()
    assert kinds(arrival) == ["settings", "camera"]


def test_frame_that_begins_anew_has_nothing_of_the_stream_before(first):
    arrival = Arrival(first, held())
    arrival.take(message(header=header(**COMPLETE), prims=prims(9), removed=[1]))
    arrival.begin(again=False)
    for one in frame():
        arrival.take(one)
    arrival.end()
    assert arrival.parts == [] and arrival.contents() is first
