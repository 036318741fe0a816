"""Draws values over time with matplotlib, which is imported only here and on use."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from stagedoor._encode import packing_of
from stagedoor.types import Array, State, TimeCode

if TYPE_CHECKING:
    from stagedoor.results import ClipSpan

MAX_TIMES = 100_000
# A cell of a notebook shows a picture of so many samples at most.
_MAX_PICTURE_SAMPLES = 10_000
# Parts of a plot narrower than 1/12 of it get no name, because it would overlap others.
_NAMED_PARTS = 12
_MAX_LABEL = 80
# matplotlib subtracts numbers, which must not overflow.
_LARGEST = 1e300
_COMPONENTS = ("x", "y", "z", "w")
Span = tuple[float, float]


@dataclass(frozen=True)
class Curve:
    """The data of a plot of an attribute between `first` and `last`.

    values: the components at each time; NaN where there is no value.
    knots: where the samples are, which are drawn as dots, with their components.
    held: whether values hold until the next time, instead of being interpolated.
    blocked: the spans in which the value is blocked.
    """

    path: str
    first: float
    last: float
    times: Array
    values: Array
    knots: Array
    knot_values: Array
    held: bool
    blocked: tuple[Span, ...]
    clips: tuple[ClipSpan, ...]


def can_plot(type_name: str) -> bool:
    """Whether values of a type are numbers, vectors or quaternions."""
    packing = packing_of(type_name)
    return packing is not None and packing.rows == 1


def check_type(path: str, type_name: str) -> None:
    if not can_plot(type_name):
        raise ValueError(
            f"{path} has the type {type_name!r}; plot shows numbers, vectors and quaternions"
        )


def is_held(type_name: str) -> bool:
    """Whether values of a type hold until the next sample under any interpolation."""
    packing = packing_of(type_name)
    return packing is None or np.dtype(packing.dtype).kind in "biu"


def components(type_name: str, values: Sequence[Any]) -> Array:
    """The components of values, one row for each; NaN where there is none that can be drawn."""
    packing = packing_of(type_name)
    found = np.full((len(values), packing.columns if packing is not None else 1), np.nan)
    for row, value in zip(found, values):
        if value is not None:
            row[:] = value
    np.copyto(found, np.nan, where=~(np.abs(found) <= _LARGEST))
    return found


def blocked_spans(
    codes: Sequence[TimeCode], states: Sequence[State], first: float, last: float
) -> tuple[Span, ...]:
    """Where a value is blocked: from a blocked sample to the next, and before it if it is first."""
    spans: list[Span] = []
    for i, state in enumerate(states):
        if state is not State.BLOCKED:
            continue
        start = codes[i].value if i > 0 else first
        end = codes[i + 1].value if i + 1 < len(codes) else last
        start, end = max(start, first), min(end, last)
        if spans and spans[-1][1] >= start:
            start = spans.pop()[0]
        if start < end:
            spans.append((start, end))
    return tuple(spans)


def curve_of_samples(samples: Any, clips: Iterable[ClipSpan] = ()) -> Curve:
    """The curve through samples; of a spline, only the knots."""
    samples.check()
    check_type(samples.path, samples.type_name)
    if len(samples) > MAX_TIMES:
        raise ValueError(f"{samples.path} has {len(samples)} samples; plot shows up to {MAX_TIMES}")
    first, last = _limits(samples)
    values = components(samples.type_name, samples.values)
    if np.isnan(samples.times).any():  # the same value at all times
        knots = np.empty(0)
        times, lines = np.array([first, last]), np.repeat(values[:1], 2, axis=0)
        values = values[:0]
    else:
        knots = samples.times
        times, lines = _held_before_gaps(knots, values)
        if samples.variation == "spline":
            lines = np.full_like(lines, np.nan)
    return Curve(
        path=samples.path,
        first=first,
        last=last,
        times=times,
        values=lines,
        knots=knots,
        knot_values=values,
        held=is_held(samples.type_name),
        blocked=blocked_spans(samples.codes, samples.states, first, last),
        clips=tuple(clips),
    )


def _held_before_gaps(times: Array, values: Array) -> tuple[Array, Array]:
    """With a point more where values end, because nothing is interpolated with a missing value."""
    absent: Array = np.asarray(np.isnan(values).all(axis=1))
    ends = np.flatnonzero(absent[1:] & ~absent[:-1]) + 1
    return np.insert(times, ends, times[ends]), np.insert(values, ends, values[ends - 1], axis=0)


def _limits(samples: Any) -> Span:
    """The interval of samples; where it is infinite, as far as they reach."""
    times = samples.times[~np.isnan(samples.times)]
    start, end = samples.interval or (None, None)
    times = np.clip(times, -_LARGEST, _LARGEST)
    first = float(times.min()) if len(times) else (end if end is not None else 1.0) - 1.0
    last = float(times.max()) if len(times) else first + 1.0
    if samples.states and samples.states[-1] is State.BLOCKED and len(times):
        last += (last - first) / 20 or 1.0  # so that the block can be seen
    return (first if start is None else min(start, first), last if end is None else max(end, last))


# ---------------------------------------------------------------------------------------- drawing


def draw(curve: Curve, axes: Any = None) -> Any:
    """Draws a curve into axes of matplotlib, by default those of a new figure; returns the axes."""
    if axes is None:
        _, axes = _pyplot().subplots(figsize=(9, 3), layout="constrained")
    axes.margins(y=0.2)
    _draw_clips(curve, axes)
    _draw_blocked(curve, axes)
    count = curve.values.shape[1]
    for i in range(count):
        style = "steps-post" if curve.held else "default"
        name = _COMPONENTS[i] if count > 1 else None
        line = axes.plot(
            np.clip(curve.times, -_LARGEST, _LARGEST),
            curve.values[:, i],
            drawstyle=style,
            label=name,
        )[0]
        axes.plot(
            np.clip(curve.knots, -_LARGEST, _LARGEST),
            curve.knot_values[:, i],
            "o",
            ms=4,
            color=line.get_color(),
        )
    if count > 1:
        axes.legend(loc="upper left")
    if curve.first < curve.last:
        axes.set_xlim(curve.first, curve.last)
    axes.set_xlabel("time code")
    axes.set_title(_label(curve.path), parse_math=False)
    return axes


def _draw_clips(curve: Curve, axes: Any) -> None:
    """A band for each clip, of alternating colours, with the name of its file."""
    band = axes.get_xaxis_transform()
    for parity, color in enumerate(("tab:blue", "tab:orange")):
        bars = [(span.start, span.end - span.start) for span in curve.clips[parity::2]]
        if bars:
            axes.broken_barh(bars, (0, 1), transform=band, color=color, alpha=0.12, lw=0)
    for span in curve.clips:
        _name_span(curve, axes, (span.start, span.end), _label(span.name), 0.97)


def _draw_blocked(curve: Curve, axes: Any) -> None:
    bars = [(start, end - start) for start, end in curve.blocked]
    if bars:
        band = axes.get_xaxis_transform()
        style = {"facecolor": "none", "edgecolor": "0.6", "hatch": "//", "lw": 0}
        axes.broken_barh(bars, (0, 1), transform=band, **style)
    for span in curve.blocked:
        _name_span(curve, axes, span, "blocked", 0.55)


def _name_span(curve: Curve, axes: Any, span: Span, name: str, height: float) -> None:
    """Writes a name into a span that is wide enough. It must not be read as a formula."""
    start, end = span
    if (end - start) * _NAMED_PARTS < curve.last - curve.first or start == end:
        return
    style = {"ha": "center", "va": "top", "fontsize": 7, "clip_on": True, "parse_math": False}
    place = axes.get_xaxis_transform()
    axes.text((start + end) / 2, height, name, transform=place, **style)


def _label(text: str) -> str:
    """A name in one line, without what fonts cannot show."""
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
    return shown if len(shown) <= _MAX_LABEL else "…" + shown[1 - _MAX_LABEL :]


def picture(samples: Any) -> str:
    """A small plot of samples as an <img> element; empty without matplotlib or anything to see."""
    if not (2 <= len(samples) <= _MAX_PICTURE_SAMPLES and can_plot(samples.type_name)):
        return ""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return ""
    figure = Figure(figsize=(6, 2), layout="constrained")
    draw(curve_of_samples(samples), figure.subplots())
    data = io.BytesIO()
    figure.savefig(data, format="png", dpi=80)
    return f'<img src="data:image/png;base64,{base64.b64encode(data.getvalue()).decode()}">'


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError('plot() needs matplotlib: pip install "stagedoor[plot]"') from None
    return pyplot
