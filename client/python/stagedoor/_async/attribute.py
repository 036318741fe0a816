"""The calls of attributes and relationships."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from stagedoor import _curves, _plot, _prims, _times, _values
from stagedoor._authoring import AttributeEdits, RelationshipEdits
from stagedoor._calls import Plan
from stagedoor._decode import enum_text, fields
from stagedoor._handles import PropertyHandle
from stagedoor._prims import FULL, PRIM
from stagedoor._proto import Message, v1
from stagedoor.errors import NotFoundError
from stagedoor.results import Bracket, ClipSpan, Explanation, Samples, SiteList
from stagedoor.types import Array, State, Time

if TYPE_CHECKING:
    from stagedoor.aio.prim import Prim

T = TypeVar("T")
Times = _times.Times


class PropertyCalls(PropertyHandle):
    """The common part of attributes and relationships."""

    _kind = 0

    @property
    def prim(self) -> Prim:
        prim: Prim = self._prim
        return prim

    async def exists(self) -> bool:
        try:
            found = (await self.prim._describe(PRIM)).properties.get(self._name)
        except NotFoundError:
            return False
        return found is not None and found.kind == self._kind

    @property
    async def is_authored(self) -> bool:
        """Whether a layer has a spec for it. False for a builtin of a schema without opinions."""
        return bool((await self._describe(PRIM)).authored)

    @property
    async def is_custom(self) -> bool:
        return bool((await self._describe(PRIM)).custom)

    @property
    async def metadata(self) -> dict[str, Any]:
        return fields((await self._describe(FULL)).metadata)

    async def stack(self, time: Time = None) -> SiteList:
        """The sites of all specs, strongest first."""
        session = self._prim._session
        return await self._run(_prims.property_stack(session, self._prim.path, self._name, time))

    async def _describe(self, level: int) -> Message:
        found = (await self.prim._describe(level)).properties.get(self._name)
        if found is None or found.kind != self._kind:
            raise _prims.missing(self._prim.path, self._name)
        return found

    async def _run(self, plan: Plan[T]) -> T:
        return await self.prim._run(plan)


class AttributeCalls(AttributeEdits, PropertyCalls):
    """The calls of an attribute."""

    _kind = v1.Property.KIND_ATTRIBUTE

    async def get(self, time: Time = None, *, interpolation: str | None = None) -> Any:
        """The value at a time, by default at the default time; None if there is none.

        `state(time)` tells no value from a blocked one. Arrays are read-only NumPy arrays.
        """
        return (await self._read(time, interpolation))[1]

    async def state(self, time: Time = None) -> State:
        """Whether there is a value, there is none, or it is blocked."""
        return (await self._read(time, None))[0]

    async def values(self, times: Times, *, interpolation: str | None = None) -> list[Any]:
        """The values at several times, in one call."""
        batch = await self.prim.stage.values(self.path, times, interpolation=interpolation)
        return [batch[self.path, time] for time in batch.times]

    async def samples(self, start: float | None = None, end: float | None = None) -> Samples:
        """The samples that determine the value in an interval: those inside and just outside."""
        found = (await self.prim.stage.samples(self.path, (start, end)))[0]
        found.check()
        return found

    @property
    async def time_samples(self) -> Array:
        """The times of all samples, in time codes of the stage."""
        return await self.time_samples_in(None, None)

    async def time_samples_in(self, start: float | None, end: float | None) -> Array:
        """The times of the samples in an interval; None is infinite."""
        session = self._prim._session
        return await self._run(_values.time_samples(session, self.path, (start, end)))

    @property
    async def num_time_samples(self) -> int:
        return (await self._run(_values.sample_counts(self._prim._session, self.path)))[0]

    @property
    async def might_be_time_varying(self) -> bool:
        """False only if the value is known to be constant over time."""
        return (await self._run(_values.sample_counts(self._prim._session, self.path)))[1]

    async def bracket(self, time: float) -> Bracket:
        """The samples at or around a time: (lower, upper); None if there are no samples."""
        return await self._run(_values.bracket(self._prim._session, self.path, time))

    async def why(self, time: Time = None) -> Explanation:
        """Where the value comes from, or why there is none."""
        return (await self._run(_values.explain(self._prim._session, self.path, time)))[0]

    async def active_clips(
        self, start: float | None = None, end: float | None = None
    ) -> list[ClipSpan]:
        """The value clips that supply the value in an interval, and when; empty without clips.

        The interval is by default that of all samples. Explains the value at each of them.
        """
        return await self._run(_curves.active_clips(self._prim._session, self.path, start, end))

    async def plot(self, times: Times = None, *, axes: Any = None) -> Any:
        """Draws the value over time, and returns the axes of matplotlib.

        Dots are samples, hatched spans are blocked, and bands show which value clip is active.
        Numbers, vectors and quaternions can be drawn.

        times: at least two; by default the range of the stage, or else that of the samples.
        axes: by default those of a new figure.
        """
        plan = _curves.curve(self._prim._session, self.path, await self.type_name, times)
        return _plot.draw(await self._run(plan), axes)

    @property
    async def type_name(self) -> str:
        """The type, for example "point3f[]"."""
        return str((await self._describe(PRIM)).type_name)

    @property
    async def is_uniform(self) -> bool:
        return bool(
            (await self._describe(PRIM)).variability == v1.Variability.Value("VARIABILITY_UNIFORM")
        )

    @property
    async def source(self) -> str:
        """Which kind of opinion supplies values at numeric times, for example "time_samples"."""
        return enum_text(v1.ValueSource, "VALUE_SOURCE_", (await self._describe(FULL)).source)

    @property
    async def connections(self) -> list[str]:
        return list((await self._describe(FULL)).connections)

    async def _read(self, time: Time, interpolation: str | None) -> tuple[State, Any]:
        prim = self.prim
        session = prim._session
        return await self._run(
            _prims.value_of(session, prim._group, prim._path, self._name, time, interpolation)
        )


class RelationshipCalls(RelationshipEdits, PropertyCalls):
    """The calls of a relationship."""

    _kind = v1.Property.KIND_RELATIONSHIP

    @property
    async def targets(self) -> list[str]:
        """The target paths as composed."""
        return list((await self._describe(FULL)).targets)

    @property
    async def forwarded_targets(self) -> list[str]:
        """The target paths, with relationships among them replaced by their own targets."""
        return list((await self._describe(FULL)).forwarded_targets)
