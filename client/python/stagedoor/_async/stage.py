"""The calls of stages."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from stagedoor import (
    _diff,
    _edits,
    _prims,
    _times,
    _tools,
    _values,
)
from stagedoor._async.computations import StageComputations
from stagedoor._async.edit_block import AsyncEditBlock
from stagedoor._async.stage_frames import StageFrames
from stagedoor._authoring import StageEdits
from stagedoor._calls import Plan
from stagedoor._handles import Unpicklable
from stagedoor._proto import Message
from stagedoor._session import Session
from stagedoor._values import Path
from stagedoor.aio.attribute import Attribute
from stagedoor.aio.camera import Camera
from stagedoor.aio.prim import Prim
from stagedoor.batch import Values
from stagedoor.errors import Error
from stagedoor.results import (
    CompositionError,
    Dependency,
    Difference,
    Progress,
    Samples,
    SiteList,
    WarmResult,
)

if TYPE_CHECKING:
    from stagedoor._async.client import ClientCalls
    from stagedoor.aio.stage import Stage

S = TypeVar("S", bound="StageCalls")
T = TypeVar("T")
Paths = Union[Path, Iterable[Path]]
Times = _times.Times


class StageCalls(StageComputations, StageFrames, StageEdits, Unpicklable):
    """The calls of a stage."""

    def __init__(self, client: ClientCalls, session: Session, *, owns_client: bool = False) -> None:
        self._client = client
        self._session = session
        self._owns_client = owns_client

    # ---------------------------------------------------------------------------------- objects

    def __getitem__(self, path: Path) -> Any:
        """The prim or the attribute at a path; nothing is asked of the daemon yet."""
        text = _values.path_text(path)
        return self.attribute(text) if "." in text else self.prim(text)

    def prim(self, path: Path) -> Prim:
        """The prim at a path, whether it exists or not."""
        return Prim(self, _prims.checked_prim_path(_values.path_text(path)))

    def camera(self, path: Path) -> Camera:
        """The camera at a path, whether it exists or not."""
        return Camera(self, _prims.checked_prim_path(_values.path_text(path)))

    def attribute(self, path: Path) -> Attribute:
        """The attribute at a path such as "/World/Char.points", whether it exists or not."""
        prim_path, name = _prims.split_property_path(_values.path_text(path))
        return Attribute(self.prim(prim_path), name)

    @property
    def pseudo_root(self) -> Prim:
        return self.prim("/")

    @property
    async def default_prim(self) -> Prim | None:
        name = (await self._info()).default_prim
        return self.prim(name if name.startswith("/") else f"/{name}") if name else None

    async def traverse(
        self,
        root: Paths | None = None,
        *,
        type: str | Sequence[str] | None = None,
        predicate: Callable[[Prim], bool] | None = None,
        depth: int | None = None,
        all: bool = False,
        instance_proxies: bool = False,
        require: Sequence[str] = (),
        exclude: Sequence[str] = (),
    ) -> AsyncIterator[Prim]:
        """The prims at and below `root`, depth first. Corresponds to Usd.PrimRange.

        type: schema types such as "Mesh"; prims whose type is or derives from one are returned.
        predicate: a function that returns whether to return a prim. It runs here.
        depth: the number of levels below the root.
        all: also prims that are inactive, unloaded, undefined or abstract.
        instance_proxies: also the prims below instances.
        require, exclude: flags of prims: "active", "loaded", "model", "group", "abstract",
          "defined", "instance". A prim that does not pass is left out with its descendants.

        What a loop asks of one prim is read for the next ones with it, in few calls. All of it is
        of the snapshot that the traversal reads.

        The traversal is one call, whose prims arrive while your loop is busy with earlier ones. So
        its deadline does not include the time of the loop.
        """
        which = _prims.predicate(
            all_prims=all, instance_proxies=instance_proxies, require=require, exclude=exclude
        )
        stream = _prims.traversal(self._session, root, type, depth, which)
        async for message, group in self._client.iterate(stream):
            prim = Prim(self, message.path, message, group)
            if predicate is None or predicate(prim):
                yield prim

    # ----------------------------------------------------------------------------------- values

    async def values(
        self,
        paths: Paths,
        times: Times = None,
        *,
        interpolation: str | None = None,
        sources: bool = False,
    ) -> Values:
        """The values of attributes × times, in one call.

        times: a time, several, or frame ranges such as "1:48" and "1:48x0.5".
        sources: also which kind of opinion supplies the values of each attribute.
        """
        return await self._client.run(
            _values.get_many(self._session, paths, times, interpolation, sources)
        )

    async def values_in_parts(
        self,
        paths: Iterable[Path],
        times: Times = None,
        *,
        size: int = 1000,
        interpolation: str | None = None,
    ) -> AsyncIterator[Values]:
        """The values of attributes × times, some paths at a time: for passes over a whole city.

        paths: any iterable, such as one of the prims that `traverse` returns; it is read as the
          loop goes on.
        size: the number of paths of a part. Only one part is in memory, unless the loop keeps
          more, and the arrays that the client keeps (array_cache_bytes).

        All parts are of one snapshot. If the daemon does not hold it any more, the error has the
        reason SNAPSHOT_GONE.
        """
        pin = ""
        for part in _values.portions(paths, size):
            plan = _values.get_many(self._session, part, times, interpolation, pin=pin)
            found = await self._client.run(plan)
            pin = pin or found.snapshot
            yield found
            del found  # the loop alone keeps it

    async def samples(
        self,
        paths: Paths,
        *intervals: tuple[float | None, float | None],
        interpolation: str | None = None,
    ) -> list[Samples]:
        """Samples for motion blur: those that determine the values in shutter intervals.

        One element for each path and interval: item i is path i // N in interval i % N, where N is
        the number of intervals. Without intervals, all samples.
        """
        return await self._client.run(
            _values.get_samples(self._session, paths, intervals or (None,), interpolation)
        )

    # ------------------------------------------------------------------------------------ edits

    def edit(self, *, variant: str = "", expected: str | None = None) -> AsyncEditBlock:
        """A block whose edits are made at its end, in one call: all of them or none.

            async with stage.edit():
                await stage["/World/Ball.radius"].set(2.0)
                await stage["/World/Char"].set_active(False)

        variant: the variant to author in, as "/World/Char{look=red}".
        expected: if it is given, and is not the newest snapshot, the edits fail (ConflictError).
        """
        return AsyncEditBlock(self, variant, expected)

    async def export_session_layer(self) -> str:
        """The session layer, with the edits, as usda text."""
        parts = await self._client.run(_edits.export(self._session).collect())
        return str(b"".join(parts), "utf-8")

    async def set_session_layer(self, layer: str | None, *, expected: str | None = None) -> str:
        """Replaces the session layer by usda text or a layer, or removes it; returns the snapshot.

        expected: if it is given, and is not the newest snapshot, the edit fails (ConflictError).
        """
        return await self._edit(_tools.set_session_layer(self._session, layer, expected))

    async def load(
        self, paths: Paths = "/", *, descendants: bool = True, expected: str | None = None
    ) -> str:
        """Loads the payloads at and below paths; returns the snapshot."""
        return await self._edit(_tools.load(self._session, paths, not descendants, expected))

    async def unload(self, paths: Paths = "/", *, expected: str | None = None) -> str:
        """Unloads the payloads at and below paths; returns the snapshot."""
        return await self._edit(_tools.unload(self._session, paths, expected))

    async def mute(self, *layers: str, expected: str | None = None) -> str:
        """Mutes layers; returns the snapshot."""
        return await self._edit(_tools.mute(self._session, layers, (), expected))

    async def unmute(self, *layers: str, expected: str | None = None) -> str:
        """Unmutes layers; returns the snapshot."""
        return await self._edit(_tools.mute(self._session, (), layers, expected))

    async def reload(self, *, expected: str | None = None) -> list[str]:
        """Opens again what has changed on disk; returns the identifiers of the changed layers."""
        return await self._edit(_tools.reload(self._session, expected))

    async def _edit(self, plan: Plan[T]) -> T:
        async with self._session.edit_lock:
            return await self._client.run(plan)

    # ------------------------------------------------------------------------------------ tools

    async def flatten(self, *, format: str = "usda", layer_stack_only: bool = False) -> bytes:
        """The content of a file that holds the flattened stage. Corresponds to Stage.Flatten."""
        number = _tools.file_format("", format)
        stream = _tools.flatten(self._session, number, layer_stack_only)
        parts: list[bytes] = await self._client.run(stream.collect())
        return b"".join(parts)

    async def export(
        self,
        target: str | os.PathLike[str],
        *,
        format: str | None = None,
        layer_stack_only: bool = False,
    ) -> None:
        """Writes the flattened stage to a file here. Corresponds to Stage.Export."""
        name = os.fspath(target)
        number = _tools.file_format(name, format)
        stream = _tools.flatten(self._session, number, layer_stack_only)
        with _tools.new_file(name) as file:
            await self._client.write(stream, file)

    async def dependencies(self) -> list[Dependency]:
        """All layers, clips and assets that the root layer needs, found or missing."""
        return await self._client.run(_tools.dependencies(self._session).collect())

    async def diff(
        self, other: Stage, times: Times = None, *, layers: bool = True
    ) -> list[Difference]:
        """The differences between this stage (left) and another one (right).

        Compares metadata, prims (also those of instances), properties and values at `times`, by
        default at the default time; of a subtree that one stage lacks, only the top. Properties
        that only a schema provides are compared if both stages have them. The order of prims and
        properties does not matter. The other stage may be that of another client.

        layers: whether to find out which layers make the differences, by calls for each of them.
        """
        codes = _times.expand(times)
        sides: tuple[StageCalls, StageCalls] = (self, other)
        found: list[Difference] = list(
            _diff.compared(
                *[await side._client.run(_diff.stage_facts(side._session)) for side in sides]
            )
        )
        hashes: list[_diff.Hashes] = []
        for side in sides:
            stream = _diff.hashes(side._session, codes)
            hashes.append({path: (d, t) async for path, d, t in side._client.iterate(stream)})
        found += _diff.one_sided(*hashes)
        for paths in _diff.batches(_diff.differing(*hashes)):
            facts = [
                await side._client.run(_diff.facts(side._session, paths, codes)) for side in sides
            ]
            found += _diff.compared(*facts)
        if not layers:
            return found
        return [
            dataclasses.replace(
                difference,
                left_layers=await self._client.run(_diff.layers_of(self._session, difference)),
                right_layers=await other._client.run(_diff.layers_of(other._session, difference)),
            )
            for difference in found
        ]

    async def warm(
        self,
        paths: Paths | None = None,
        *,
        interval: tuple[float, float] | None = None,
        progress: Callable[[Progress], object] | None = None,
    ) -> WarmResult:
        """Prepares the daemon's caches for the queries of many clients.

        interval: the times for which value clips are opened. progress: called as it goes on.
        """
        async for step in self._client.iterate(_tools.warm(self._session, paths, interval)):
            if isinstance(step, WarmResult):
                return step
            if progress is not None:
                progress(step)
        raise Error("the daemon ended a stream without a result", code="DATA_LOSS")

    # ------------------------------------------------------------------------------ description

    @property
    def root_layer(self) -> str:
        """The identifier of the root layer."""
        return str(self._session.info.root_layer)

    @property
    def session_name(self) -> str:
        """The name under which others can join the session; empty if it is private."""
        return str(self._session.request.session)

    @property
    def snapshot(self) -> str:
        """The fingerprint of the newest snapshot that a reply has stated."""
        return self._session.snapshot

    @property
    async def start_time_code(self) -> float | None:
        """None if none is authored."""
        info = await self._info()
        return info.start_time_code if info.HasField("start_time_code") else None

    @property
    async def end_time_code(self) -> float | None:
        """None if none is authored."""
        info = await self._info()
        return info.end_time_code if info.HasField("end_time_code") else None

    @property
    async def time_codes_per_second(self) -> float:
        return float((await self._info()).time_codes_per_second)

    @property
    async def frames_per_second(self) -> float:
        return float((await self._info()).frames_per_second)

    @property
    async def meters_per_unit(self) -> float:
        return float((await self._info()).meters_per_unit)

    @property
    async def up_axis(self) -> str:
        return str((await self._info()).up_axis)

    @property
    async def metadata(self) -> dict[str, Any]:
        """The stage's metadata without those that have properties here."""
        return await self._client.run(_tools.stage_metadata(self._session))

    @property
    async def layer_stack(self) -> SiteList:
        """The layers of the root layer stack, with the session layer, strongest first."""
        return await self._client.run(_prims.prim_stack(self._session, "/"))

    @property
    async def used_layers(self) -> list[str]:
        """The identifiers of the layers that contribute, without value clips."""
        return list(
            (await self._client.run(_tools.details(self._session, "USED_LAYERS"))).used_layers
        )

    @property
    async def composition_errors(self) -> list[CompositionError]:
        return await self._client.run(_tools.composition_errors(self._session))

    async def refresh(self) -> str:
        """Asks for the newest snapshot, which others may have made; returns its fingerprint."""
        return str((await self._client.run(_tools.info(self._session))).snapshot)

    async def _info(self) -> Message:
        """The stage as OpenStage described it, or as GetStage does if there is a newer snapshot."""
        session = self._session
        if session.info.snapshot == session.snapshot:
            return session.info
        return await self._client.run(_tools.info(session))

    # ------------------------------------------------------------------------------- life cycle

    async def close(self) -> None:
        """Ends the lease. A stage of `stagedoor.open` closes its connection as well.

        Takes up to two seconds, and raises no errors: a lease that is not closed expires by itself.
        """
        if self._owns_client:
            await self._client.close()
        else:
            await self._client._give_back([self._session.lease])

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    def _again(self) -> str:
        addresses = self._client._addresses()
        return f"stagedoor.aio.open({self._session.request.root_layer!r}, {addresses!r})"

    def __repr__(self) -> str:
        state = "closed" if self._session.closed else f"snapshot {self.snapshot[:8]}"
        return f"<Stage {self.root_layer!r}, {state}>"
