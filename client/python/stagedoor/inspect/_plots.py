"""Attributes over time: the values, samples, blocks, splines with their tangents, and which value
clips are active."""

from __future__ import annotations

from typing import Any

import numpy as np
from starlette.responses import Response

from stagedoor import _curves, _plot, _prims
from stagedoor._calls import call
from stagedoor._decode import decode
from stagedoor._proto import v1
from stagedoor._values import explain, time_samples
from stagedoor.errors import Error
from stagedoor.inspect._ask import MAX_LIST, MAX_TEXT, Ask, Refused, cut, error_of
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._packed import packed_answer
from stagedoor.inspect._shown import finite
from stagedoor.inspect._tree import prim_path
from stagedoor.inspect._why import property_path
from stagedoor.types import Site, Spline

MAX_POINTS = 4000
MAX_SAMPLES = 20_000
_MAX_KNOTS = 5000
_MAX_SPLINE_LAYER = 64 << 20  # bytes of a layer that are read for a spline


async def plottable(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The attributes of a prim that can be plotted, those that may vary first."""
    data = await held.run(_prims.describe(held.session, prim_path(ask), _prims.FULL))
    found = [
        {
            "name": message.name,
            "type": message.type_name,
            "varies": message.might_be_time_varying,
            "numbers": _plot.can_plot(message.type_name),
        }
        for message in data.properties.values()
        if message.kind == v1.Property.KIND_ATTRIBUTE
        and (_plot.can_plot(message.type_name) or message.might_be_time_varying)
    ]
    found.sort(key=lambda attribute: not attribute["varies"])
    return {"snapshot": held.session.snapshot, "attributes": found[:MAX_LIST]}


async def curve(held: HeldStage, ask: Ask) -> Response:
    """An attribute between two times: its values at `count` times and at all samples.

    Of arrays and texts only the samples, without values.
    """
    prim, name = property_path(ask)
    path = f"{prim}.{name}"
    first, last = ask.number("first"), ask.number("last")
    count = ask.whole("count", 800, 2, MAX_POINTS)
    if first >= last:
        raise Refused("the first time must be before the last one")
    type_name = await held.stage.attribute(path).type_name
    samples = await held.run(time_samples(held.session, path, (first, last)))
    if len(samples) > MAX_SAMPLES:
        raise Refused(
            f"the attribute has {len(samples)} samples between these times",
            f"choose a shorter range, with up to {MAX_SAMPLES} samples",
        )
    header = {"snapshot": held.session.snapshot, "path": path, "type": type_name}
    if not _plot.can_plot(type_name):
        return packed_answer(header, {"knots": np.asarray(samples, np.float64)})
    times = np.linspace(first, last, count).tolist()
    found = await held.run(_curves.curve(held.session, path, type_name, times))
    header |= {
        "held": found.held,
        "blocked": [list(span) for span in found.blocked],
        "clips": [
            {"start": span.start, "end": span.end, "layer": cut(span.layer, MAX_TEXT)}
            for span in found.clips[:MAX_LIST]
        ],
        "spline": await _spline(held, path, first),
    }
    arrays = {
        "times": found.times,
        "values": found.values,
        "knots": found.knots,
        "knotValues": found.knot_values,
    }
    return packed_answer(header, arrays)


# ----------------------------------------------------------------------------------------- splines


async def _spline(held: HeldStage, path: str, time: float) -> dict[str, Any] | None:
    """The knots with their tangents, in stage time, if a spline supplies the values."""
    found = (await held.run(explain(held.session, path, [time])))[0]
    if found.source != "spline" or found.site is None:
        return None
    try:
        spline = await _authored_spline(held, found.site)
    except Error as error:  # a role that may not read layers
        return {"knots": [], "problem": error_of(error)}
    if spline is None:
        return None
    offset, scale = found.site.layer_offset.offset, found.site.layer_offset.scale
    return {
        "curve": spline.curve_type,
        "knots": [
            {
                "time": finite(offset + scale * knot.time),
                "value": finite(knot.value),
                "before": None if knot.pre_value is None else finite(knot.pre_value),
                "next": knot.next,
                "pre": _tangent(knot.pre_tangent, scale),
                "post": _tangent(knot.post_tangent, scale),
            }
            for knot in spline.knots[:_MAX_KNOTS]
        ],
    }


def _tangent(tangent: tuple[float, float], scale: float) -> list[float | None]:
    """Width and slope of a tangent of a layer, in stage time."""
    width, slope = tangent
    return [finite(width * abs(scale)), finite(slope / scale) if scale else None]


async def _authored_spline(held: HeldStage, site: Site) -> Spline | None:
    """The spline of a spec; None if it is too far from the beginning of a large layer."""
    request = v1.ReadLayerRequest(identifier=site.layer)
    made = call("ReadLayer", request, held.session.routing_key)
    size = 0
    async for message in held.stage._client.stream(made):
        for spec in message.specs:
            if spec.path == site.path:
                values = [decode(entry.value) for entry in spec.fields if entry.name == "spline"]
                return values[0] if values and isinstance(values[0], Spline) else None
        size += message.ByteSize()
        if size > _MAX_SPLINE_LAYER:
            return None
    return None


# ------------------------------------------------------------------------------------------- clips


async def residency(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Which of some clips the daemon has open, and how they are used."""
    wanted = set(ask.texts("layers"))
    request = v1.GetCacheStatisticsRequest(with_layers=True)
    reply = await held.run(_once("GetCacheStatistics", request))
    return {
        "clips": {
            layer.identifier: {
                "bytes": layer.bytes,
                "opens": layer.opens,
                "hits": layer.hits,
                "missing": layer.missing,
                "inUse": layer.pinned,
            }
            for layer in reply.clip_layers
            if layer.identifier in wanted
        }
    }


def _once(method: str, request: Any) -> Any:
    return (yield call(method, request))
