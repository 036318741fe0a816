"""Hashing, the cache, admission, and the parameters."""

from __future__ import annotations

import dataclasses
import pathlib
from collections import Counter

import pytest

from farm.admission import Admission, Limits, RetryAdvice
from farm.calls import calls_of
from farm.farm_file import read_farm
from farm.hash_ring import HashRing, hash_of, within_bound
from farm.lru import LruCache
from farm.model import frame_of, load_of, needs_of, sized
from farm.parameters import Farm, Machine
from farm.recorder import percentile

KEYS = [f"shot-{i}" for i in range(2000)]


def ring_of(members: int) -> HashRing:
    ring = HashRing()
    for i in range(members):
        ring.add(f"replica-{i}")
    return ring


def test_hashes_do_not_depend_on_the_process() -> None:
    assert hash_of("shot-1") == 0xD6FF12189F032F38


def test_the_order_of_a_key_has_each_member_once() -> None:
    ring = ring_of(8)
    assert all(sorted(ring.order(key)) == [f"replica-{i}" for i in range(8)] for key in KEYS[:50])


def test_a_member_that_leaves_moves_its_keys_only_and_to_their_second_member() -> None:
    ring = ring_of(8)
    before = {key: ring.order(key) for key in KEYS}
    ring.remove("replica-3")
    for key, order in before.items():
        assert ring.order(key) == [member for member in order if member != "replica-3"]


def test_keys_are_spread_within_a_third_of_the_mean() -> None:
    ring = ring_of(8)
    homes = Counter(ring.order(key)[0] for key in KEYS)
    assert max(homes.values()) < 1.33 * len(KEYS) / 8


def test_a_member_that_comes_back_gets_the_same_keys() -> None:
    ring = ring_of(5)
    before = [ring.order(key) for key in KEYS[:100]]
    ring.remove("replica-2")
    ring.add("replica-2")
    assert [ring.order(key) for key in KEYS[:100]] == before


@pytest.mark.parametrize(
    ("loads", "factor", "expected"),
    [
        ({"a": 0, "b": 0, "c": 0}, 1.25, "a"),
        ({"a": 1, "b": 0, "c": 0}, 1.25, "b"),  # ceil(1.25 * 2 / 3) is 1
        ({"a": 1, "b": 0, "c": 0}, 2.0, "a"),  # ceil(2 * 2 / 3) is 2
        ({"a": 5, "b": 5, "c": 1}, 1.25, "c"),  # ceil(1.25 * 12 / 3) is 5
        ({"a": 90, "b": 0, "c": 0}, 0, "a"),  # no bound
        ({"a": 4, "b": 4, "c": 4}, 1.0, "a"),  # ceil(13 / 3) is 5
    ],
)
def test_the_first_member_within_the_bound_is_chosen(
    loads: dict[str, int], factor: float, expected: str
) -> None:
    assert within_bound(["a", "b", "c"], loads, factor) == expected


def test_without_members_nothing_can_be_chosen() -> None:
    with pytest.raises(ValueError, match="no member is available"):
        within_bound([], {}, 1.25)


def test_the_least_recently_used_is_evicted_first() -> None:
    cache = LruCache(budget=3)
    for now, key in enumerate("abc"):
        assert cache.insert(key, 1, now)
    assert cache.touch("a", 3)
    assert cache.insert("d", 1, 4)
    assert ("a" in cache, "b" in cache, "c" in cache, "d" in cache) == (True, False, True, True)
    assert (cache.bytes, cache.evictions, len(cache)) == (3, 1, 3)


def test_what_is_in_use_is_not_evicted_and_a_refused_insert_evicts_nothing() -> None:
    cache = LruCache(budget=3, pinned_seconds=10)
    cache.insert("old", 1, now=0)
    cache.insert("new", 2, now=5)
    assert (cache.has_room(1, now=12), cache.has_room(2, now=12)) == (True, False)
    assert not cache.insert("large", 2, now=12)  # "old" alone is not enough, "new" is in use
    assert ("old" in cache, "new" in cache, cache.bytes, cache.evictions) == (True, True, 3, 0)
    assert cache.insert("small", 1, now=12)
    assert ("old" in cache, "new" in cache) == (False, True)


def test_what_exceeds_the_budget_is_not_cached() -> None:
    cache = LruCache(budget=3)
    assert not cache.insert("a", 4, 0)
    assert not cache.touch("a", 0)


def test_calls_are_refused_above_the_limit_on_calls() -> None:
    admission = Admission(Limits(max_calls=2))
    assert [admission.admit(0, 0) for _ in range(3)] == ["", "", "calls"]
    admission.release(0)
    assert admission.admit(0, 0) == ""


def test_a_sixteenth_of_the_bytes_is_left_to_small_calls() -> None:
    admission = Admission(Limits(calls_bytes=16 << 20, small_call_bytes=1 << 18))
    assert admission.admit(15 << 20, 0) == ""
    assert admission.admit((1 << 18) + 1, 0) == "bytes"
    assert [admission.admit(1 << 18, 0) for _ in range(5)] == ["", "", "", "", "bytes"]
    admission.release(15 << 20)
    assert admission.admit((1 << 18) + 1, 0) == ""


def test_calls_that_would_wait_too_long_are_refused() -> None:
    admission = Admission(Limits(max_wait=30))
    assert admission.admit(0, 30) == ""
    assert admission.admit(0, 30.1) == "waiting time"
    assert admission.calls == 1


def test_advice_grows_with_the_waits_and_is_spread_from_one_to_two_times() -> None:
    advice = RetryAdvice()
    first = [advice.next() for _ in range(100)]
    assert first[0] == 0.2
    assert max(first) < 0.4
    assert len({round(20 * x) for x in first}) == 5  # 0.2, 0.25 … 0.4: all parts of the range
    for _ in range(500):
        advice.waited(60)
    assert all(10 <= advice.next() < 20 for _ in range(100))


def test_percentiles_are_interpolated() -> None:
    assert percentile([1, 2, 4], 50) == 2
    assert percentile([1, 2, 4], 75) == 3
    assert percentile([], 99) == 0


def test_a_larger_farm_needs_proportionally_more() -> None:
    small, large = sized(Farm(nodes=1000, shots=20)), sized(Farm(nodes=10_000, shots=200))
    for name, value in dataclasses.asdict(load_of(small)).items():
        factor = 1 if name == "own_node_bytes" else 10
        assert getattr(load_of(large), name) == pytest.approx(factor * value), name
    assert large.replicas == 1 + max(needs_of(large).values())


def test_a_frame_sends_all_once_and_then_what_differs() -> None:
    farm = Farm(frames=True)
    shot, costs = farm.shot, farm.costs
    varying = shot.skinned_points * costs.point_bytes + shot.frame_bytes
    first = list(calls_of(farm, (0, 0), 0, True))
    later = list(calls_of(farm, (0, 0), 1, False))
    everything = shot.rows * costs.row_bytes + shot.static_bytes + varying
    differing = shot.changed_values * costs.changed_value_bytes + varying
    assert sum(call.reply_bytes for call in first) == pytest.approx(everything)
    assert sum(call.reply_bytes for call in later) == pytest.approx(differing)
    assert [call.kind for call in later] == ["extract", "arrays"]
    assert {call.count for call in [*first, *later]} == {1}


def test_the_first_frame_has_the_static_arrays_and_the_mean_a_share_of_them() -> None:
    farm = Farm()
    frame, shot = frame_of(farm), farm.shot
    digests = shot.static_arrays * farm.costs.digest_bytes
    share = (shot.static_bytes - digests) * (1 - 1 / shot.frames_per_process)
    assert frame.first_bytes - frame.bytes == pytest.approx(share)


def test_what_is_given_is_not_sized() -> None:
    assert (sized(Farm(replicas=5, shots=3)).replicas, sized(Farm(shots=3)).shots) == (5, 3)


def test_a_file_changes_what_it_names(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "farm.toml"
    path.write_text("nodes = 7\n[machine]\ncores = 32\nnetwork_bytes_s = 1e9\n")
    expected = Machine(cores=32, network_bytes_s=1e9)
    assert read_farm(str(path)) == Farm(nodes=7, machine=expected)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("node = 7", "unknown parameter 'node'"),
        ("[shot]\nprim = 7", "unknown parameter 'shot.prim'"),
        ("nodes = -1", "'nodes' must be an integer that is not negative, not -1"),
        ("render_s = 'x'", "'render_s' must be a number that is not negative, not 'x'"),
        ("nodes = true", "'nodes' must be an integer that is not negative, not True"),
        ("single_calls = 1", "'single_calls' must be true or false, not 1"),
        ("[shot]\npasses = 0", "'shot.passes' must be positive"),
        ("machine = 1", "'machine' must be a table, not 1"),
        ("nodes = ", "farm.toml: Invalid value"),
    ],
)
def test_errors_name_the_file_and_the_parameter(
    tmp_path: pathlib.Path, text: str, message: str
) -> None:
    path = tmp_path / "farm.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"farm\.toml: ") as raised:
        read_farm(str(path))
    assert message in str(raised.value)
