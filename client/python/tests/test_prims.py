from __future__ import annotations

import pytest

import stagedoor


def test_handles_ask_nothing(stage, calls):
    prim = stage["/World/Types"]
    attribute = stage["/World/Types.double"]
    assert attribute == prim["double"] == prim.double == prim.attribute("double")
    assert (attribute.path, attribute.name) == ("/World/Types.double", "double")
    assert attribute.prim == prim and prim.parent.path == "/World" and prim.name == "Types"
    assert stage["/World"].parent.path == "/" and stage.pseudo_root.parent is None
    assert stage["/World/"].child("Types") == prim
    assert calls.take() == []


def test_description_of_a_prim(stage):
    world = stage["/World"]
    assert (world.type_name, world.kind, world.specifier) == ("Xform", "group", "def")
    assert world.is_active and world.is_loaded and world.is_defined and world.is_group
    assert not (world.is_abstract or world.is_instance or world.has_payload)
    assert world.is_a("Imageable") and not world.is_a("Mesh")
    assert world.schema_ancestors[0] == "Xform"
    assert [child.name for child in world] == ["Static", "Moving", "Types", "Sizes"]
    assert world.metadata["documentation"] == "All of it"
    assert world.variant_sets["look"].selection == "red"
    assert set(world.variant_sets["look"].choices) == {"red", "blue"}
    assert "color" in world and "nope" not in world
    assert [site.arc for site in world.stack] == ["root", "variant"]
    assert world.color.get() == "red"


def test_properties(stage):
    types = stage["/World/Types"]
    assert types.double.type_name == "double" and types.double.is_authored
    assert stage["/World/Static"].points.type_name == "point3f[]"
    assert stage["/World.xformOpOrder"].is_uniform
    assert types.wave.source == "time_samples" and types.double.source == "default"
    assert [site.path for site in types.double.stack()] == ["/World/Types.double"]
    rel = stage["/World"].relationship("proxyPrim")
    assert rel.targets == rel.forwarded_targets == ["/World/Static"]
    assert "proxyPrim" in [rel.name for rel in stage["/World"].relationships]
    assert "proxyPrim" not in [a.name for a in stage["/World"].attributes]
    assert not rel.prim["proxyPrim"].exists() and rel.exists()
    with pytest.raises(stagedoor.NotFoundError, match="has no property 'nope'"):
        types.nope.type_name  # noqa: B018


def test_existence(stage):
    assert stage["/World"] and not stage["/Nope"]
    assert "/World" in stage and "/Nope" not in stage
    assert "/World/Types.double" in stage and "/World/Types.x" not in stage
    assert "/Nope.x" not in stage


def test_missing_methods_are_not_attributes(stage):
    with pytest.raises(AttributeError):
        stage["/World"].GetNothing()
    with pytest.raises(AttributeError):
        stage["/World"].__nothing__  # noqa: B018


def test_values_of_a_prim(stage, calls):
    values = stage["/World/Types"].values(3, names=["wave", "double"])
    assert (values["/World/Types.wave"], values["/World/Types.double"]) == (4.0, 2.5)
    assert calls.take() == ["BatchGetValues"]
    assert stage["/World/Types"].values(3)["/World/Types.text"] == "hällo"
    assert calls.take() == ["GetPrim", "BatchGetValues"]


def test_traversal(stage):
    names = [prim.name for prim in stage.traverse(type="Mesh")]
    assert names == ["Static", "Moving"]
    assert [p.path for p in stage.traverse("/World", depth=0)] == ["/World"]
    assert [p.name for p in stage.traverse("/World/Sizes", depth=1)][:3] == [
        "Sizes",
        "S000",
        "S001",
    ]
    assert [p.name for p in stage["/World/Sizes"].traverse(type=["Sphere"])][-1] == "S199"
    small = [p.name for p in stage.traverse(type="Sphere", predicate=lambda p: p.name < "S003")]
    assert small == ["S000", "S001", "S002"]
    assert next(p.name for p in stage) == "World"
    with pytest.raises(ValueError, match="unknown flag"):
        list(stage.traverse(require=["shiny"]))
    with pytest.raises(stagedoor.NotFoundError):
        list(stage.traverse("/Nope"))


def test_loops_read_ahead_values(stage, calls):
    radii = [prim.radius.get(1) for prim in stage.traverse(type="Sphere")]
    assert radii == [float(i) for i in range(200)]
    taken = calls.take()
    assert taken.count("Traverse") == 1 and len(taken) <= 6


def test_loops_read_ahead_descriptions(stage, calls):
    kinds = [(prim.kind, len(prim.attributes)) for prim in stage.traverse(type="Sphere")]
    assert len(kinds) == 200 and kinds[0] == kinds[199] and kinds[0][1] > 3
    assert len(calls.take()) <= 6


def test_loops_over_children_read_ahead(stage, calls):
    tags = [prim.tag.get() for prim in stage["/World/Sizes"].children]
    assert tags == [i / 2 for i in range(200)]
    assert len(calls.take()) <= 6


def test_reading_ahead_stops_at_large_arrays(stage, calls, monkeypatch):
    from stagedoor import _prims

    monkeypatch.setattr(_prims, "_MAX_AHEAD_BYTES", 100)
    for prim in stage.traverse(type="Mesh"):
        prim.points.get(1)
    assert [len(r.paths) for r in calls.requests if hasattr(r, "paths")] == [1, 1]


def test_loops_over_all_attributes_read_ahead(stage, calls):
    read = 0
    for prim in stage.traverse(type="Sphere"):
        for attribute in prim.attributes:
            attribute.get(1)
            read += 1
    assert read > 1600 and len(calls.take()) < 60


def test_what_was_read_ahead_is_bounded(stage, calls, monkeypatch):
    from stagedoor import _prims

    monkeypatch.setattr(_prims, "_MAX_KEPT_BYTES", 1000)
    spheres = list(stage.traverse(type="Sphere"))
    for name in ("radius", "tag", "orientation"):
        assert all(prim[name].get(1) is not None for prim in spheres)
    kept = spheres[0]._group._windows
    assert len(kept) == 1 and next(iter(kept))[0] == "orientation"


def test_reading_ahead_reports_errors_of_single_prims(stage):
    found = []
    for prim in stage.traverse("/World", depth=1):
        try:
            found.append(len(prim.faceVertexCounts.get()))
        except stagedoor.NotFoundError as error:
            found.append(error.path)
    assert found[1:3] == [1, 1] and found[3] == "/World/Types.faceVertexCounts"


def test_edits_end_reading_ahead(stage):
    spheres = list(stage.traverse(type="Sphere"))
    assert [prim.radius.get() for prim in spheres[:20]] == list(range(20))
    stage.set_session_layer(
        '#usda 1.0\nover "World"\n{\n over "Sizes"\n {\n  over "S015"\n  {\n'
        "   double radius = 77\n   custom int more = 1\n  }\n }\n}\n"
    )
    assert spheres[15].radius.get() == 77.0
    assert "more" in spheres[15]


def test_traversal_below_instances(stage_door):
    plain = {prim.path for prim in stage_door}
    below = {prim.path for prim in stage_door.traverse(instance_proxies=True)}
    assert plain < below
    proxies = [p for p in stage_door.traverse(instance_proxies=True) if p.is_instance_proxy]
    assert proxies and all(len(prim.property_names) > 0 for prim in proxies)
