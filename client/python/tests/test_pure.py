"""Rules that need no daemon."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import stagedoor
from stagedoor import TimeCode, _digests, _geom, _times
from stagedoor._assemble import Assembler
from stagedoor._digests import ArrayCache, Key
from stagedoor._options import (
    Authorization,
    Options,
    channel_options,
    check_options,
    names_of,
)
from stagedoor._proto import v1
from stagedoor._retry import RetryPolicy
from stagedoor.errors import make_error

# --------------------------------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1:3", [1, 2, 3]),
        ("3:1", [3, 2, 1]),
        ("1:2x0.5", [1, 1.5, 2]),
        ("1:4x2, 9", [1, 3, 9]),
        ("5", [5]),
    ],
)
def test_ranges_are_expanded(text, expected):
    assert [code.value for code in _times.expand(text)] == expected


@pytest.mark.parametrize("text", ["1:x", "1:5x0", "1:5x-1", "1:inf", "0:1000001"])
def test_endless_and_malformed_ranges_are_refused(text):
    with pytest.raises(ValueError, match="range"):
        _times.expand(text)


def test_time_codes_compare_with_numbers():
    assert TimeCode(3) == 3.0 and hash(TimeCode(3)) == hash(3.0)
    assert TimeCode.PreTime(3) != TimeCode(3) and TimeCode.Default() != TimeCode(0)
    assert repr(TimeCode.PreTime(3)) == "TimeCode.PreTime(3)"
    assert repr([TimeCode(1), TimeCode.Default()]) == "[TimeCode(1), TimeCode.Default()]"


def test_array_without_an_axis_is_one_time():
    assert _times.is_single(np.array(3.0)) and _times.is_single(np.float32(3))
    assert _times.expand(np.array(3.0)) == [TimeCode(3)]
    assert not _times.is_single(np.array([3.0]))


# ------------------------------------------------------------------------------------- retries


def policy(addresses: int = 1, **options: float) -> RetryPolicy:
    names = tuple(f"host:{i}" for i in range(addresses))
    return RetryPolicy(Options(names, **options), options.get("timeout", 60.0), now=100.0)


def pause(
    policy: RetryPolicy,
    code: str = "UNAVAILABLE",
    delay: float | None = None,
    *,
    from_daemon: bool = False,
    daemon_known: bool = True,
    now: float = 100.0,
) -> float | None:
    error = make_error("", code=code, retry_delay=delay)
    return policy.pause(
        error, from_daemon=from_daemon, daemon_known=daemon_known, now=now, jitter=lambda: 1.0
    )


def test_backoff_doubles_up_to_its_limit():
    retries = policy()
    assert [pause(retries) for _ in range(6)] == [0.05, 0.1, 0.2, 0.4, 0.8, 1.0]


def test_known_daemon_is_awaited_until_the_deadline():
    assert pause(policy(), now=159.9) == 0.05
    assert pause(policy(), now=159.96) is None


def test_unknown_daemon_is_awaited_for_the_connect_timeout():
    assert pause(policy(), daemon_known=False, now=109.9) == 0.05
    assert pause(policy(), daemon_known=False, now=109.96) is None


def test_rejections_are_limited_in_number():
    retries = policy(max_attempts=3)
    assert pause(retries, "RESOURCE_EXHAUSTED", 2.0, from_daemon=True) == 2.05
    assert pause(retries, "UNAVAILABLE", from_daemon=True) == 0.1
    assert pause(retries, "UNAVAILABLE", from_daemon=True) is None


def test_other_errors_are_final():
    assert pause(policy(), "NOT_FOUND", from_daemon=True) is None
    assert pause(policy(), "RESOURCE_EXHAUSTED", from_daemon=True) is None


def test_other_addresses_are_tried_at_once():
    retries = policy(addresses=3)
    assert [pause(retries) for _ in range(3)] == [0.0, 0.0, 0.05]


# ------------------------------------------------------------------------------------- options


def test_addresses(monkeypatch):
    monkeypatch.delenv("STAGEDOOR_ADDRESS", raising=False)
    assert names_of(None) == names_of("") == names_of([]) == ()
    monkeypatch.setenv("STAGEDOOR_ADDRESS", "a:1, unix:/x")
    assert names_of(None) == ("a:1", "unix:/x")
    assert names_of(["b:2"]) == ("b:2",)


def test_token_needs_tls_unless_it_stays_on_this_machine():
    check_options(Options(("127.0.0.1:1", "unix:/x", "localhost:2"), token="t"))
    check_options(Options(("127.9.8.7:1", "[::1]:2"), token="t"))
    with pytest.raises(ValueError, match="only with TLS"):
        check_options(Options(("127.0.0.1.farm:1",), token="t"))
    check_options(Options(("farm:1",), token="t", tls=stagedoor.TLS()))
    with pytest.raises(ValueError, match="farm:1 only with TLS"):
        check_options(Options(("127.0.0.1:1", "farm:1"), token="t"))
    with pytest.raises(ValueError, match="together"):
        check_options(Options(("farm:1",), tls=stagedoor.TLS(certificate="c")))
    assert "secret" not in repr(Options(("a:1",), token="secret"))


def test_connections_have_time_for_their_handshake():
    settings = dict(channel_options(Options(("a:1",))))
    assert 4000 <= settings["grpc.min_reconnect_backoff_ms"] < 5000
    # The daemon disconnects clients that ask more often than every 10 s.
    assert 10_000 < settings["grpc.keepalive_time_ms"] <= 30_000


def test_token_file_is_read_again(tmp_path):
    file, now = tmp_path / "token", [0.0]
    file.write_text("one\n")
    authorization = Authorization(Options(("a:1",), token_file=str(file)), lambda: now[0])
    assert authorization.header() == "Bearer one"
    file.write_text("two\n")
    assert authorization.header() == "Bearer one"
    now[0] = 5.0
    assert authorization.header() == "Bearer two"
    file.unlink()
    now[0] = 10.0
    assert authorization.header() == "Bearer two"


# --------------------------------------------------------------------------------------- errors


def test_errors_are_pickled_whole():
    metadata = {"path": "/A"}
    error = make_error(
        "m", code="NOT_FOUND", reason="PRIM_NOT_FOUND", metadata=metadata, retry_delay=1.5
    )
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is stagedoor.NotFoundError
    assert (again.message, again.reason, again.path) == ("m", "PRIM_NOT_FOUND", "/A")
    assert (again.code, again.retry_delay, str(again)) == ("NOT_FOUND", 1.5, str(error))


@pytest.mark.parametrize(
    ("code", "builtin"),
    [
        ("NOT_FOUND", LookupError),
        ("INVALID_ARGUMENT", ValueError),
        ("PERMISSION_DENIED", PermissionError),
        ("DEADLINE_EXCEEDED", TimeoutError),
        ("UNAVAILABLE", ConnectionError),
    ],
)
def test_errors_are_built_in_ones_too(code, builtin):
    error = make_error("what", code=code)
    assert isinstance(error, builtin) and isinstance(error, stagedoor.Error)
    assert str(error) == f"what [{code}]"


# ---------------------------------------------------------------------------------------- results


def visibility(purposes: list[int], others: list[str], times: object = 1) -> object:
    """What _geom makes of a reply about as many paths; every other result is invisible."""
    query = _geom.Query([f"/P{i}" for i in range(len(purposes))], times)
    reply = v1.ComputeVisibilityResponse(snapshot="s1", purpose=purposes, other_purposes=others)
    reply.visibility.extend(1 + i % 2 for i in range(len(purposes) * len(query.codes)))
    return _geom._visibility(query, reply)


def test_visibility_of_many_prims_has_their_purposes():
    table = visibility([1, 2, 5, 0, 5, 99], ["", "", "mine", "", "yours"])
    purposes = ["default", "render", "mine", "unspecified", "yours", "unknown"]
    assert [found.purpose for found in table.values()] == purposes
    assert [bool(found.visible) for found in table.values()] == [True, False] * 3
    several = visibility([1, 5], ["", "mine"], [1, 2, 3])
    assert several["/P0"].visible.tolist() == [True, False, True]
    assert several["/P1"].visible.tolist() == [False, True, False]
    assert several["/P1"].purpose == "mine"


def test_visibility_of_a_damaged_reply_is_an_error():
    with pytest.raises(stagedoor.Error) as info:
        visibility([5, 5], ["mine"])
    assert info.value.code == "DATA_LOSS"
    reply = v1.ComputeVisibilityResponse(visibility=[1, 1], purpose=[1])
    with pytest.raises(stagedoor.Error, match="1 purposes for 2 paths"):
        _geom._visibility(_geom.Query(["/A", "/B"], 1), reply)


# -------------------------------------------------------------------------------- cache of arrays


def array(megabytes: int) -> np.ndarray:
    return np.zeros(megabytes << 20, np.uint8)


def test_least_recently_used_arrays_are_evicted():
    cache = ArrayCache(3 << 20)
    for name in ("a", "b", "c"):
        cache.store(Key(name, 1), name.encode(), array(1))
    assert list(cache.expect(["a"], [])) == [b"a"]
    cache.store(Key("d", 1), b"d", array(1))
    assert list(cache.expect(["a", "b", "c", "d"], [])) == [b"a", b"c", b"d"]
    assert cache.held_bytes == 3 << 20
    cache.store(Key("e", 1), b"e", array(4))
    assert cache.expect(["e"], []) == {}


def test_arrays_are_expected_at_their_times_and_the_last_one_at_any():
    cache = ArrayCache(9 << 20)
    for time, digest in ((1, b"a"), (2, b"b"), (3, b"c")):
        cache.store(Key("/P.x", time), digest, array(1))
    assert set(cache.expect(["/P.x"], [1])) == {b"a", b"c"}
    assert set(cache.expect(["/P.x"], [9])) == {b"c"}
    assert set(cache.expect(["/P.y"], [1])) == set()


def test_name_without_parts_has_all_its_arrays():
    cache = ArrayCache(9 << 20)
    for digest in (b"a", b"b", b"a"):
        cache.store(Key("/P primvars"), digest, array(1))
    assert set(cache.expect(["/P primvars"])) == {b"a", b"b"}


def test_array_that_is_held_takes_the_place_of_an_equal_one():
    cache = ArrayCache(9 << 20)
    first, second = array(1), array(1)
    assert cache.store(Key("a", 1), b"a", first) is first
    assert cache.store(Key("b", 1), b"a", second) is first
    assert (cache.hits, cache.misses, len(cache)) == (1, 1, 1)


def test_what_arrays_came_for_is_bounded(monkeypatch):
    monkeypatch.setattr(_digests, "_MAX_DIGESTS", 6)
    cache = ArrayCache(9 << 20)
    for snapshot in range(100):  # of a stage that changes again and again
        digest = bytes([snapshot])
        for name in ("/P.x", "/P.y", f"/P{snapshot}.z"):
            cache.store(Key(name, 1), digest, array(1))
    assert cache.held_bytes == 9 << 20
    assert set(cache.expect(["/P.x"], [1])) == {b"c"}, "the last one; earlier ones are not expected"
    assert cache.expect(["/P98.z"], [1]) == {}, "its array is held, but not expected any more"
    assert set(cache.expect(["/P99.z"], [1])) == {b"c"}
    for time in range(10):  # more than the limit for one name
        cache.store(Key("/many", time), b"m", array(1))
    assert set(cache.expect(["/many"], [9])) == {b"m"}


# --------------------------------------------------------------------------------------- streams


def packed(**fields: object) -> object:
    return v1.PackedValues(
        component_type=v1.ComponentType.Value("COMPONENT_TYPE_UINT8"),
        shape=v1.ElementShape.Value("ELEMENT_SHAPE_SCALAR"),
        rows=1,
        columns=1,
        **fields,
    )


def item(array_id: int, size: int, **fields: object) -> object:
    streamed = {"id": array_id, "total_bytes": size}
    return v1.StreamValuesResponse(
        value={"array_value": packed(count=size, streamed=streamed)}, **fields
    )


def chunk(array_id: int, offset: int, data: bytes) -> object:
    return {"chunks": [{"array_id": array_id, "offset": offset, "data": data}]}


def test_chunks_are_put_together():
    assembler = Assembler(v1.StreamValuesResponse)
    parts = {"array_count": 1, **chunk(0, 0, b"ab")}
    assert assembler.take(item(0, 4, item=7, stream_parts=parts)) is None
    whole = assembler.take(v1.StreamValuesResponse(stream_parts=chunk(0, 2, b"cd")))
    assert whole.item == 7 and whole.value.array_value.data == b"abcd"
    assert not whole.HasField("stream_parts")
    second = assembler.take(item(1, 1, stream_parts={"array_count": 1, **chunk(1, 0, b"x")}))
    assert second.value.array_value.data == b"x"
    assembler.finish()


def test_chunks_are_put_to_arrays_wherever_they_are_in_a_message():
    def array(id, data=b""):
        sent = {"data": data} if data else {"streamed": {"id": id, "total_bytes": 1}}
        return {"component_type": 2, "rows": 1, "columns": 1, "count": 1, **sent}

    def geometry(*arrays):
        return {"values": [{"values": [{"array_value": a} for a in arrays]}]}

    message = v1.ExtractFrameResponse(
        transforms={"matrices": array(0)},
        geometry=[geometry(array(2), array(0, b"s")), geometry(array(0, b"t"), array(1))],
        subsets=[{"indices": array(3)}],
        stream_parts={"array_count": 4},
    )
    chunks = [{"array_id": i, "data": bytes([i])} for i in range(4)]
    assembler = Assembler(v1.ExtractFrameResponse)
    assert assembler.take(message) is None
    whole = assembler.take(v1.ExtractFrameResponse(stream_parts={"chunks": chunks}))
    values = [v.array_value.data for g in whole.geometry for v in g.values[0].values]
    assert values == [b"\2", b"s", b"t", b"\1"]
    assert whole.transforms.matrices.data == b"\0" and whole.subsets[0].indices.data == b"\3"


def test_fragments_are_put_together():
    data = v1.StreamValuesResponse(item=3, type_name="x" * 100).SerializeToString()
    assembler = Assembler(v1.StreamValuesResponse)
    first = {"fragment": {"total_bytes": len(data), "data": data[:50]}}
    assert assembler.take(v1.StreamValuesResponse(stream_parts=first)) is None
    rest = {"fragment": {"data": data[50:]}}
    assert assembler.take(v1.StreamValuesResponse(stream_parts=rest)).item == 3


@pytest.mark.parametrize(
    "messages",
    [
        [item(1, 4, stream_parts={"array_count": 1})],  # the first ID is 0
        [item(0, 4, stream_parts={"array_count": 2})],
        [item(0, 4, stream_parts={"array_count": 1, **chunk(0, 1, b"a")})],  # a gap
        [item(0, 4, stream_parts={"array_count": 1, **chunk(0, 0, b"abcde")})],  # too long
        [item(0, 4, stream_parts={"array_count": 1}), v1.StreamValuesResponse(item=1)],
        [v1.StreamValuesResponse(stream_parts=chunk(0, 0, b"a"))],
        [v1.StreamValuesResponse(stream_parts={"fragment": {"total_bytes": 1, "data": b"ab"}})],
    ],
)
def test_inconsistent_streams_are_refused(messages):
    assembler = Assembler(v1.StreamValuesResponse)
    with pytest.raises(stagedoor.Error, match="inconsistent stream"):
        for message in messages:
            assembler.take(message)


def test_announced_sizes_are_checked():
    assembler = Assembler(v1.StreamValuesResponse, max_bytes=100)
    with pytest.raises(stagedoor.Error, match="exceeds the limit"):
        assembler.take(item(0, 101, stream_parts={"array_count": 1}))
    huge = v1.StreamValuesResponse(
        stream_parts={"fragment": {"total_bytes": 1 << 40, "data": b"x"}}
    )
    with pytest.raises(stagedoor.Error, match="exceeds the limit"):
        assembler.take(huge)


def test_stream_that_ends_early_is_refused():
    assembler = Assembler(v1.StreamValuesResponse)
    assembler.take(item(0, 4, stream_parts={"array_count": 1}))
    with pytest.raises(stagedoor.Error, match="middle of a message"):
        assembler.finish()
