"""Crates with one defect each: mutants(data) yields (description, bytes) for a crate written by usd-core.

Systematic, not random: the entries of each table are dropped, repeated, exchanged and set to invalid values, one at
a time.
"""
import copy
import struct

from crate_file import END, CrateFile, PathItem, Spec

CHILDREN = (b"primChildren", b"properties", b"variantSetChildren", b"variantChildren")
OTHERS = ("connectionChildren", "targetChildren", "mapperChildren", "expressionChildren")
NAMES = (b"", b"a b", b"1x", b".", b"..", b"a.b", b"a:b", b":a", b"a::b", b"/", b"a/b", b"{v=x}", b"{v=}", b"[/A]",
         b"\xc3\xa9", b"\xff", b"-1", b"\n")


def mutants(data):
    crate = CrateFile.parse(data)
    for make in (spec_mutants, child_list_mutants, field_set_mutants, path_mutants, path_tree_mutants, table_mutants,
                 field_value_mutants):
        for what, changed in make(crate):
            yield what, changed.serialize()


def spec_mutants(crate):
    for i, spec in enumerate(crate.specs):
        yield from _changed(crate, f"spec {i} dropped", lambda c: c.specs.pop(i))
        yield from _changed(crate, f"spec {i} twice", lambda c: c.specs.append(Spec(**vars(c.specs[i]))))
        yield from _changed(crate, f"spec {i} moved to the end", lambda c: c.specs.append(c.specs.pop(i)))
        yield from _changed(crate, f"spec {i} moved to the front", lambda c: c.specs.insert(0, c.specs.pop(i)))
        for number in (*range(0, 13), 99, -1):
            if number != spec.type:
                yield from _changed(crate, f"spec {i} of type {number}", lambda c: _set(c.specs[i], type=number))
        for other in crate.specs:
            if other.path != spec.path:
                yield from _changed(crate, f"spec {i} at path {other.path}",
                                    lambda c: _set(c.specs[i], path=other.path))
            if other.field_set != spec.field_set:
                yield from _changed(crate, f"spec {i} with field set {other.field_set}",
                                    lambda c: _set(c.specs[i], field_set=other.field_set))
        yield from _changed(crate, f"spec {i} at no path", lambda c: _set(c.specs[i], path=c.path_count))
        yield from _changed(crate, f"spec {i} without a field set",
                            lambda c: _set(c.specs[i], field_set=len(c.field_sets)))
        yield from _changed(crate, f"spec {i} inside of a field set",
                            lambda c: _set(c.specs[i], field_set=spec.field_set + 1))
        yield from _changed(crate, f"spec {i} with an empty field set", lambda c: c.set_fields(c.specs[i], []))
    yield from _changed(crate, "no specs", lambda c: c.specs.clear())


def child_list_mutants(crate):
    for i, spec in enumerate(crate.specs):
        for field in crate.fields_of(spec):
            name, value = crate.fields[field]
            name = crate.tokens[name]
            if name not in CHILDREN:
                continue
            names = crate.list_of(value)
            changes = [("emptied", []), ("reversed", names[::-1]), ("with the first twice", names[:1] + names),
                       ("all twice", names * 2), ("without the first", names[1:]),
                       ("with the unknown", names + [b"zz"]), ("with the unknown alone", [b"zz"])]
            changes += [(f"with {bad}", names + [bad]) for bad in NAMES]
            for what, changed in changes:
                yield from _changed(crate, f"{name.decode()} of spec {i} {what}",
                                    lambda c: _replace(c, i, field, name, c.token_vector(changed)))
            for kind, number in (("a double", 9 << 48 | 1 << 62), ("a token", 11 << 48 | 1 << 62 | 1),
                                 ("an array of tokens", value & ~(0xFF << 48) | 11 << 48 | 1 << 63),
                                 ("a list beyond the file", 41 << 48 | 1 << 40)):
                yield from _changed(crate, f"{name.decode()} of spec {i} is {kind}",
                                    lambda c: _replace(c, i, field, name, number))
        held = {crate.tokens[crate.fields[f][0]] for f in crate.fields_of(spec)}
        for name in CHILDREN:
            if name not in held:
                yield from _changed(crate, f"{name.decode()} on spec {i}", lambda c: c.set_fields(
                    c.specs[i], c.fields_of(spec) + [c.add_field(name, c.token_vector(["zz"]))]))
        for name in OTHERS:
            yield from _changed(crate, f"{name} on spec {i}", lambda c: c.set_fields(
                c.specs[i], c.fields_of(spec) + [c.add_field(name, c.token_vector(["zz"]))]))


def field_set_mutants(crate):
    for i, spec in enumerate(crate.specs):
        fields = crate.fields_of(spec)
        for k, field in enumerate(fields):
            name = crate.tokens[crate.fields[field][0]].decode()
            yield from _changed(crate, f"spec {i} without {name}",
                                lambda c: c.set_fields(c.specs[i], fields[:k] + fields[k + 1:]))
            yield from _changed(crate, f"spec {i} with {name} twice",
                                lambda c: c.set_fields(c.specs[i], fields + [field]))
            yield from _changed(crate, f"spec {i} with two {name}", lambda c: c.set_fields(
                c.specs[i], fields + [c.add_field(name, 3 << 48 | 1 << 62 | 7)]))


def path_mutants(crate):
    for i, item in enumerate(crate.paths):
        for name in NAMES:
            for sign in (1, -1):
                yield from _changed(crate, f"path item {i} named {sign} {name}",
                                    lambda c: _set(c.paths[i], element=sign * c.token(name)))
        yield from _changed(crate, f"path item {i} of the other kind",
                            lambda c: _set(c.paths[i], element=-item.element))
        yield from _changed(crate, f"path item {i} without a token",
                            lambda c: _set(c.paths[i], element=len(c.tokens)))
        for k, other in enumerate(crate.paths):
            if k != i:
                yield from _changed(crate, f"path item {i} named as {k}",
                                    lambda c: _set(c.paths[i], element=other.element))
                yield from _changed(crate, f"path item {i} for path {other.path}",
                                    lambda c: _set(c.paths[i], path=other.path))
        yield from _changed(crate, f"path item {i} beyond the paths", lambda c: _set(c.paths[i], path=c.path_count))


def path_tree_mutants(crate):
    for i, item in enumerate(crate.paths):
        for jump in (-3, -2, -1, 0, 1, 2, 3, len(crate.paths)):
            if jump != item.jump:
                yield from _changed(crate, f"path item {i} jumps {jump}", lambda c: _set(c.paths[i], jump=jump))
    yield from _changed(crate, "one path less", lambda c: _set(c, path_count=c.path_count - 1))
    yield from _changed(crate, "one path more", lambda c: _set(c, path_count=c.path_count + 1))
    yield from _changed(crate, "many paths more", lambda c: _set(c, path_count=c.path_count + 100))


def table_mutants(crate):
    for i in range(len(crate.tokens)):
        yield from _changed(crate, f"token {i} empty", lambda c: c.tokens.__setitem__(i, b""))
        yield from _changed(crate, f"token {i} as the one before", lambda c: c.tokens.__setitem__(i, c.tokens[i - 1]))
        yield from _changed(crate, f"token {i} no UTF-8", lambda c: c.tokens.__setitem__(i, b"\xff\xfe"))
    for i in range(len(crate.strings)):
        yield from _changed(crate, f"string {i} without a token", lambda c: c.strings.__setitem__(i, len(c.tokens)))
    yield from _changed(crate, "an unused field", lambda c: c.add_field("zz", 0))
    yield from _changed(crate, "field set without an end", lambda c: c.field_sets.pop())
    yield from _changed(crate, "an unused field set", lambda c: c.field_sets.extend([0, END]))
    yield from _changed(crate, "field set with no field", lambda c: c.field_sets.extend([len(c.fields), END]))


def field_value_mutants(crate):
    """Sets each field to inlined values of other types."""
    values = {"an int": 3 << 48 | 1 << 62 | 1, "a token": 11 << 48 | 1 << 62 | 1, "a string": 10 << 48 | 1 << 62,
              "a specifier": 42 << 48 | 1 << 62 | 1, "no specifier": 42 << 48 | 1 << 62 | 9,
              "a bool": 1 << 48 | 1 << 62 | 1, "a block": 51 << 48 | 1 << 62, "nothing": 0,
              "of no type": 0x7E << 48 | 1 << 62, "beyond the file": 9 << 48 | 1 << 40,
              "an empty array": 3 << 48 | 1 << 63, "a dictionary": 31 << 48 | 1 << 62}
    for i, spec in enumerate(crate.specs):
        for field in crate.fields_of(spec):
            name = crate.tokens[crate.fields[field][0]]
            if name in CHILDREN:
                continue
            for what, value in values.items():
                if what == "a string" and not crate.strings:
                    continue
                yield from _changed(crate, f"{name.decode()} of spec {i} is {what}",
                                    lambda c: _replace(c, i, field, name, value))
    for what, times in (("repeated", (1, 1, 2)), ("descending", (3, 2, 1)), ("nan", (1, float("nan"), 2)),
                        ("infinite", (float("-inf"), 0, float("inf"))), ("none", ()), ("too few", (1, 2)),
                        ("fine", (1, 2, 3))):
        for i, spec in enumerate(crate.specs):
            if spec.type == 1:
                yield from _changed(crate, f"spec {i} with times {what}",
                                    lambda c: _add_samples(c, c.specs[i], times, 3))


def _add_samples(crate, spec, times, count):
    times_at = crate.add_value(struct.pack(f"<Q{len(times)}d", len(times), *times))
    rep_of_times = 48 << 48 | times_at
    values = struct.pack("<Q", count) + b"".join(struct.pack("<Q", 3 << 48 | 1 << 62 | k) for k in range(count))
    at = crate.add_value(struct.pack("<qQq", 8, rep_of_times, 8) + values)
    crate.set_fields(spec, crate.fields_of(spec) + [crate.add_field("timeSamples", 46 << 48 | at)])


def _changed(crate, what, change):
    changed = copy.deepcopy(crate)
    change(changed)
    yield what, changed


def _set(held, **members):
    for name, value in members.items():
        setattr(held, name, value)


def _replace(crate, spec, field, name, value):
    fields = [f for f in crate.fields_of(crate.specs[spec]) if f != field]
    crate.set_fields(crate.specs[spec], fields + [crate.add_field(name, value)])
