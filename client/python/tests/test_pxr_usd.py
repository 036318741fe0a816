"""The read shim: stages, prims, attributes and schemas, as scripts for OpenUSD use them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import types
import weakref

import numpy as np
import pytest
from conftest import REPOSITORY

from stagedoor.pxr import (
    Gf,
    Pcp,
    Sdf,
    Tf,
    Usd,
    UsdGeom,
    UsdShade,
    UsdSkel,
    Vt,
    _connection,
    install,
)
from stagedoor.pxr import connect as connect_shim

SHIM = REPOSITORY / "tests/pxr_shim"


@pytest.fixture
def shim(daemon):
    """The shim, connected to the daemon of the tests."""
    client = connect_shim(daemon.address)
    yield client
    client.close()
    _connection._clients.clear()
    _connection._options.clear()


@pytest.fixture
def yard(shim):
    return Usd.Stage.Open(str(SHIM / "scenes/yard.usda"))


@pytest.fixture
def counted(shim, monkeypatch):
    """The methods that are called."""
    methods = []
    original = shim._callable

    def callable_(address, made):
        methods.append(made.method.name)
        return original(address, made)

    monkeypatch.setattr(shim, "_callable", callable_)
    return methods


def test_prims_are_valid_or_not(yard):
    prim = yard.GetPrimAtPath("/Yard/House")
    assert prim and prim.IsA(UsdGeom.Mesh) and prim.IsA(UsdGeom.Imageable)
    assert prim == yard.GetDefaultPrim().GetChild("House") and prim.GetStage() == yard
    assert repr(prim) == "Usd.Prim(</Yard/House>)"
    missing = yard.GetPrimAtPath("/Yard/Nobody")
    assert not missing and missing.GetPath() == Sdf.Path.emptyPath
    with pytest.raises(RuntimeError, match="invalid null prim"):
        missing.GetTypeName()
    assert prim.GetAttribute("nothing").Get() is None and not prim.GetAttribute("nothing")


def test_values_have_the_types_of_openusd(yard):
    def value(name, time=None):
        return yard.GetAttributeAtPath(f"/Yard/Values.{name}").Get(time)

    assert isinstance(value("frame"), Gf.Matrix4d) and value("turn") == Gf.Quatf(1)
    assert type(value("turns")) is Vt.QuatdArray and value("four") == Gf.Vec4f(1, 2, 3, 4)
    assert value("three") == Gf.Vec3i(1, 2, 3) and value("threeInts") == Vt.IntArray([1, 2, 3])
    assert isinstance(value("when"), Sdf.TimeCode) and type(value("names")) is Vt.StringArray
    assert type(value("tokens")) is Vt.TokenArray and value("files")[0].path == "brick.png"
    assert value("blocked") is None and value("moving", 3) is None and value("moving", 5) == 10


def test_samples_and_where_values_come_from(yard):
    moving = yard.GetAttributeAtPath("/Yard/Values.moving")
    assert moving.GetTimeSamples() == [1, 3, 5] and moving.GetNumTimeSamples() == 3
    assert moving.GetTimeSamplesInInterval(Gf.Interval(1, 3, False, True)) == [3]
    assert moving.GetBracketingTimeSamples(4) == (3, 5) and moving.ValueMightBeTimeVarying()
    assert moving.GetResolveInfo().GetSource() == Usd.ResolveInfoSourceTimeSamples
    assert not yard.GetAttributeAtPath("/Yard/Values.blocked").HasAuthoredValue()


def test_relationships_are_forwarded(yard):
    forward = yard.GetRelationshipAtPath("/Yard/Values.forward")
    assert forward.GetForwardedTargets() == ["/Yard/LampA", "/Yard/Trees"]
    assert forward.GetTargets()[1] == "/Yard/Values.others"


def test_predicates_and_ranges(yard):
    def names(prims):
        return [prim.GetName() for prim in prims]

    root = yard.GetDefaultPrim()
    assert "Ghost" not in names(yard.Traverse()) and "Ghost" in names(yard.TraverseAll())
    assert names(root.GetFilteredChildren(Usd.PrimIsAbstract)) == ["_Lamp"]
    either = Usd.PrimIsInstance | Usd.PrimIsAbstract
    assert names(root.GetFilteredChildren(either)) == ["_Lamp", "LampA", "LampB"]
    proxies = Usd.PrimRange(yard.GetPrimAtPath("/Yard/LampA"), Usd.TraverseInstanceProxies())
    assert [str(prim.GetPath()) for prim in proxies][-1] == "/Yard/LampA/Bulb"
    walk = iter(Usd.PrimRange(root))
    seen = []
    for prim in walk:
        seen.append(prim.GetName())
        walk.PruneChildren()
    assert seen == ["Yard"]


def test_visits_before_and_after_children(yard):
    walk = iter(Usd.PrimRange.PreAndPostVisit(yard.GetPrimAtPath("/Yard/Trees")))
    seen = [(prim.GetName(), walk.IsPostVisit()) for prim in walk]
    assert seen == [
        ("Trees", False),
        ("Oak", False),
        ("Oak", True),
        ("Elm", False),
        ("Elm", True),
        ("Trees", True),
    ]


def test_schemas_know_their_properties(yard):
    house = UsdGeom.Mesh.Get(yard, "/Yard/House")
    assert house and not UsdGeom.Sphere(house)
    assert house.GetPointsAttr().GetName() == "points" and house.GetFaceCount() == 3
    assert house.GetDisplayColorAttr().GetName() == "primvars:displayColor"
    assert "points" in UsdGeom.Mesh.GetSchemaAttributeNames()
    assert not UsdGeom.ModelAPI(house) and UsdShade.MaterialBindingAPI(house)
    assert UsdGeom.Tokens.invisible == "invisible" and UsdGeom.GetStageUpAxis(yard) == "Z"


def test_transforms_of_operations_are_those_of_the_daemon(yard):
    house = UsdGeom.Xformable(yard.GetPrimAtPath("/Yard/House"))
    ops = house.GetOrderedXformOps()
    assert [op.GetOpName() for op in ops][-1] == "!invert!xformOp:translate:pivot"
    for time in (1, 4):
        product = Gf.Matrix4d(1)
        for op in reversed(ops):
            product = product * op.GetOpTransform(time)
        assert Gf.IsClose(product, house.GetLocalTransformation(time), 1e-9)
        assert Gf.IsClose(product, UsdGeom.XformCache(time).GetLocalToWorldTransform(house), 1e-9)


def test_indexed_primvars_are_flattened(yard):
    api = UsdGeom.PrimvarsAPI(yard.GetPrimAtPath("/Yard/House"))
    st = api.GetPrimvar("st")
    assert st.IsIndexed() and len(st.Get()) == 3 and len(st.ComputeFlattened()) == 11
    inherited = [primvar.GetName() for primvar in api.FindPrimvarsWithInheritance()]
    assert "primvars:displayColor" in inherited


def test_shader_networks_are_followed_through_node_graphs(yard):
    material = UsdShade.Material.Get(yard, "/Yard/Looks/Brick")
    shader, name, _ = material.ComputeSurfaceSource()
    assert shader.GetPath() == "/Yard/Looks/Brick/Nodes/Surface" and name == "surface"
    fallback = UsdShade.Shader.Get(yard, "/Yard/Looks/Brick/Nodes/Image").GetInput("fallback")
    found = fallback.GetValueProducingAttributes()
    assert [str(attribute.GetPath()) for attribute in found] == ["/Yard/Looks/Brick.inputs:tint"]
    _, broken = shader.GetInput("normal").GetConnectedSources()
    assert broken == ["/Yard/Looks/Gone.outputs:n"]


def test_skinned_points_are_those_of_the_daemon(shim):
    stage = Usd.Stage.Open(str(REPOSITORY / "tests/data/stage_door/root.usda"))
    cache = UsdSkel.Cache()
    root = UsdSkel.Root(stage.GetPrimAtPath("/Shot/Characters/Actor"))
    (binding,) = cache.ComputeSkelBindings(root, Usd.PrimDefaultPredicate)
    query = cache.GetSkelQuery(binding.GetSkeleton())
    (target,) = binding.GetSkinningTargets()
    points = UsdGeom.PointBased(target.GetPrim()).GetPointsAttr().Get()
    assert target.ComputeSkinnedPoints(query.ComputeSkinningTransforms(1), points)
    handle = target.GetPrim()._handle
    assert np.allclose(np.asarray(points), handle.skinned_points(1).points, atol=1e-5)


AUTHORING = {
    "stage": lambda stage: stage.DefinePrim("/New"),
    "prim": lambda stage: stage.GetDefaultPrim().SetActive(False),
    "attribute": lambda stage: stage.GetAttributeAtPath("/Yard/Values.four").Set(1),
    "relationship": lambda stage: stage.GetRelationshipAtPath("/Yard/Values.forward").AddTarget(
        "/A"
    ),
    "schema": lambda stage: UsdGeom.Mesh(stage.GetDefaultPrim()).CreatePointsAttr(),
    "class": lambda stage: UsdGeom.Mesh.Define(stage, "/New"),
    "in memory": lambda stage: Usd.Stage.CreateInMemory(),
    "variant": lambda stage: (
        stage.GetDefaultPrim().GetVariantSet("season").SetVariantSelection("winter")
    ),
}


@pytest.mark.parametrize("name", AUTHORING)
def test_authoring_is_refused(yard, name):
    with pytest.raises(Tf.ErrorException, match=r"reads only"):
        AUTHORING[name](yard)


def test_missing_layer_is_an_error_of_openusd(shim, tmp_path):
    with pytest.raises(Tf.ErrorException, match="Failed to open layer"):
        Usd.Stage.Open(str(tmp_path / "missing.usda"))
    assert Sdf.Layer.FindOrOpen(str(tmp_path / "missing.usda")) is None


def test_stage_of_a_layer_in_memory(shim):
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString('#usda 1.0\ndef Sphere "Ball"\n{\n    double radius = 4\n}\n')
    stage = Usd.Stage.Open(layer)
    assert UsdGeom.Sphere.Get(stage, "/Ball").GetRadiusAttr().Get() == 4


def test_loops_are_read_ahead(shim, counted, tmp_path):
    prims = "".join(
        f"""
def Mesh "M{i}"
{{
    point3f[] points = [({i}, 0, 0)]
    double3 xformOp:translate = ({i}, 0, 0)
    uniform token[] xformOpOrder = ["xformOp:translate"]
}}
def Scope "S{i}"
{{
}}
"""
        for i in range(200)
    )
    (tmp_path / "many.usda").write_text(f"#usda 1.0\n{prims}")
    stage = Usd.Stage.Open(str(tmp_path / "many.usda"))
    counted.clear()
    cache = UsdGeom.XformCache(1)
    total = 0.0
    for prim in stage.Traverse():
        if prim.IsA(UsdGeom.Mesh):
            total += UsdGeom.Mesh(prim).GetPointsAttr().Get(1)[0][0]
            total += cache.GetLocalToWorldTransform(prim)[3][0]
    assert total == 2 * sum(range(200))
    assert len(counted) < 20, counted


def test_unchanged_script_runs(daemon, tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nimport pxr.Usd\nfrom pxr import Usd, UsdGeom\n"
        "assert pxr.Usd is Usd\n"
        "print(Usd.Stage.Open(sys.argv[1]).GetDefaultPrim().GetPath(), UsdGeom.Mesh.__name__)\n"
    )
    scene = str(SHIM / "scenes/yard.usda")
    command = [sys.executable, "-m", "stagedoor.pxr", str(script), scene]
    environment = {**os.environ, "STAGEDOOR_ADDRESS": daemon.address}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.stdout == "/Yard Mesh\n", done.stderr


def test_openusd_that_is_imported_is_not_replaced(monkeypatch):
    monkeypatch.setitem(sys.modules, "pxr", types.ModuleType("pxr"))
    with pytest.raises(ImportError, match="imported already"):
        install()


def test_layers_have_specs(yard):
    layer = yard.GetRootLayer()
    assert layer == Sdf.Layer.FindOrOpen(layer.identifier) and layer.defaultPrim == "Yard"
    house = layer.GetPrimAtPath("/Yard/House")
    assert house.typeName == "Mesh" and house.specifier == Sdf.SpecifierDef
    assert house.nameParent.path == "/Yard" and "Roof" in house.nameChildren
    points = layer.GetAttributeAtPath("/Yard/House.points")
    assert points.typeName == Sdf.ValueTypeNames.Point3fArray and len(points.default) == 6
    moving = "/Yard/Values.moving"
    assert layer.ListTimeSamplesForPath(moving) == [1, 3, 5]
    assert layer.QueryTimeSample(moving, 5) == 10
    assert layer.GetPrimAtPath("/Yard/Looks/Tile").specializesList.HasItem("/Yard/Looks/Brick")


def test_a_layer_is_read_once_for_all_its_specs(yard, counted):
    counted.clear()
    for _ in range(3):
        assert not yard.GetPrimAtPath("/Yard/House").HasAuthoredReferences()
    assert counted.count("ReadLayer") == 1, counted


def test_targets_and_consumers_of_a_subtree(yard):
    looks = yard.GetPrimAtPath("/Yard/Looks")
    sources = looks.FindAllAttributeConnectionPaths()
    assert Sdf.Path("/Yard/Looks/Brick/Nodes/Image.outputs:rgb") in sources
    nodes = UsdShade.NodeGraph(yard.GetPrimAtPath("/Yard/Looks/Brick/Nodes"))
    found = nodes.ComputeInterfaceInputConsumersMap()
    consumers = {
        port.GetBaseName(): [p.GetFullName() for p in ports] for port, ports in found.items()
    }
    assert consumers == {"tint": ["inputs:fallback"]}


def test_joints_are_remapped_by_name():
    mapper = UsdSkel.AnimMapper(["A", "B"], ["B", "A", "C"])
    assert mapper.Remap(Vt.IntArray([1, 2]), 1, 9) == Vt.IntArray([2, 1, 9])
    assert mapper.IsSparse() and not mapper.IsIdentity()
    topology = UsdSkel.Topology(["A", "A/B", "D/E"])
    assert topology.GetParentIndices() == Vt.IntArray([-1, 0, -1])
    move = Gf.Matrix4d().SetTranslate((1, 0, 0))
    world = UsdSkel.ConcatJointTransforms(topology, Vt.Matrix4dArray([move] * 3))
    assert world[1][3] == (2, 0, 0, 1)


def test_weights_are_normalized_in_place():
    weights = Vt.FloatArray([3, 1, 0, 0])
    assert UsdSkel.NormalizeWeights(weights, 2) and weights == Vt.FloatArray([0.75, 0.25, 0, 0])
    assert not UsdSkel.NormalizeWeights(weights, 3)


def test_purposes_are_inherited_from_what_may_have_one(yard):
    door = UsdGeom.Imageable(yard.GetPrimAtPath("/Yard/House/Door"))
    assert door.ComputePurpose() == "render" and door.ComputePurposeInfo().isInheritable
    assert door.ComputeVisibility(1) == "inherited" and door.ComputeVisibility(4) == "invisible"
    proxy, render = door.ComputeProxyPrim()
    assert proxy.GetName() == "DoorProxy" and render == door.GetPrim()


def test_bounds_are_boxes(yard):
    cache = UsdGeom.BBoxCache(1, ["default", "render"])
    oak = yard.GetPrimAtPath("/Yard/Trees/Oak")
    assert cache.ComputeUntransformedBound(oak).GetRange() == Gf.Range3d((-2, -2, -2), (2, 2, 2))
    trees = UsdGeom.PointInstancer(yard.GetPrimAtPath("/Yard/Trees"))
    (box,) = cache.ComputePointInstanceWorldBounds(trees, [2])
    assert box.ComputeAlignedRange().max == (12, 2, 6)
    assert trees.ComputeMaskAtTime(1) == [True, True, False, True]
    assert len(trees.ComputeInstanceTransformsAtTime(1, 1)) == 3


def test_stages_that_are_dropped_are_given_back(shim):
    stage = Usd.Stage.Open(str(SHIM / "scenes/yard.usda"))
    prim = stage.GetDefaultPrim()
    assert prim.GetStage() is stage
    kept = weakref.ref(stage._stage)
    del stage
    assert prim.GetStage().GetPrimAtPath("/Yard") == prim  # a prim keeps its stage
    del prim
    gc.collect()
    assert kept() is None


def test_composition_arcs_are_those_with_specs(yard):
    tile = yard.GetPrimAtPath("/Yard/Looks/Tile")
    arcs = Usd.PrimCompositionQuery(tile).GetCompositionArcs()
    found = [(arc.GetArcType(), str(arc.GetTargetPrimPath())) for arc in arcs]
    assert found == [
        (Pcp.ArcTypeRoot, "/Yard/Looks/Tile"),
        (Pcp.ArcTypeSpecialize, "/Yard/Looks/Brick"),
    ]
    assert arcs[0].GetTargetLayer() == yard.GetRootLayer()
