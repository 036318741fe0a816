"""Plans that read what a plot shows: values over time, and which clips are active."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stagedoor import _plot, _times, _tools, _values
from stagedoor._calls import Plan
from stagedoor._plot import MAX_TIMES, Curve
from stagedoor._session import Session
from stagedoor.errors import Error
from stagedoor.results import ClipSpan, Explanation
from stagedoor.types import TimeCode

_EXPLAINED_AT_ONCE = 1000  # the most times that Explain takes
_USUAL_TIMES = 401
_HELD = _values.INTERPOLATIONS["held"]


def active_clips(
    session: Session, path: str, start: float | None, end: float | None
) -> Plan[list[ClipSpan]]:
    """The clips that supply the value of an attribute, with the spans in which they do."""
    samples = yield from _values.time_samples(session, path, (start, end))
    ends = [time for time in (start, end) if time is not None]
    times = sorted({float(time) for time in (*samples, *ends)})
    if not times:
        return []
    _check_count(path, len(times))
    # One kind of opinion supplies the values at all times, so that the first tells if it is clips.
    found = yield from _explain(session, path, times[:1])
    if found[0].source != "value_clips":
        return []
    found += yield from _explain(session, path, times[1:])
    return _spans(times, found)


def _explain(session: Session, path: str, times: Sequence[float]) -> Plan[list[Explanation]]:
    """Explanations of many times. They have the values, so that a reply may be too large."""
    found: list[Explanation] = []
    size = _EXPLAINED_AT_ONCE
    while len(found) < len(times):
        part = times[len(found) : len(found) + size]
        try:
            found += yield from _values.explain(session, path, part)
        except Error as error:
            if error.reason != "REQUEST_TOO_LARGE" or len(part) == 1:
                raise
            size = len(part) // 2
    return found


def _spans(times: Sequence[float], found: Iterable[Explanation]) -> list[ClipSpan]:
    """The spans of explanations that follow each other. A clip becomes active at a sample."""
    spans: list[ClipSpan] = []
    previous = None
    for time, explanation in zip(times, found):
        layer = explanation.site.layer if explanation.site is not None else None
        if previous is not None:
            spans[-1] = ClipSpan(spans[-1].start, time, previous)
        if layer is not None and layer != previous:
            spans.append(ClipSpan(time, time, layer))
        previous = layer
    return spans


# ----------------------------------------------------------------------------------------- curves


def curve(session: Session, path: str, type_name: str, times: _times.Times) -> Plan[Curve]:
    """The curve of an attribute at times. None: the range of the stage, or that of the samples."""
    _plot.check_type(path, type_name)
    if times is None:
        wanted = yield from _usual_times(session, path)
    else:
        wanted = _numbers(_times.expand(times))
    first, last = min(wanted), max(wanted)
    knots = (yield from _values.get_samples(session, path, [(first, last)]))[0]
    knots.check()
    inside = [i for i, code in enumerate(knots.codes) if _is_inside(code, first, last)]
    # A limit from the left comes before the value at that time.
    codes = sorted(
        {*map(TimeCode, wanted), *(knots.codes[i] for i in inside)},
        key=lambda code: (code.value, code.kind != "pre"),
    )
    _check_count(path, len(codes))
    values = yield from _values.get_many(session, path, codes)
    clips = yield from active_clips(session, path, first, last)
    return Curve(
        path=path,
        first=first,
        last=last,
        times=np.array([code.value for code in codes]),
        values=_plot.components(type_name, values[path]),
        knots=np.array([knots.codes[i].value for i in inside]),
        knot_values=_plot.components(type_name, [knots.values[i] for i in inside]),
        held=_plot.is_held(type_name) or session.request.interpolation == _HELD,
        blocked=_plot.blocked_spans(knots.codes, knots.states, first, last),
        clips=tuple(clips),
    )


def _usual_times(session: Session, path: str) -> Plan[list[float]]:
    info = session.info
    if info.snapshot != session.snapshot:
        info = yield from _tools.info(session)
    if info.HasField("start_time_code") and info.HasField("end_time_code"):
        first, last = info.start_time_code, info.end_time_code
    else:
        samples = (yield from _values.get_samples(session, path, [None]))[0]
        samples.check()
        times = [code.value for code in samples.codes if code.kind != "default"]
        if not times:
            raise ValueError(
                f"neither the stage nor {path} has a range of times; pass the times to plot, "
                'as in plot("1:48")'
            )
        first, last = times[0], times[-1]
    return [float(time) for time in np.linspace(first, last, _USUAL_TIMES)]


def _numbers(codes: Iterable[TimeCode]) -> list[float]:
    found = list(codes)
    for code in found:
        if code.kind != "numeric" or not np.isfinite(code.value):
            raise ValueError(f"plot needs times that are numbers, not {code!r}")
    return [code.value for code in found]


def _is_inside(code: TimeCode, first: float, last: float) -> bool:
    return code.kind != "default" and first <= code.value <= last


def _check_count(path: str, count: int) -> None:
    if count > MAX_TIMES:
        raise ValueError(
            f"{path} would be read at {count} times, more than {MAX_TIMES}: choose a shorter range"
        )
