# Generated from ../_async/computations.py by tools/python_client.py: ./dev python_client.
"""The calls of stages that compute something."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union

from stagedoor import (
    _bounds,
    _cameras,
    _geom,
    _lod,
    _lux,
    _models,
    _physics,
    _render,
    _semantics,
    _shade,
    _skinning,
    _spaces,
    _times,
    _topology,
)
from stagedoor._bounds import BoundsOptions
from stagedoor._motion import ShutterLike
from stagedoor._session import Session
from stagedoor._values import Path
from stagedoor.results import (
    BBox,
    BoundMaterial,
    Collection,
    ColliderGroups,
    CollisionGroupTable,
    ColorSpace,
    CoordSysBinding,
    Instances,
    JointTransforms,
    Light,
    LightLinkExplanation,
    LodRoot,
    MaterialNetwork,
    ModelDrawing,
    MovingPoints,
    PathTable,
    ProxyPrim,
    RenderPass,
    RenderSettings,
    RigidBodyMass,
    SkelBinding,
    SkinnedPrim,
    Skinning,
    StageStatistics,
    Subsets,
    Topology,
    Visibility,
    VolumeField,
)
from stagedoor.types import Array

if TYPE_CHECKING:
    from stagedoor._sync.client import ClientCalls

Paths = Union[Path, Iterable[Path]]
Times = _times.Times


class StageComputations:
    """The calls of a stage that compute: geometry, skeletons, looks, lights, rendering."""

    _client: ClientCalls
    _session: Session

    def cameras(
        self,
        paths: Paths,
        times: Times = None,
        *,
        aspect_ratio: float = 0.0,
        conform: str = "fit",
        shutter: ShutterLike = None,
    ) -> PathTable[Any]:
        """Cameras at times: a CameraSample by path; for several times, a list of these.

        aspect_ratio: the width of the image divided by its height; by default, that of the camera.
        conform: how the aperture is fitted to it: "fit", "crop", "match_vertically",
          "match_horizontally" or "dont_conform". Corresponds to CameraUtilConformWindowPolicy.
        shutter: as for `transforms`; also the samples of the lens.
        """
        query = _geom.Query(paths, times)
        plan = _cameras.cameras(self._session, query, aspect_ratio, conform, shutter)
        return self._client.run(plan)

    def transforms(
        self,
        paths: Paths,
        times: Times = None,
        *,
        local: bool = False,
        shutter: ShutterLike = None,
    ) -> PathTable[Any]:
        """The local-to-world matrices of prims, by path: T × 4 × 4 float64, 4 × 4 for one time.

        Matrices act on row vectors: p' = p @ M. With `local`, those of the prims' own xformOps.

        shutter: a Shutter, or when it opens and closes around each time, such as (-0.25, 0.25). For
          each time there is a Motion then: the samples of the xformOps of the prim and of all its
          ancestors, each with its matrix.
        """
        query = _geom.Query(paths, times)
        return self._client.run(_geom.transforms(self._session, query, local, shutter))

    def bounds(
        self,
        paths: Paths,
        times: Times = None,
        *,
        space: str = "world",
        purposes: Sequence[str] = ("default", "render", "proxy"),
        use_extents_hint: bool = False,
        ignore_visibility: bool = False,
        relative_to: Path | None = None,
        instances: Sequence[int] | None = None,
        base_time: float | None = None,
    ) -> PathTable[Array]:
        """The axis-aligned bounds of prims, by path: T × 2 × 3 float64, 2 × 3 for one time.

        The first row is the minimum, the second the maximum; of an empty box, the minimum is
        greater. space: "world", "local" (the parent's), or "untransformed" (the prim's own).

        use_extents_hint: whether to use the authored extentsHint of models.
        ignore_visibility: whether to include what is invisible.
        relative_to: the prim, usually an ancestor, whose space the bounds are in.
        instances: the prims are point instancers, of which to bound these instances, by index,
          masked or not: T × N × 2 × 3. base_time: as of `instances`. Corresponds to
          UsdGeom.BBoxCache.ComputePointInstanceWorldBounds.
        """
        options = BoundsOptions(
            space, purposes, use_extents_hint, ignore_visibility, relative_to, instances, base_time
        )
        query = _geom.Query(paths, times)
        return self._client.run(_bounds.bounds(self._session, query, options))

    def bounding_boxes(self, paths: Paths, times: Times = None, **options: Any) -> PathTable[BBox]:
        """The bounds of prims as boxes that need not be aligned to the axes of the space, by path.

        They may be tighter than the bounds. The options are those of `bounds`. Corresponds to
        Gf.BBox3d, as UsdGeom.BBoxCache returns it.
        """
        query = _geom.Query(paths, times)
        return self._client.run(
            _bounds.bounding_boxes(self._session, query, BoundsOptions(**options))
        )

    def extents_hints(
        self,
        paths: Paths,
        times: Times = None,
        *,
        use_extents_hint: bool = False,
        ignore_visibility: bool = False,
    ) -> PathTable[Any]:
        """The extentsHint that models should have: N × 3 float32; a list for several times.

        The minimum and the maximum of the purposes default, render, proxy and guide, without empty
        ones at the end. Corresponds to UsdGeom.ModelAPI.ComputeExtentsHint.
        """
        options = BoundsOptions(
            use_extents_hint=use_extents_hint, ignore_visibility=ignore_visibility
        )
        query = _geom.Query(paths, times)
        return self._client.run(_bounds.extents_hints(self._session, query, options))

    def models(
        self, paths: Paths, times: Times = None, *, constraint_targets: bool = False
    ) -> PathTable[ModelDrawing]:
        """How prims are drawn in place of their geometry, as their models say, by path.

        constraint_targets: whether to return the transforms of the models' constraint targets at
          the times. Corresponds to UsdGeom.ModelAPI.ComputeModelDrawMode and to
          UsdGeom.ConstraintTarget.ComputeInWorldSpace.
        """
        query = _geom.Query(paths, times)
        return self._client.run(_models.models(self._session, query, constraint_targets))

    def visibility(self, paths: Paths, times: Times = None) -> PathTable[Visibility]:
        """Whether prims are visible, and their purpose, with what they inherit, by path."""
        return self._client.run(_geom.visibility(self._session, _geom.Query(paths, times)))

    def effective_visibility(
        self, paths: Paths, purpose: str, times: Times = None
    ) -> PathTable[Any]:
        """Whether to draw prims if those of a purpose are drawn, by path; a list for several times.

        "invisible" or "visible"; "inherited" leaves it to the renderer; "other" for a token that
        UsdGeom does not know. purpose: "default", "render", "proxy" or "guide". Corresponds to
        UsdGeom.Imageable.ComputeEffectiveVisibility.
        """
        query = _geom.Query(paths, times)
        return self._client.run(_geom.effective_visibility(self._session, query, purpose))

    def proxy_prims(self, paths: Paths) -> PathTable[ProxyPrim | None]:
        """The proxies to draw in place of prims whose purpose is "render", by path.

        None for prims without a proxy. Corresponds to UsdGeom.Imageable.ComputeProxyPrim.
        """
        return self._client.run(_geom.proxy_prims(self._session, paths))

    def bound_materials(
        self, paths: Paths, purpose: str = "", *, bindings: bool = True
    ) -> PathTable[BoundMaterial | None]:
        """The materials that prims are bound to, by path; None for those that are not.

        Bindings are direct or of collections, and inherited. purpose: "full", "preview" or another
        one, whose bindings win over those for all purposes; "" for the latter only. A binding to a
        material that is missing wins, too. bindings: whether to return what binds each prim;
        otherwise only the material of each result is filled, which takes half of the time. For
        the prims of each material, see PathTable.factorize.
        Corresponds to UsdShade.MaterialBindingAPI.ComputeBoundMaterials.
        """
        plan = _shade.bound_materials(self._session, paths, purpose, bindings)
        return self._client.run(plan)

    def material_networks(
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
        return self._client.run(
            _shade.material_networks(self._session, paths, times, render_contexts, as_graph)
        )

    def lights(
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
        return self._client.run(_lux.lights(self._session, root, consult_cache, render_contexts))

    def light_sets(
        self, paths: Paths, link: str = "light", *, lights: Paths | None = None
    ) -> PathTable[tuple[str, ...]]:
        """The paths of the lights that prims are linked to, by the path of the prim.

        link: the collection of the lights: "light", what they illuminate; "shadow", what casts
        shadows from them; "filter", the prims for which light filters apply. lights: those to ask
        about; all of the stage if None. Prims with the same lights share one tuple.
        """
        return self._client.run(_lux.light_sets(self._session, paths, link, lights))

    def explain_light_link(
        self, light: Path, prim: Path, link: str = "light"
    ) -> LightLinkExplanation:
        """Why a prim is linked to a light, or is not: the rules of the light's collection for it.

        link: "light", "shadow" or "filter", as of `light_sets`; with "filter", `light` is a light
        filter. Corresponds to Usd.CollectionMembershipQuery.IsPathIncluded.
        """
        return self._client.run(_lux.explain_light_link(self._session, light, prim, link))

    def coordinate_systems(self, paths: Paths) -> PathTable[tuple[CoordSysBinding, ...]]:
        """The coordinate systems that prims have names for, by the path of the prim.

        Those of the prim itself come first, then those that it inherits. Prims with the same ones
        share one tuple. Corresponds to UsdShade.CoordSysAPI.FindBindingsWithInheritanceForPrim.
        """
        return self._client.run(_spaces.coordinate_systems(self._session, paths))

    def color_spaces(self, paths: Paths) -> PathTable[ColorSpace | None]:
        """The color spaces of prims and attributes, by path; None for those without one.

        Corresponds to Usd.ColorSpaceAPI.ComputeColorSpaceName.
        """
        return self._client.run(_spaces.color_spaces(self._session, paths))

    def memberships(self, paths: Paths, collections: Paths) -> PathTable[tuple[str, ...]]:
        """Which collections prims and properties are members of, by path.

        collections: their paths, such as "/World.collection:lit". Corresponds to
        Usd.CollectionMembershipQuery.IsPathIncluded.
        """
        return self._client.run(_spaces.memberships(self._session, paths, collections))

    def levels_of_detail(
        self, paths: Paths | None = None, times: Times = None, **options: Any
    ) -> PathTable[LodRoot]:
        """Which levels of detail to show, by the path of the prim whose children they are.

        paths: of prims with LODRootAPI; all of the stage without. The options say from where:
        camera: the path of a Camera; aspect_ratio, conform: those of the image, as for cameras.
        viewpoint: instead, a point in world space; heuristics by size do not count then.
        frustum: instead, what a camera sees, as `stage.camera(path).frustum(t)`.
        domain: of the heuristics that count, "imaging" by default.
        distance_hysteresis, screen_size_hysteresis: how far measures may stay behind those of the
          time before. Corresponds to what renderers do with UsdLod.
        """
        query = _geom.Query(paths if paths is not None else [], times)
        plan = _lod.levels_of_detail(
            self._session, query, paths is None, _lod.LodOptions(**options)
        )
        return self._client.run(plan)

    def labels(
        self,
        paths: Paths,
        times: Times = None,
        *,
        taxonomies: Sequence[str] = (),
        interval: _times.Interval = None,
    ) -> PathTable[Any]:
        """The labels of prims, with those that they inherit, by path.

        Each result is a dict of Labels by taxonomy, or a list of them for several times.
        taxonomies: such as "category"; without any, all that a prim or one above it has.
        interval: instead of times, the first and the last of the samples whose labels to join;
          None is infinite. Corresponds to UsdSemantics.LabelsQuery and LabelsAPI.
        """
        if times is not None and interval is not None:
            raise ValueError("either times or an interval may be given, not both")
        query = _geom.Query(paths, times)
        return self._client.run(_semantics.labels(self._session, query, taxonomies, interval))

    def collision_groups(self) -> CollisionGroupTable:
        """The collision groups of the stage, and which of them collide.

        Corresponds to UsdPhysics.CollisionGroup.ComputeCollisionGroupTable.
        """
        return self._client.run(_physics.collision_groups(self._session))

    def collider_groups(self, paths: Paths) -> PathTable[ColliderGroups]:
        """The groups that prims are in, and the prims that they do not collide with, by path."""
        return self._client.run(_physics.collider_groups(self._session, paths))

    def mass_properties(
        self, paths: Paths | None = None, *, colliders: bool = False
    ) -> PathTable[RigidBodyMass]:
        """Mass, center of mass and inertia of rigid bodies, by path, at default time.

        The daemon measures the shapes of colliders. Corresponds to
        UsdPhysics.RigidBodyAPI.ComputeMassProperties.
        paths: of prims with PhysicsRigidBodyAPI; all of the stage without.
        colliders: whether to add what each collider contributes.
        """
        return self._client.run(_physics.mass_properties(self._session, paths, colliders))

    def volume_fields(self, paths: Paths, times: Times = None) -> PathTable[dict[str, VolumeField]]:
        """The fields of volumes by name, by the path of the volume, with their files at times.

        Corresponds to UsdVol.Volume.GetFieldPaths and UsdVol.FieldAsset.
        """
        query = _geom.Query(paths, times)
        return self._client.run(_render.volume_fields(self._session, query))

    def render_settings(
        self, path: str = "", *, namespaces: Sequence[str] = ()
    ) -> RenderSettings | None:
        """The render products of the stage, with their cameras and render vars.

        path: of a RenderSettings prim. Without one: that of the stage's metadata
        renderSettingsPrimPath; None if the stage has none. namespaces: of the attributes in
        `settings`, such as ["ri"]; all if there are none. Corresponds to
        UsdRender.Settings.GetStageRenderSettings and, in C++, to UsdRenderComputeSpec.
        """
        return self._client.run(_render.settings(self._session, path, namespaces))

    def render_passes(
        self, passes: Paths = (), *, namespaces: Sequence[str] = (), paths: Paths = ()
    ) -> list[RenderPass]:
        """The passes of renders that consist of several: those at `passes`, or all of the stage.

        paths: prims whose membership of the passes' collections to find, such as "prune" and
        "matte". namespaces: as those of render_settings. Corresponds to UsdRender.Pass.
        """
        return self._client.run(_render.passes(self._session, passes, namespaces, paths))

    def primvars(
        self,
        paths: Paths,
        times: Times = None,
        *,
        names: Sequence[str] = (),
        flatten: bool = False,
        shutter: ShutterLike = None,
    ) -> PathTable[Any]:
        """The primvars of prims, own and inherited ones: {name: Primvar} by path.

        For several times, a list of these. names: without "primvars:"; all if there are none.
        flatten: whether indices are replaced by the elements they point to.
        shutter: as for `transforms`; a Motion has the samples of all these primvars.
        """
        query = _geom.Query(paths, times)
        return self._client.run(_geom.primvars(self._session, query, names, flatten, shutter))

    def skinned_points(
        self,
        paths: Paths | None = None,
        times: Times = None,
        *,
        world_space: bool = False,
        normals: bool = False,
        joints: bool = False,
        shutter: ShutterLike = None,
    ) -> Iterator[SkinnedPrim]:
        """The points of skinned prims, after blend shapes and skinning, as they arrive.

        Without paths, of all skinned prims of the stage. A prim that cannot be skinned has `error`.

        shutter: as for `transforms`. There is an item for each sample of the animation, the points,
          and the transforms that move the skeleton and the prim.

        The deadline of the call includes the time of your loop: if that takes long, make a list
        first, or set call_options(timeout=...).
        """
        return self._client.iterate(
            _geom.skinned_points(self._session, paths, times, world_space, normals, joints, shutter)
        )

    def skinning(
        self,
        paths: Paths | None = None,
        times: Times = None,
        *,
        packed: bool = False,
        shutter: ShutterLike = None,
    ) -> PathTable[Skinning]:
        """The data of skinned prims for programs that deform them themselves, on a GPU for example.

        Joint influences, inverse bind transforms and blend shapes, and for each time skinning
        transforms and weights: Skinning by path. Without paths, of all skinned prims of the stage.

        packed: whether offsets of blend shapes come point by point instead of shape by shape.
        shutter: as for `transforms`. There is a pose for each sample of the animation, the
          influences, and the transforms that move the skeleton and the prim.
        """
        plan = _skinning.skinning(self._session, paths, times, packed, shutter)
        return self._client.run(plan)

    def skel_bindings(self, roots: Paths | None = None) -> list[SkelBinding]:
        """The skinnable prims below SkelRoots, with the skeletons they are bound to."""
        return self._client.run(_geom.skel_bindings(self._session, roots).collect())

    def joint_transforms(
        self, paths: Paths, times: Times = None, *, space: str = "skel", at_rest: bool = False
    ) -> list[JointTransforms]:
        """The joints of skeletons × times. space: "local", "skel", "world" or "skinning"."""
        query = _geom.Query(paths, times)
        return self._client.run(
            _geom.joint_transforms(self._session, query, space, at_rest).collect()
        )

    def instances(
        self,
        paths: Paths,
        times: Times = None,
        *,
        base_time: float | None = None,
        ignore_mask: bool = False,
        ids: bool = False,
        shutter: ShutterLike = None,
    ) -> list[Instances]:
        """The instances of point instancers × times.

        base_time: the time whose samples are advanced by velocities.
        ignore_mask: also those that are in invisibleIds and inactiveIds.
        ids: with the ids of the instances, by which they are recognized at other times.
        shutter: as for `transforms`. There is an item for each sample, with the instances of the
          time itself, or of `base_time`: always as many, in the same order.
        """
        query = _geom.Query(paths, times)
        return self._client.run(
            _geom.instances(self._session, query, base_time, ignore_mask, ids, shutter).collect()
        )

    def moving_points(
        self,
        paths: Paths,
        times: Times = None,
        *,
        base_time: float | None = None,
        shutter: ShutterLike = None,
    ) -> list[MovingPoints]:
        """The points of prims × times, and how the prims are to be blurred by motion.

        Points are advanced by velocities and accelerations from the sample at or before
        `base_time`, by default each time itself; without velocities, they are interpolated.
        Corresponds to UsdGeom.PointBased.ComputePointsAtTimes and to UsdGeom.MotionAPI.

        shutter: as for `transforms`. There is an item for each sample of the points; with
          velocities, at the ends of the shutter; with accelerations, as many as the prim says.
        """
        query = _geom.Query(paths, times)
        return self._client.run(
            _geom.moving_points(self._session, query, base_time, shutter).collect()
        )

    def subsets(
        self,
        paths: Paths,
        times: Times = None,
        *,
        element_type: str = "",
        family: str = "",
        unassigned: bool = False,
        problems: bool = False,
    ) -> list[Subsets]:
        """The GeomSubsets of prims × times, and their families.

        element_type, family: only subsets of these.
        unassigned: whether to find the elements that are in none of a family's subsets.
        problems: whether to examine the families at all times.

        Corresponds to UsdGeom.Subset.GetGeomSubsets, GetUnassignedIndices and ValidateFamily.
        """
        query = _geom.Query(paths, times)
        return self._client.run(
            _geom.subsets(
                self._session, query, element_type, family, unassigned, problems
            ).collect()
        )

    def topology(
        self,
        paths: Paths,
        times: Times = None,
        *,
        surface_faces: bool = False,
        inverted_elements: bool = False,
        segment_counts: bool = False,
        tangents: bool = False,
        problems: bool = False,
        data_sizes: Sequence[int] = (),
    ) -> list[Topology]:
        """How the points of prims × times make up meshes, curves and so on.

        surface_faces, inverted_elements: whether to compute these of TetMeshes.
        segment_counts: whether to compute the segments of BasisCurves.
        tangents: whether to return the points and tangents of HermiteCurves.
        problems: whether to examine the indices of Meshes and TetMeshes.
        data_sizes: numbers of values whose interpolation along BasisCurves is to be found.

        Corresponds to UsdGeom.TetMesh.ComputeSurfaceFaces and FindInvertedElements,
        UsdGeom.Mesh.ValidateTopology, UsdGeom.BasisCurves.ComputeSegmentCounts,
        ComputeVaryingDataSize and ComputeInterpolationForSize, and to
        UsdGeom.HermiteCurves.PointAndTangentArrays.
        """
        query = _geom.Query(paths, times)
        return self._client.run(
            _topology.topology(
                self._session,
                query,
                surface_faces,
                inverted_elements,
                segment_counts,
                tangents,
                problems,
                data_sizes,
            ).collect()
        )

    def statistics(self, roots: Paths | None = None) -> StageStatistics:
        """How many prims of which types the stage has, how many models, layers and so on.

        roots: the prims at and below which to count. Corresponds to
        UsdUtils.ComputeUsdStageStats, whose form `usd_dict` of the result has.
        """
        return self._client.run(_topology.statistics(self._session, roots))

    def collections(self, paths: Paths | None = None) -> list[Collection]:
        """The collections of prims, or of the whole stage, with their members."""
        return self._client.run(_geom.collections(self._session, paths).collect())
