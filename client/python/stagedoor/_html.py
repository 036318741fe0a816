"""What notebooks show of stages, prims and samples."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import numpy as np

_MAX_ROWS = 50


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
    return _table(("Stage", ""), rows)


def prim(prim: Any) -> str:
    """The type of a prim, and its properties."""
    rows = [(attribute.name, attribute.type_name) for attribute in prim.attributes]
    rows += [(relationship.name, "rel") for relationship in prim.relationships]
    return _table((prim.path, prim.type_name or "untyped"), rows)


def samples(samples: Any) -> str:
    """The times and values of an attribute."""
    if samples.error is not None:
        return f"<p>{escape(samples.path)}: {escape(samples.error.message)}</p>"
    rows = [("always" if time is None else f"{time:g}", short(value)) for time, value in samples]
    return _table((samples.path, samples.type_name), rows)


def short(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, np.ndarray) and value.size > 16:
        return f"{value.dtype} array of shape {value.shape}"
    text = "no value" if value is None else str(value)
    return text if len(text) <= 120 else text[:117] + "…"


def _table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    found = list(rows)
    lines = ["<table><tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    for row in found[:_MAX_ROWS]:
        lines.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>")
    if len(found) > _MAX_ROWS:
        lines.append(f"<tr><td>and {len(found) - _MAX_ROWS} more</td><td></td></tr>")
    return "\n".join(lines) + "</table>"
