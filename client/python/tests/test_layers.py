"""What a frame holds: versions that share what did not change."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

from stagedoor._layers import Objects, Rows, Table, add_ends
from stagedoor._lazy import Lazy


def rows(values):
    """Rows with an ID and a value each."""
    ids = np.array(list(values), np.uint64)
    return Rows.of({"ids": ids, "value": np.array(list(values.values()), float)})


def sampled(samples):
    """Rows with several samples each."""
    ids = np.array(list(samples), np.uint64)
    columns = {"ids": ids, "counts": np.array([len(s) for s in samples.values()], np.uint32)}
    add_ends(columns)
    return Rows.of(columns, {"x": np.array([x for s in samples.values() for x in s], float)})


EMPTY = rows({})


def table(values):
    return Table(EMPTY).changed([rows(values)])


def content(found):
    flat = found.flat()
    return dict(zip(flat.ids.tolist(), flat.columns["value"].tolist()))


def ids(*numbers):
    return np.array(numbers, np.uint64)


# --------------------------------------------------------------------------------------------- rows


def test_the_last_row_of_an_id_counts():
    found = rows({5: 0, 3: 1, 9: 2})
    twice = Rows.joined([found, rows({3: 7})])
    assert found.locate(ids(3, 4, 9, 2**64 - 1, 0)).tolist() == [1, -1, 2, -1, -1]
    assert found.find(5) == 0
    assert EMPTY.locate(ids(1)).tolist() == [-1]
    assert twice.find(3) == 3
    assert twice.unique().ids.tolist() == [5, 9, 3]
    assert found.unique() is found


def test_large_ids_are_not_rounded():
    found = rows({2**63: 0, 2**63 + 1: 1, 2**64 - 1: 2})
    assert found.locate(ids(2**63 + 1, 2**63 + 2, 2**64 - 1)).tolist() == [1, -1, 2]


def test_rows_are_taken_with_their_samples():
    found = sampled({5: [1, 2, 3], 3: [4], 9: [], 7: [5, 6]})
    assert [found.samples["x"][found.span(row)].tolist() for row in range(4)] == [
        *[[1, 2, 3], [4]],
        *[[], [5, 6]],
    ]
    taken = found.take(np.array([3, 0]))
    assert taken.ids.tolist() == [7, 5]
    assert taken.samples["x"].tolist() == [5, 6, 1, 2, 3]
    assert taken.samples["x"][taken.span(1)].tolist() == [1, 2, 3]
    left = found.without(ids(5, 9, 1))
    assert left.ids.tolist() == [3, 7]
    assert left.samples["x"].tolist() == [4, 5, 6]
    assert found.without(ids(1)) is found


def test_joined_rows_are_held_once():
    parts = [sampled({1: [1, 2], 2: [3]}), sampled({3: [4]}), sampled({4: [5, 6]})]
    joined = Rows.joined(parts)
    assert len(joined) == 4
    assert joined.ids.tolist() == [1, 2, 3, 4]
    assert joined.samples["x"].tolist() == [1, 2, 3, 4, 5, 6]
    assert joined.samples["x"][joined.span(3)].tolist() == [5, 6]
    assert [part.samples["x"].tolist() for part in parts] == [[1, 2, 3], [4], [5, 6]]
    assert all(np.shares_memory(part.samples["x"], joined.samples["x"]) for part in parts)
    assert all(np.shares_memory(part.ids, joined.ids) for part in parts)
    assert parts[2].samples["x"][parts[2].span(0)].tolist() == [5, 6]
    assert Rows.joined([joined]) is joined


def test_columns_are_read_only():
    found = sampled({1: [1, 2]})
    for made in (found, found.take(np.array([0])), Rows.joined([found, sampled({2: [3]})])):
        assert not made.ids.flags.writeable
        assert not made.samples["x"].flags.writeable
    assert not found.ids.flags.writeable  # a view by now


def test_columns_are_decoded_when_they_are_needed():
    decoded = []

    def decode():
        decoded.append(1)
        return {"ids": ids(4), "value": np.zeros(1)}, {}

    base = table(dict.fromkeys(range(9), 0))
    found = base.changed([Rows(1, Lazy(decode))])
    assert not decoded
    assert found.find(4) is not None
    assert found.find(5) is not None
    assert decoded == [1]


def test_lazy_values_are_made_once_unless_that_fails():
    made = []

    def make():
        made.append(1)
        if len(made) == 1:
            raise ValueError
        return "x"

    lazy = Lazy(make)
    with pytest.raises(ValueError):
        lazy.get()
    assert [lazy.get(), lazy.get()] == ["x", "x"]
    assert len(made) == 2


# ------------------------------------------------------------------------------------------- tables


def test_new_version_shares_what_did_not_change():
    old = table({1: 1, 2: 2, 3: 3, 4: 4, 5: 5})
    new = old.changed([rows({2: 20}), rows({9: 90})])
    assert content(old) == {1: 1, 2: 2, 3: 3, 4: 4, 5: 5}
    assert list(content(new).items()) == [(1, 1), (2, 20), (3, 3), (4, 4), (5, 5), (9, 90)]
    assert old.changed([]) is old
    assert old.changed([EMPTY], ids(77)) is old


def test_rows_that_are_gone_are_gone():
    old = table({1: 1, 2: 2, 3: 3, 4: 4})
    new = old.changed([], ids(2, 77))
    assert new.find(2) is None
    assert content(new) == {1: 1, 3: 3, 4: 4}
    assert content(old) == {1: 1, 2: 2, 3: 3, 4: 4}
    assert content(new.changed([rows({2: 5})])) == {1: 1, 3: 3, 4: 4, 2: 5}
    assert content(old.changed([rows({2: 6})], ids(2))) == {1: 1, 3: 3, 4: 4, 2: 6}
    nothing = old.changed([], ids(1, 2, 3, 4))
    assert content(nothing) == {}
    assert nothing.find(1) is None
    assert list(nothing.flat().columns) == ["ids", "value"]


def test_find_and_select_look_at_all_layers():
    base = table({id: id for id in range(100)})
    some = rows({5: 50, 6: 60, 200: 1, 201: 1, 202: 1})
    found = base.changed([some]).changed([rows({6: 61})], ids(7))
    assert len(found._layers) == 3
    some, row = found.find(6)
    assert some.columns["value"][row] == 61
    selected = found.select(ids(6, 99, 5, 200, 6))
    assert selected.ids.tolist() == [6, 99, 5, 200, 6]
    assert selected.columns["value"].tolist() == [61, 99, 50, 1, 61]
    assert len(found.select(ids())) == 0
    for missing in (7, 300):
        with pytest.raises(KeyError, match=str(missing)):
            found.select(ids(5, missing))


def test_selected_rows_have_their_samples():
    base = Table(sampled({})).changed([sampled({id: [id, id + 0.5] for id in range(8)})])
    found = base.changed([sampled({3: [30]})]).select(ids(4, 3, 2))
    assert found.samples["x"].tolist() == [4, 4.5, 30, 2, 2.5]


def test_path_is_that_of_the_newest_row():
    def named(values):
        made = np.array(list(values), np.uint64)
        return Rows.of({"ids": made, "paths": np.array(list(values.values()), object)})

    base = Table(named({})).changed([named({1: "/A", 2: "/B", 3: "/C", 4: "/D"})])
    found = base.changed([named({5: "/E"})], ids(2))
    assert [found.id_at(path) for path in ("/A", "/B", "/E", "/X")] == [1, None, 5, None]
    assert base.id_at("/B") == 2


def test_layers_are_few(monkeypatch):
    """A frame costs what has changed: the rows copied for it are not those of the whole table."""
    copied = []
    take = Rows.take
    monkeypatch.setattr(Rows, "take", lambda self, i: copied.append(len(i)) or take(self, i))
    found = base = table(dict.fromkeys(range(4096), 0))
    for frame in range(500):  # the same objects move
        found = found.changed([rows(dict.fromkeys(range(16), frame))])
    assert len(found._layers) <= 2
    assert sum(copied) <= 500 * 32
    copied.clear()
    found = base
    for frame in range(512):  # each time another one
        found = found.changed([rows({frame: frame})])
        assert len(found._layers) <= 13
    assert sum(copied) <= 512 * 13 * 2
    assert content(found) == {id: id if id < 512 else 0 for id in range(4096)}


def test_rows_that_are_gone_do_not_pile_up():
    found = table({0: 0})
    for id in range(1, 200):
        found = found.changed([rows({id: id})], ids(id - 1))
        assert sum(layer.size for layer in found._layers) <= 4
    assert content(found) == {199: 199}


@pytest.mark.parametrize("seed", range(20))
def test_tables_and_objects_are_as_dictionaries(seed):
    random = np.random.default_rng(seed)
    found, objects, expected = Table(EMPTY), Objects(), {}
    versions = []
    for step in range(60):
        count = int(random.integers(0, 12))
        new = {int(id): float(step) for id in random.integers(0, 40, count)}
        gone = random.integers(0, 40, int(random.integers(0, 4))).astype(np.uint64)
        parts = [rows({id: x}) for id, x in new.items()] if step % 2 else [rows(new)]
        found = found.changed(parts, gone)
        objects = objects.changed(new, gone.tolist())
        expected = {id: x for id, x in expected.items() if id not in set(gone.tolist())} | new
        versions.append((found, objects, expected))
        if step % 7 == 0:
            assert content(found) == expected
    for table_then, objects_then, expected_then in versions:
        for id in range(40):
            place = table_then.find(id)
            value = None if place is None else place[0].columns["value"][place[1]]
            assert value == expected_then.get(id) == objects_then.get(id)
        assert content(table_then) == expected_then == dict(objects_then)
        assert len(objects_then) == len(expected_then)


def test_versions_that_are_dropped_are_freed_at_once():
    old = table(dict.fromkeys(range(100), 0))
    some = old.changed([rows({1: 1})])
    some.find(1)
    some.flat()
    watched = weakref.ref(some._layers[0].rows.columns["value"])
    gc.disable()
    try:
        del some
        assert watched() is None
    finally:
        gc.enable()


# ------------------------------------------------------------------------------------------ objects


def test_objects_are_shared_by_versions():
    old = Objects.of({1: "a", 2: "b", 3: "c", 4: "d"})
    new = old.changed({2: "B", 9: "z"}, [3, 77])
    assert dict(old) == {1: "a", 2: "b", 3: "c", 4: "d"}
    assert list(new.items()) == [(1, "a"), (2, "B"), (4, "d"), (9, "z")]
    assert 3 not in new and 3 in old and 77 not in new and np.uint64(9) in new
    with pytest.raises(KeyError):
        new[3]
    assert old.changed({}) is old
    assert old.changed({}, [77]) is old
    assert dict(new.changed({}, [1, 2, 4, 9])) == {}


def test_layers_of_objects_are_few():
    found = Objects.of(dict.fromkeys(range(4096), 0))
    for frame in range(100):
        found = found.changed(dict.fromkeys(range(16), frame))
        assert len(found._layers) <= 2
    found = Objects()
    for id in range(200):
        found = found.changed({id: id}, [id - 1])
        assert sum(map(len, found._layers)) <= 4
    assert dict(found) == {199: 199}
