"""What stages ask the daemon."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar, Union

from stagedoor import _cameras, _diff, _edits, _geom, _lux, _prims, _shade, _times, _tools, _values
from stagedoor._async.edit_block import AsyncEditBlock
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
    BoundMaterial,
    Collection,
    CompositionError,
    Dependency,
    Difference,
    Instances,
    JointTransforms,
    Light,
    MaterialNetwork,
    MovingPoints,
    PathTable,
    Progress,
    ProxyPrim,
    Samples,
    SiteList,
    SkelBinding,
    SkinnedPrim,
    Visibility,
    WarmResult,
)
from stagedoor.types import Array

if TYPE_CHECKING:
    from stagedoor._async.client import ClientCalls
    from stagedoor.aio.stage import Stage

S = TypeVar("S", bound="StageCalls")
T = TypeVar("T")
Paths = Union[Path, Iterable[Path]]
Times = _times.Times


class StageCalls(StageEdits, Unpicklable):
    """What a stage asks the daemon."""

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
        """What motion blur needs: the samples that determine the values in shutter intervals.

        One element for each path and interval: item i is path i // N in interval i % N, where N is
        the number of intervals. Without intervals, all samples.
        """
        return await self._client.run(
            _values.get_samples(self._session, paths, intervals or (None,), interpolation)
        )

    # --------------------------------------------------------------------------------- geometry

    async def cameras(
        self,
        paths: Paths,
        times: Times = None,
        *,
        aspect_ratio: float = 0.0,
        conform: str = "fit",
    ) -> PathTable[Any]:
        """What cameras see: a CameraSample by path; for several times, a list of these.

        aspect_ratio: the width of the image divided by its height; by default, that of the camera.
        conform: how the aperture is fitted to it: "fit", "crop", "match_vertically",
          "match_horizontally" or "dont_conform". Corresponds to CameraUtilConformWindowPolicy.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(_cameras.cameras(self._session, query, aspect_ratio, conform))

    async def transforms(
        self, paths: Paths, times: Times = None, *, local: bool = False
    ) -> PathTable[Array]:
        """The local-to-world matrices of prims, by path: T × 4 × 4 float64, 4 × 4 for one time.

        Matrices act on row vectors: p' = p @ M. With `local`, those of the prims' own xformOps.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(_geom.transforms(self._session, query, local))

    async def bounds(
        self,
        paths: Paths,
        times: Times = None,
        *,
        space: str = "world",
        purposes: Sequence[str] = ("default", "render", "proxy"),
        use_extents_hint: bool = False,
    ) -> PathTable[Array]:
        """The axis-aligned bounds of prims, by path: T × 2 × 3 float64, 2 × 3 for one time.

        The first row is the minimum, the second the maximum; of an empty box, the minimum is
        greater. space: "world", "local" (the parent's), or "untransformed" (the prim's own).
        """
        query = _geom.Query(paths, times)
        return await self._client.run(
            _geom.bounds(self._session, query, space, purposes, use_extents_hint)
        )

    async def visibility(self, paths: Paths, times: Times = None) -> PathTable[Visibility]:
        """Whether prims are visible, and their purpose, with what they inherit, by path."""
        return await self._client.run(_geom.visibility(self._session, _geom.Query(paths, times)))

    async def effective_visibility(
        self, paths: Paths, purpose: str, times: Times = None
    ) -> PathTable[Any]:
        """Whether to draw prims if those of a purpose are drawn, by path; a list for several times.

        "invisible" or "visible"; "inherited" leaves it to the renderer; "other" for a token that
        UsdGeom does not know. purpose: "default", "render", "proxy" or "guide". Corresponds to
        UsdGeom.Imageable.ComputeEffectiveVisibility.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(_geom.effective_visibility(self._session, query, purpose))

    async def proxy_prims(self, paths: Paths) -> PathTable[ProxyPrim | None]:
        """What may be drawn in place of prims whose purpose is "render", by path.

        None for prims without a proxy. Corresponds to UsdGeom.Imageable.ComputeProxyPrim.
        """
        return await self._client.run(_geom.proxy_prims(self._session, paths))

    async def bound_materials(
        self, paths: Paths, purpose: str = ""
    ) -> PathTable[BoundMaterial | None]:
        """The materials that prims are bound to, by path; None for those that are not.

        Bindings are direct or of collections, and inherited. purpose: "full", "preview" or another
        one, whose bindings win over those for all purposes; "" for the latter only. A binding to a
        material that is missing wins, too. Corresponds to
        UsdShade.MaterialBindingAPI.ComputeBoundMaterials.
        """
        return await self._client.run(_shade.bound_materials(self._session, paths, purpose))

    async def material_networks(
        self,
        paths: Paths,
        times: Times = None,
        *,
        render_contexts: Sequence[str] = (),
        as_graph: bool = False,
    ) -> PathTable[MaterialNetwork]:
        """The shaders of materials, by the path of the material.

        render_contexts: whose terminals to look for, such as ["ri"], in this order, before those
        for all renderers. times: of the values of inputs. as_graph: whether node graphs and
        materials are nodes, connected as authored; otherwise the nodes are shaders only, as
        renderers want them. Corresponds to UsdShade.Material.ComputeSurfaceSource (and those of
        displacement and volume) and UsdShade.Utils.GetValueProducingAttributes.
        """
        return await self._client.run(
            _shade.material_networks(self._session, paths, times, render_contexts, as_graph)
        )

    async def lights(
        self,
        root: str = "",
        *,
        consult_cache: bool = False,
        render_contexts: Sequence[str] = (),
    ) -> list[Light]:
        """The lights and light filters of the stage, or at and below `root`, sorted by path.

        consult_cache: whether to look at the model hierarchy only, and use the lists that models
        have of their lights. render_contexts: whose shader identifiers to look for, before those
        for all renderers. Corresponds to UsdLux.LightListAPI.ComputeLightList and
        UsdLux.LightAPI.GetShaderId.
        """
        return await self._client.run(
            _lux.lights(self._session, root, consult_cache, render_contexts)
        )

    async def light_sets(
        self, paths: Paths, link: str = "light", *, lights: Paths | None = None
    ) -> PathTable[tuple[str, ...]]:
        """The paths of the lights that prims are linked to, by the path of the prim.

        link: the collection of the lights: "light", what they illuminate; "shadow", what casts
        shadows from them; "filter", the prims for which light filters apply. lights: those to ask
        about; all of the stage if None. Prims with the same lights share one tuple.
        """
        return await self._client.run(_lux.light_sets(self._session, paths, link, lights))

    async def primvars(
        self,
        paths: Paths,
        times: Times = None,
        *,
        names: Sequence[str] = (),
        flatten: bool = False,
    ) -> PathTable[Any]:
        """The primvars of prims, own and inherited ones: {name: Primvar} by path.

        For several times, a list of these. names: without "primvars:"; all if there are none.
        flatten: whether indices are replaced by the elements they point to.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(_geom.primvars(self._session, query, names, flatten))

    def skinned_points(
        self,
        paths: Paths | None = None,
        times: Times = None,
        *,
        world_space: bool = False,
        normals: bool = False,
        joints: bool = False,
    ) -> AsyncIterator[SkinnedPrim]:
        """The points of skinned prims, after blend shapes and skinning, as they arrive.

        Without paths, of all skinned prims of the stage. A prim that cannot be skinned has `error`.

        The deadline of the call includes the time of your loop: if that takes long, make a list
        first, or set call_options(timeout=...).
        """
        return self._client.iterate(
            _geom.skinned_points(self._session, paths, times, world_space, normals, joints)
        )

    async def skel_bindings(self, roots: Paths | None = None) -> list[SkelBinding]:
        """The skinnable prims below SkelRoots, with the skeletons they are bound to."""
        return await self._client.run(_geom.skel_bindings(self._session, roots).collect())

    async def joint_transforms(
        self, paths: Paths, times: Times = None, *, space: str = "skel", at_rest: bool = False
    ) -> list[JointTransforms]:
        """The joints of skeletons × times. space: "local", "skel", "world" or "skinning"."""
        query = _geom.Query(paths, times)
        return await self._client.run(
            _geom.joint_transforms(self._session, query, space, at_rest).collect()
        )

    async def instances(
        self,
        paths: Paths,
        times: Times = None,
        *,
        base_time: float | None = None,
        ignore_mask: bool = False,
        ids: bool = False,
    ) -> list[Instances]:
        """The instances of point instancers × times.

        base_time: the time whose samples are advanced by velocities.
        ignore_mask: also those that are in invisibleIds and inactiveIds.
        ids: with the ids of the instances, by which they are recognized at other times.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(
            _geom.instances(self._session, query, base_time, ignore_mask, ids).collect()
        )

    async def moving_points(
        self, paths: Paths, times: Times = None, *, base_time: float | None = None
    ) -> list[MovingPoints]:
        """The points of prims × times, and how the prims are to be blurred by motion.

        Points are advanced by velocities and accelerations from the sample at or before
        `base_time`, by default each time itself; without velocities, they are interpolated.
        Corresponds to UsdGeom.PointBased.ComputePointsAtTimes and to UsdGeom.MotionAPI.
        """
        query = _geom.Query(paths, times)
        return await self._client.run(
            _geom.moving_points(self._session, query, base_time).collect()
        )

    async def collections(self, paths: Paths | None = None) -> list[Collection]:
        """The collections of prims, or of the whole stage, with their members."""
        return await self._client.run(_geom.collections(self._session, paths).collect())

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
        """What this stage (left) and another one (right) say differently.

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
        """What OpenStage said, or GetStage if there is a newer snapshot now."""
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
