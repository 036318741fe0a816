"""Turns what users write as times and intervals into messages."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Optional, Union

from stagedoor._proto import Message, v1
from stagedoor.types import Time, TimeCode

# Several times: a single one, an iterable of them, or frame ranges such as "1:48" or "1:48x0.5".
Times = Union[Time, Iterable[Time]]
# The first and the last time, both included; None is infinite.
Interval = Optional[tuple[Optional[float], Optional[float]]]

_KINDS = {"numeric": "numeric", "pre": "pre_time"}


def time_code(time: Time) -> TimeCode:
    """The time code of what a user wrote."""
    if isinstance(time, TimeCode):
        return time
    if time is None:
        return TimeCode.Default()
    if isinstance(time, str):
        return _from_text(time)
    if hasattr(time, "IsDefault") and hasattr(time, "GetValue"):
        return _from_openusd(time)
    return TimeCode(float(time))


def _from_text(text: str) -> TimeCode:
    if text == "default":
        return TimeCode.Default()
    if text == "earliest":
        return TimeCode.EarliestTime()
    try:
        if text.startswith("pre:"):
            return TimeCode.PreTime(float(text[4:]))
        return TimeCode(float(text))
    except ValueError:
        raise ValueError(
            f"{text!r} is not a time: use a number, 'default', 'earliest' or 'pre:N'"
        ) from None


def _from_openusd(time: Any) -> TimeCode:
    if time.IsDefault():
        return TimeCode.Default()
    if time.IsEarliestTime():
        return TimeCode.EarliestTime()
    if getattr(time, "IsPreTime", lambda: False)():
        return TimeCode.PreTime(time.GetValue())
    return TimeCode(time.GetValue())


def is_single(times: Any) -> bool:
    """Whether `times` is one time rather than several."""
    if isinstance(times, str):
        return ":" not in times or times.startswith("pre:")
    # Arrays of NumPy without an axis have __iter__ too.
    return not hasattr(times, "__iter__") or getattr(times, "ndim", None) == 0


def expand(times: Any) -> list[TimeCode]:
    """All times, one by one, with ranges expanded as the daemon does."""
    if is_single(times):
        return [time_code(times)]
    if isinstance(times, str):
        return [TimeCode(t) for part in times.split(",") for t in _expand_range(part.strip())]
    found = [time_code(t) for t in times]
    if not found:
        raise ValueError("at least one time is needed")
    return found


def _expand_range(text: str) -> list[float]:
    """The frames of "FIRST", "FIRST:LAST" or "FIRST:LASTxSTRIDE"."""
    ends, times, stride_text = text.partition("x")
    try:
        first_text, colon, last_text = ends.partition(":")
        first = float(first_text)
        last = float(last_text) if colon else first
        stride = float(stride_text) if times else (1.0 if last >= first else -1.0)
    except ValueError:
        raise ValueError(f"{text!r} is not a range: use FIRST:LAST or FIRST:LASTxSTRIDE") from None
    if stride == 0 or (last - first) * stride < 0 or not math.isfinite(last - first):
        raise ValueError(f"the range {text!r} never ends: check its stride")
    count = math.floor((last - first) / stride + 1e-9) + 1
    if count > 1_000_000:
        raise ValueError(f"the range {text!r} has more than 1,000,000 times")
    return [first + i * stride for i in range(count)]


def selection(times: list[TimeCode]) -> Message:
    """A TimeSelection of times."""
    if all(time.kind == "numeric" for time in times):
        return v1.TimeSelection(frames=[time.value for time in times])
    return v1.TimeSelection(times=[message(time) for time in times])


def message(time: TimeCode) -> Message:
    """A TimeCode of the API."""
    if time.kind in _KINDS:
        return v1.TimeCode(**{_KINDS[time.kind]: time.value})
    made = v1.TimeCode()
    (made.default_time if time.kind == "default" else made.earliest).SetInParent()
    return made


def interval_message(interval: Interval) -> Message:
    """A TimeInterval of the API."""
    start, end = interval if interval is not None else (None, None)
    made = v1.TimeInterval()
    if start is not None:
        made.start = float(start)
    if end is not None:
        made.end = float(end)
    return made
