"""A scene as the renderer draws it: plain arrays, whichever program they come from.

The feeders `from_frame` and `from_usd` fill it. They hand over values as they get them; everything that is made of
these, such as triangles, is made by code that both share.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

MAX_NESTED_INSTANCERS = 8


@dataclass(frozen=True)
class Shutter:
    """While light falls on the image of a frame: `open` and `close` are in time codes from the frame on."""

    frame: float
    open: float
    close: float
    segments: int

    @property
    def times(self) -> list[float]:
        """When motion is sampled: at the ends of equal segments."""
        length = self.close - self.open
        return [self.frame + self.open + length * i / self.segments for i in range(self.segments + 1)]


@dataclass(frozen=True, eq=False)
class Motion:
    """A value while the shutter is open: one sample, or several, between which it is linear."""

    times: tuple[float, ...]
    values: tuple[Array, ...]

    @classmethod
    def of(cls, times: Iterable[float], values: Iterable[Any], frame: float) -> Motion:
        """The motion through samples. Values that do not change, are not numbers with fractions, or are not as many at
        all times, keep the sample of the frame."""
        all_times, arrays = tuple(map(float, times)), tuple(map(np.asarray, values))
        first = arrays[0]
        linear = first.dtype.kind == "f" and all(a.shape == first.shape for a in arrays)
        if linear and any(not np.array_equal(a, first) for a in arrays):
            return cls(all_times, arrays)
        return cls((frame,), (arrays[max(bisect_right(all_times, frame) - 1, 0)],))

    def at(self, time: float) -> Array:
        """The value at a time; before and after the samples, that of the closest one."""
        if len(self.times) == 1:
            return self.values[0]
        i = min(max(bisect_right(self.times, time) - 1, 0), len(self.times) - 2)
        share = (time - self.times[i]) / (self.times[i + 1] - self.times[i])
        return self.values[i] + (self.values[i + 1] - self.values[i]) * min(max(share, 0.0), 1.0)


@dataclass(frozen=True, eq=False)
class Geometry:
    """The appearance of a prim in its own space.

    values: by name, the attributes that shapes.ATTRIBUTES lists for the type.
    display_color: N × 3, with its interpolation, if there is one.
    """

    type_name: str
    values: dict[str, Motion]
    display_color: Motion | None = None
    interpolation: str = "constant"


@dataclass(frozen=True, eq=False)
class Instances:
    """The instances of a point instancer.

    prototypes: the paths of the prototypes' roots. prototype_indices: the one of each instance.
    transforms: N × 4 × 4, to the space of the instancer.
    """

    prototypes: list[str]
    prototype_indices: Array
    transforms: Motion


@dataclass(frozen=True, eq=False)
class Item:
    """A prim to draw: a geometry, or instances.

    transform: to world space, or to that of the root of the point instancer's prototype that it is a part of.
    color: the base color of its material; None if it has none, or one that is not constant.
    subsets: indices of faces, with the base color of their material.
    lights: the paths of those that illuminate it, sorted.
    prototype: the path of that root; empty if the item is drawn where it is.
    """

    path: str
    transform: Motion
    shape: Geometry | Instances
    color: Array | None = None
    subsets: Sequence[tuple[Array, Array | None]] = ()
    lights: tuple[str, ...] = ()
    prototype: str = ""


@dataclass(frozen=True, eq=False)
class Light:
    """A light that is visible. values: its inputs by name, without "inputs:"."""

    path: str
    type_name: str
    transform: Motion
    values: dict[str, Motion]


@dataclass(frozen=True, eq=False)
class Camera:
    """The viewpoint of the image.

    lens: focal length, horizontal and vertical aperture, their offsets, in tenths of the stage's unit, and the factor
      of the exposure.
    """

    transform: Motion
    lens: Motion


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything of a frame. Items are sorted by prototype and path, lights by path."""

    shutter: Shutter
    camera: Camera
    items: list[Item]
    lights: list[Light]
    warnings: list[str] = field(default_factory=list)

    def placed(self, time: float) -> Iterator[tuple[Item, Geometry, Array]]:
        """The geometry of each item, with N × 4 × 4 matrices to world space, one for each place where it is drawn."""
        parts: dict[str, list[Item]] = {}
        for item in self.items:
            parts.setdefault(item.prototype, []).append(item)

        def walk(prototype: str, places: Array, depth: int) -> Iterator[tuple[Item, Geometry, Array]]:
            for item in parts.get(prototype, ()) if depth <= MAX_NESTED_INSTANCERS else ():
                own = item.transform.at(time) @ places
                if isinstance(item.shape, Geometry):
                    yield item, item.shape, own
                    continue
                transforms = item.shape.transforms.at(time)
                for i, root in enumerate(item.shape.prototypes):
                    chosen = transforms[item.shape.prototype_indices == i]
                    if len(chosen):
                        yield from walk(root, (chosen[None] @ own[:, None]).reshape(-1, 4, 4), depth + 1)

        yield from walk("", np.eye(4)[None], 0)
