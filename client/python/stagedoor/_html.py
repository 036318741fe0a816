"""Stages, prims, layer stacks, samples and values as notebooks show them.

All texts of scenes are escaped: names and values may be anything.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from stagedoor import _plot
from stagedoor.types import State

_MAX_ROWS = 50
_MAX_COLUMNS = 8


def stage(stage: Any) -> str:
    """The settings of a stage."""
    start, end = stage.start_time_code, stage.end_time_code
    span = f"{start:g} to {end:g}" if start is not None and end is not None else "not authored"
    default = stage.default_prim
    rows = [
        ("root layer", stage.root_layer),
        ("snapshot", stage.snapshot),
        ("default prim", default.path if default is not None else "none"),
        ("time codes", f"{span}, {stage.time_codes_per_second:g} per second"),
        ("up axis", f"{stage.up_axis}, {stage.meters_per_unit:g} m per unit"),
    ]
    return _table(("Stage", ""), rows, len(rows))


def prim(prim: Any) -> str:
    """The type of a prim, and its properties."""
    rows = [(attribute.name, attribute.type_name) for attribute in prim.attributes]
    rows += [(relationship.name, "rel") for relationship in prim.relationships]
    return _table((prim.path, prim.type_name or "untyped"), rows, len(rows))


def sites(found: Sequence[Any]) -> str:
    """A layer stack, or the specs of a prim or property: the strongest first."""
    rows = ((s.layer, s.path, s.arc, _offset(s.layer_offset)) for s in found)
    return _table(("layer", "path", "arc", "offset"), rows, len(found))


def _offset(offset: Any) -> str:
    scale = "" if offset.scale == 1 else f" scale {offset.scale:g}"
    return "" if offset.offset == 0 and not scale else f"{offset.offset:g}{scale}"


def samples(samples: Any) -> str:
    """The times and values of an attribute; a plot as well, if matplotlib is installed."""
    if samples.error is not None:
        return f"<p>{escape(samples.path)}: {escape(samples.error.message)}</p>"
    rows = (
        ("always" if code.kind == "default" else _time(code), _cell(state, value))
        for code, state, value in zip(samples.codes, samples.states, samples.values)
    )
    head = (samples.path, samples.type_name)
    return _table(head, rows, len(samples)) + _plot.picture(samples)


def values(values: Any) -> str:
    """A row for each time, a column for each path."""
    paths = values.paths[:_MAX_COLUMNS]
    left_out = len(values.paths) - len(paths)
    head = ("time", *paths, *([f"and {left_out} more paths"] if left_out else ()))
    rows = (
        (_time(code), *(_value_at(values, path, code) for path in paths)) for code in values.times
    )
    return _table(head, rows, len(values.times))


def _value_at(values: Any, path: str, code: Any) -> str:
    error = values.error(path, code)
    if error is not None:
        return f"{error.reason or error.code}: {error.message}"
    return _cell(values.state(path, code), values[path, code])


def explanation(found: Any) -> str:
    """Where a value comes from, and all opinions."""
    rows = [("value", "blocked" if found.blocked else short(found.value))]
    rows.append(("source", found.source))
    if found.site is not None:
        rows.append(("from", str(found.site)))
    if found.lower_sample is not None:
        rows.append(("samples", f"{found.lower_sample:g} and {found.upper_sample:g}"))
    rows += [("", note) for note in found.notes]
    rows += [("warning", str(warning)) for warning in found.warnings]
    table = _table((found.path, _time(found.time)), rows, len(rows))
    return table + (_opinions(found.opinions) if found.opinions else sites(found.stack))


def _opinions(found: Sequence[Any]) -> str:
    rows = (
        (o.site.layer, o.site.path, o.site.arc, _offset(o.site.layer_offset), _opinion(o))
        for o in found
    )
    return _table(("layer", "path", "arc", "offset", "value"), rows, len(found))


def _opinion(opinion: Any) -> str:
    if opinion.source == "none":
        return ""
    more = f" … {opinion.element_count} in all" if opinion.element_count else ""
    return "blocked" if opinion.blocked else short(opinion.value) + more


def layer(layer: Any) -> str:
    """The specs of a layer."""
    rows = ((spec.path, spec.type, ", ".join(spec.fields)) for spec in layer)
    return _table((layer.identifier, layer.format, "fields"), rows, len(layer))


def changes(changes: Any) -> str:
    """The changed paths, and in which respects they changed."""
    rows = [(path, "resynced") for path in changes.resynced_paths]
    rows += [(path, ", ".join(names)) for path, names in changes.changed_info.items()]
    return _table(("changed", changes.snapshot), rows, len(rows))


def short(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray) and value.size > 16:
        return f"{value.dtype} array of shape {value.shape}"
    if isinstance(value, list) and len(value) > 16:
        return f"list of {len(value)}"
    if isinstance(value, float):
        return f"{value:.9g}"
    text = "no value" if value is None else " ".join(str(value).split())
    return text if len(text) <= 120 else text[:117] + "…"


def _cell(state: Any, value: Any) -> str:
    return "blocked" if state is State.BLOCKED else short(value)


def _time(code: Any) -> str:
    if code.kind in ("numeric", "pre"):
        return f"{'before ' if code.kind == 'pre' else ''}{code.value:.12g}"
    return str(code.kind)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], count: int) -> str:
    """The first rows of `count`, and how many more there are."""
    lines = ["<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in islice(rows, _MAX_ROWS):
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    if count > _MAX_ROWS:
        lines.append(f'<tr><td colspan="{len(head)}">and {count - _MAX_ROWS} more</td></tr>')
    return "\n".join(lines) + "</table>"
