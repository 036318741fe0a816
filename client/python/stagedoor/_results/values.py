"""Results of queries about values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np

from stagedoor import _html, _plot, _tables
from stagedoor.errors import Error
from stagedoor.types import Array, Site, State, TimeCode, Warning

# The samples at or around a time; None without samples.
Bracket = Optional[tuple[float, float]]


@dataclass(frozen=True, repr=False)
class Samples:
    """The samples of an attribute that determine its values in an interval.

    Iterates over (time, value); the time of a value that is the same at all times is None.

    variation: "constant", "sampled" or "spline".
    codes: the times; that of a limit from the left is TimeCode.PreTime(t).
    states: what there is at each time.
    """

    path: str
    type_name: str
    interval: Any
    variation: str
    codes: tuple[TimeCode, ...]
    states: tuple[State, ...]
    values: tuple[Any, ...]
    error: Error | None
    warnings: tuple[Warning, ...]

    @property
    def times(self) -> Array:
        """The times as float64; NaN for a value that is the same at all times."""
        return np.array([np.nan if c.kind == "default" else c.value for c in self.codes])

    def array(self) -> Array:
        """All values in one array, whose first axis is the sample. They must be of one shape."""
        self.check()
        return np.stack([np.asarray(value) for value in self.values])

    def check(self) -> None:
        """Raises the error of the samples, if there is one."""
        if self.error is not None:
            raise self.error

    def __len__(self) -> int:
        return len(self.codes)

    def __iter__(self) -> Iterator[tuple[float | None, Any]]:
        self.check()
        for code, value in zip(self.codes, self.values):
            yield (None if code.kind == "default" else code.value), value

    def to_pandas(self) -> Any:
        """A pandas DataFrame with a row for each sample; components of tuples are columns."""
        self.check()
        return _tables.pandas_of_samples(self)

    def to_arrow(self) -> Any:
        """A pyarrow Table with the columns "time" and that of the attribute, of its own type.

        Vectors are FixedSizeList, arrays LargeList, asset paths their resolved paths. The time of a
        value that is the same at all times is null, and so is a value that does not exist.
        """
        self.check()
        return _tables.arrow_of_samples(self)

    def plot(self, axes: Any = None, *, clips: Iterable[ClipSpan] = ()) -> Any:
        """Draws the samples and the spans in which the value is blocked; returns the axes.

        axes: of matplotlib; by default those of a new figure. clips: what `active_clips` returns.
        """
        return _plot.draw(_plot.curve_of_samples(self, clips), axes)

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Samples of {self.path}: {self.error.message}>"
        return f"<Samples of {self.path} ({self.type_name}): {len(self)}, {self.variation}>"

    def _repr_html_(self) -> str:
        return _html.samples(self)


class SiteList(list[Site]):
    """Sites, strongest first: of a layer stack, or of the specs of a prim or property."""

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "[]"

    def _repr_html_(self) -> str:
        return _html.sites(self)


@dataclass(frozen=True)
class ClipSpan:
    """A span of time in which a layer of a clip set supplies the value of an attribute.

    From `start`, to `end` exclusively if another one follows there. layer: the clip that is active;
    the manifest, where that clip has no samples.
    """

    start: float
    end: float
    layer: str

    @property
    def name(self) -> str:
        """The name of the layer's file."""
        return self.layer.rpartition("/")[2]


@dataclass(frozen=True)
class Opinion:
    """The opinion of one spec, or of the active value clip, about an attribute's value at a time.

    source: as of an Explanation; "none" if the spec holds no value.
    value: None if there is none, or if it is a block; only the first 16 elements of an array.
    element_count: the number of elements if the value has only the first of them; otherwise 0.
    """

    site: Site
    source: str
    value: Any
    blocked: bool
    element_count: int

    def __str__(self) -> str:
        what = "blocked" if self.blocked else str(self.value)
        more = f" … {self.element_count} in all" if self.element_count else ""
        says = "no value" if self.source == "none" else f"{what}{more} ({self.source})"
        return f"{self.site}: {says}"


@dataclass(frozen=True, repr=False)
class Explanation:
    """How the value of an attribute at one time is resolved. Corresponds to Usd.ResolveInfo.

    source: "none", "fallback", "default", "time_samples", "value_clips" or "spline".
    site: the spec that supplies the value; None for a fallback and without a value.
    layer_time: the time, mapped to that of the layer or clip set that supplies the value.
    lower_sample, upper_sample: the samples that the value is computed from, in stage time.
    notes: why there is no value; with value clips, which clip is active and how times are mapped.
    stack: the sites of all opinions, strongest first.
    opinions: what each of them says by itself, in the same order.
    """

    path: str
    time: TimeCode
    value: Any
    blocked: bool
    source: str
    site: Site | None
    layer_time: float | None
    lower_sample: float | None
    upper_sample: float | None
    interpolated: bool
    notes: tuple[str, ...]
    stack: tuple[Site, ...]
    warnings: tuple[Warning, ...]
    opinions: tuple[Opinion, ...] = ()

    def __str__(self) -> str:
        what = "blocked" if self.blocked else self.source
        lines = [f"{self.path} at {self.time}: {what}"]
        if self.site is not None:
            lines.append(f"  from {self.site}")
        if self.lower_sample is not None:
            verb = "interpolated between" if self.interpolated else "of the sample at"
            ends = f"{self.lower_sample:g}"
            ends += f" and {self.upper_sample:g}" if self.interpolated else ""
            lines.append(f"  {verb} {ends}")
        lines += [f"  {note}" for note in self.notes]
        lines += [f"  opinion: {opinion}" for opinion in self.opinions]
        lines += [f"  warning: {warning}" for warning in self.warnings]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return _html.explanation(self)
