from __future__ import annotations

import pathlib

import numpy as np
import pytest
import scenes

import stagedoor
from stagedoor import State, TimeCode

# Opinions of other types than those that schemas and stronger layers give to their attributes.
_OTHER_TYPES = """#usda 1.0
def Sphere "Ball"
{
    float radius = 0.5
}
def Cylinder "Tube"
{
    int height = 3
    half radius = 2.5
}
def Cube "Box"
{
    string size = "large"
}
def "Weak"
{
    float half = 0.1
    int64 small = 5000000000
    bool whole = true
    double name = 1.5
}
"""
_TYPES = """#usda 1.0
(
    subLayers = [@./opinions.usda@]
)
over "Weak"
{
    half half
    int small
    int whole
    token name
}
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("flag", True),
        ("small", 200),
        ("whole", -3),
        ("counted", 4000000000),
        ("long", -9000000000),
        ("longest", 18000000000000000000),
        ("half", 0.5),
        ("float", 1.25),
        ("double", 2.5),
        ("code", 7.0),
        ("text", "hällo"),
        ("name", "upAxis"),
        ("texts", ["a", "b"]),
        ("names", ["x", "y", "z"]),
    ],
)
def test_plain_values_are_those_of_python(stage, name, expected):
    one = stage[f"/World/Types.{name}"].get()
    many = stage.values([f"/World/Types.{name}"], [1, 2])
    assert one == expected and type(one) is type(expected)
    assert many[f"/World/Types.{name}"] == [expected, expected]
    assert type(many[f"/World/Types.{name}", 2]) is type(expected)


@pytest.mark.parametrize(
    ("name", "dtype", "expected"),
    [
        ("vector", "f4", [1, 2, 3]),
        ("turn", "f4", [2, 3, 4, 1]),  # i, j, k, real
        ("matrix", "f8", [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [5, 6, 7, 1]]),
        ("numbers", "i4", [1, 2, 3]),
        ("halves", "f2", [0.5, 1.5]),
        ("turns", "f4", [[2, 3, 4, 1]]),
        ("matrices", "f8", [[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]),
        ("nothing", "f4", np.empty((0, 3))),
    ],
)
def test_numbers_are_read_only_arrays(stage, name, dtype, expected):
    path = f"/World/Types.{name}"
    for value in (stage[path].get(), stage.values(path)[path]):
        assert value.dtype == np.dtype(dtype)
        assert value.shape == np.shape(expected)
        assert np.array_equal(value, expected)
        assert not value.flags.writeable


def test_asset_paths_are_resolved(stage, folder):
    file = stage["/World/Types.file"].get()
    assert (file.path, file.resolvedPath) == ("./texture.png", str(folder / "texture.png"))
    assert pathlib.Path(file).read_bytes() == b"png"
    assert [f.authored for f in stage["/World/Types.files"].get()] == ["./a.png", "./b.png"]


def test_no_value_and_blocked_value_are_told_apart(stage):
    types = stage["/World/Types"]
    assert types["unset"].get() is None and types["unset"].state() is State.NONE
    assert types["blocked"].get() is None and types["blocked"].state() is State.BLOCKED
    assert types["double"].state() is State.VALUE
    assert types["wave"].state(9) is State.BLOCKED
    batch = stage.values(["/World/Types.unset", "/World/Types.blocked"], 1)
    assert batch.state("/World/Types.unset") is State.NONE
    assert batch.state("/World/Types.blocked", 1) is State.BLOCKED
    assert batch["/World/Types.blocked"] is None


def test_times_of_all_kinds(stage):
    wave = stage["/World/Types.wave"]
    assert wave.get(3) == 4.0
    assert wave.get(3, interpolation="held") == 0.0
    assert wave.get() is None
    assert wave.get("earliest") == 0.0
    assert wave.get(TimeCode.PreTime(5)) == 8.0
    assert wave.get(np.float64(3)) == 4.0
    assert wave.values("1:5x2") == [0.0, 4.0, 8.0]
    assert wave.values(range(1, 4)) == [0.0, 2.0, 4.0]
    assert wave.values([1, "default", TimeCode.EarliestTime()]) == [0.0, None, 0.0]


class PxrTimeCode:
    """What Usd.TimeCode of OpenUSD looks like."""

    def __init__(self, value=None):
        self._value = value

    def IsDefault(self):
        return self._value is None

    def IsEarliestTime(self):
        return False

    def GetValue(self):
        return self._value


def test_time_codes_of_openusd_are_understood(stage):
    assert stage["/World/Types.wave"].get(PxrTimeCode(3)) == 4.0
    assert stage["/World/Types.double"].get(PxrTimeCode()) == 2.5


def test_batch_is_looked_up_by_path_and_time(stage, calls):
    paths = ["/World/Types.wave", "/World/Types.double", "/World/Types.text"]
    values = stage.values(paths, "1:5", sources=True)
    assert calls.take() == ["BatchGetValues"]
    assert values["/World/Types.wave", 2] == 2.0
    assert values["/World/Types.text"] == ["hällo"] * 5
    assert values[stage["/World/Types.double"]] == [2.5] * 5
    assert np.array_equal(values.array("/World/Types.wave"), [0, 2, 4, 6, 8])
    assert values.array(paths[0]).dtype == np.float64
    assert values.sources == ("time_samples", "default", "default")
    assert values.type_name("/World/Types.text") == "string"
    assert len(values) == 15 and list(values) == paths and values.snapshot == stage.snapshot
    with pytest.raises(KeyError, match="not among the paths"):
        values["/World.x"]
    with pytest.raises(KeyError, match="not among the times"):
        values["/World/Types.wave", 6]


def test_array_of_whole_batch_is_a_view(stage):
    values = stage.values(["/World/Types.vector"] * 2, [1, 2, 3])
    array = values.array()
    assert array.shape == (2, 3, 3) and array.dtype == np.float32
    assert not array.flags.owndata


def test_array_refuses_missing_values(stage):
    values = stage.values("/World/Types.wave", [1, 9])
    with pytest.raises(ValueError, match=r"/World/Types.wave has no value at TimeCode\(9\)"):
        values.array("/World/Types.wave")


def test_failed_items_raise_only_when_asked_for(stage):
    values = stage.values(["/World/Types.double", "/World/None.x", "/World.proxyPrim"], 1)
    assert values["/World/Types.double"] == 2.5
    assert values.state("/World/None.x") is State.ERROR
    assert values.get("/World/None.x", 1, default=0) == 0
    with pytest.raises(stagedoor.NotFoundError) as info:
        values["/World/None.x"]
    assert info.value.reason == "PRIM_NOT_FOUND" and info.value.path == "/World/None.x"
    assert values.error("/World.proxyPrim").reason == "WRONG_KIND"


def test_single_errors_are_natural_exceptions(stage):
    with pytest.raises(LookupError) as info:
        stage["/World/Types.nope"].get()
    assert info.value.code == "NOT_FOUND" and info.value.reason == "ATTRIBUTE_NOT_FOUND"
    assert info.value.path == "/World/Types.nope" and "property_names" in str(info.value)
    with pytest.raises(ValueError):
        stage["/World.proxyPrim"].get()


def test_opinions_may_have_another_type_than_their_attribute(client, tmp_path):
    root = tmp_path / "root.usda"
    root.write_text(_TYPES)
    (tmp_path / "opinions.usda").write_text(_OTHER_TYPES)
    expected = {
        "/Ball.radius": 0.5,
        "/Tube.height": 3,
        "/Tube.radius": 2.5,
        "/Box.size": "large",
        "/Weak.half": float(np.float32(0.1)),
        "/Weak.small": 5000000000,
        "/Weak.whole": True,
        "/Weak.name": 1.5,
    }
    with client.open(root) as stage:
        values = stage.values(list(expected), [1, 2])
        assert {path: values[path, 2] for path in expected} == expected
        assert {path: stage[path].get(1) for path in expected} == expected
        assert {path: stage.values(path)[path] for path in expected} == expected


def test_large_batches_are_streamed(tmp_path, folder):
    from daemon import Daemon

    daemon = Daemon(tmp_path, "--max-reply-bytes=64K")
    try:
        with stagedoor.open(folder / "shot.usda", daemon.address) as stage:
            path = "/World/Moving.points"
            values = stage.values([path, "/World/Types.double", "/World/No.x"], range(1, 60))
            assert values[path, 2].shape == (scenes.COUNT, 3)
            assert values[path, 2][3].tolist() == [3, 2, 0]
            assert values["/World/Types.double", 59] == 2.5
            assert values.error("/World/No.x", 3).reason == "PRIM_NOT_FOUND"
    finally:
        daemon.stop()


def test_samples_of_an_interval(stage):
    samples = stage["/World/Types.wave"].samples(2, 6)
    assert list(samples) == [(1.0, 0.0), (5.0, 8.0), (9.0, None)]
    assert samples.states == (State.VALUE, State.VALUE, State.BLOCKED)
    assert samples.variation == "sampled" and samples.type_name == "double"
    assert np.array_equal(samples.times, [1, 5, 9])
    constant = stage["/World/Types.double"].samples()
    assert list(constant) == [(None, 2.5)] and constant.variation == "constant"
    paths = ["/World/Types.wave", "/World/Types.nope"]
    first, second, failed, _ = stage.samples(paths, (1, 2), (4, 5))
    assert first.interval == (1, 2) and list(second) == [(1.0, 0.0), (5.0, 8.0)]
    with pytest.raises(stagedoor.NotFoundError):
        list(failed)


def test_sample_times(stage):
    wave = stage["/World/Types.wave"]
    assert wave.time_samples.tolist() == [1, 5, 9]
    assert wave.time_samples_in(2, None).tolist() == [5, 9]
    assert (wave.num_time_samples, wave.might_be_time_varying) == (3, True)
    assert wave.bracket(6) == (5.0, 9.0)
    double = stage["/World/Types.double"]
    assert (double.num_time_samples, double.might_be_time_varying) == (0, False)
    assert double.bracket(6) is None and double.time_samples.tolist() == []


def test_why(stage, folder):
    why = stage["/World/Types.wave"].why(3)
    assert (why.value, why.source, why.interpolated) == (4.0, "time_samples", True)
    assert (why.lower_sample, why.upper_sample, why.layer_time) == (1.0, 5.0, 3.0)
    assert why.site.layer == str(folder / "shot.usda") and why.site.arc == "root"
    assert "interpolated between 1 and 5" in str(why)
    (opinion,) = why.opinions
    assert (opinion.site, opinion.source, opinion.value) == (why.stack[0], "time_samples", 4.0)
    assert str(opinion) == f"{why.site}: 4.0 (time_samples)" and f"  opinion: {opinion}" in str(why)
    blocked = stage["/World/Types.blocked"].why()
    assert blocked.blocked and blocked.value is None and "blocked" in str(blocked)
    assert blocked.opinions[0].blocked and str(blocked.opinions[0]).endswith(": blocked (default)")


def test_invalid_arguments_are_refused_here(stage):
    with pytest.raises(ValueError, match="unknown interpolation"):
        stage.values("/World/Types.wave", 1, interpolation="cubic")
    with pytest.raises(ValueError, match="is not a time"):
        stage["/World/Types.wave"].get("noon")
    with pytest.raises(ValueError, match="absolute prim path"):
        stage["World"]
    with pytest.raises(ValueError, match="at least one time"):
        stage.values("/World/Types.wave", [])


# ------------------------------------------------------------------------------------- digests


def test_static_arrays_are_sent_once(stage, client, calls):
    path = "/World/Static.points"
    first = stage[path].get(1)
    again = stage[path].get(2)
    assert again is first
    assert np.array_equal(again[:, 0], np.arange(scenes.COUNT))
    assert (client.arrays.hits, client.arrays.misses, len(client.arrays)) == (1, 1, 1)
    assert client.arrays.held_bytes == first.nbytes


def test_arrays_are_kept_across_stages_and_times(client, folder):
    path = "/World/Moving.points"
    with client.open(folder / "shot.usda") as stage:
        first = stage.values(path, [1, 2])
    with client.open(folder / "shot.usda", load="none") as other:
        again = other.values(path, [1, 2])
    assert again[path, 1] is first[path, 1] and again[path, 2] is first[path, 2]
    assert again[path, 1] is not again[path, 2]


def test_samples_and_primvars_and_streams_use_kept_arrays(stage, client):
    path = "/World/Static.points"
    kept = stage[path].get(1)
    assert next(iter(stage[path].samples()))[1] is not None
    assert next(iter(stage[path].samples()))[1] is kept
    moving = "/World/Moving.points"
    once, twice = stage[moving].samples(), stage[moving].samples()
    assert all(a is b for a, b in zip(once.values, twice.values))


def test_cache_of_no_bytes_keeps_nothing(daemon, folder):
    with stagedoor.connect(daemon.address, array_cache_bytes=0) as client:
        stage = client.open(folder / "shot.usda")
        assert stage["/World/Static.points"].get(1) is not stage["/World/Static.points"].get(1)
        assert len(client.arrays) == 0


def test_no_paths_have_an_empty_array(stage):
    assert stage.values([], [1, 2]).array().shape == (0, 2)
