"""Descriptions, edits and tools of stages."""

from __future__ import annotations

import time

import pytest

import stagedoor


def over(value: float) -> str:
    return f'#usda 1.0\nover "World"\n{{\n over "Types"\n {{\n  double double = {value}\n }}\n}}\n'


def test_description(stage, folder, calls):
    assert stage.root_layer == str(folder / "shot.usda") and stage.session_name == ""
    assert (stage.start_time_code, stage.end_time_code) == (1.0, 48.0)
    assert (stage.time_codes_per_second, stage.frames_per_second) == (24.0, 24.0)
    assert (stage.meters_per_unit, stage.up_axis) == (0.01, "Y")
    assert stage.default_prim == stage["/World"]
    assert calls.take() == []
    assert stage.metadata["customLayerData"] == {"who": "tests", "deep": {"one": 1}}
    assert stage.used_layers == [str(folder / "shot.usda")]
    assert stage.composition_errors == []


@pytest.mark.parametrize("root", ["Z:/show/a.usd", "z:\\show\\a.usd", "\\\\srv\\show\\a.usd"])
def test_paths_of_windows_are_not_below_the_current_directory(client, root):
    with pytest.raises(stagedoor.NotFoundError) as info:
        client.open(root)
    assert f"'{root}'" in info.value.message


def test_composition_errors(client):
    layer = '#usda 1.0\ndef "A" ( references = @./gone.usda@ )\n{\n}\n'
    with client.open("/bad.usda", layers={"/bad.usda": layer}) as stage:
        assert stage.composition_errors[0].prim_path == "/A"
        assert stage.start_time_code is None and stage.default_prim is None


def test_session_layer(stage):
    first = stage.snapshot
    second = stage.set_session_layer(over(77))
    assert second == stage.snapshot != first
    assert stage["/World/Types.double"].get() == 77.0
    with pytest.raises(stagedoor.ConflictError) as info:
        stage.set_session_layer(over(78), expected=first)
    assert info.value.reason == "SNAPSHOT_CONFLICT"
    assert stage.set_session_layer(None, expected=second) != second
    assert stage["/World/Types.double"].get() == 2.5
    with pytest.raises(stagedoor.InvalidArgumentError, match="expected a space"):
        stage.set_session_layer("#usda 1.0\nover")


def test_handles_notice_edits(stage):
    types = stage["/World/Types"]
    assert "added" not in types
    stage.set_session_layer(over(77).replace("double double", "custom double added"))
    assert "added" in types and types.added.get() == 77.0


def test_shared_session(client, folder):
    with client.open(folder / "shot.usda", session="room") as one:
        with client.open(folder / "shot.usda", session="room") as other:
            one.set_session_layer(over(77))
            assert other["/World/Types.double"].get() == 77.0
            assert other.snapshot == one.snapshot == one.refresh()


def test_payloads(client, folder):
    with client.open(folder / "payload_root.usda", load="none") as stage:
        assert not stage["/P"].is_loaded and stage["/P"].has_payload
        stage.load("/P")
        assert stage["/P"].is_loaded and stage["/P/Inside.size"].get() == 3.0
        stage.unload(stage["/P"])
        assert not stage["/P"].is_loaded
    rules = {"/P": "all"}
    with client.open(folder / "payload_root.usda", load="none", load_rules=rules) as stage:
        assert stage["/P"].is_loaded


def test_muting(client, folder):
    (folder / "sub.usda").write_text(over(5))
    root = "#usda 1.0\n( subLayers = [@./sub.usda@, @./shot.usda@] )\n"
    (folder / "muting.usda").write_text(root)
    with client.open(folder / "muting.usda") as stage:
        assert stage["/World/Types.double"].get() == 5.0
        stage.mute(str(folder / "sub.usda"))
        assert stage["/World/Types.double"].get() == 2.5
        stage.unmute(str(folder / "sub.usda"))
        assert stage["/World/Types.double"].get() == 5.0


def test_reload(client, tmp_path):
    file = tmp_path / "reload.usda"
    file.write_text('#usda 1.0\ndef "A"\n{\n double x = 1\n}\n')
    with client.open(file) as stage:
        assert stage["/A.x"].get() == 1.0
        file.write_text('#usda 1.0\ndef "A"\n{\n double x = 2.0\n}\n')
        assert stage.reload() == [str(file)]
        assert stage["/A.x"].get() == 2.0


def test_following_changes(client, tmp_path):
    file = tmp_path / "followed.usda"
    file.write_text('#usda 1.0\ndef "A"\n{\n double x = 1\n}\n')
    with client.open(file, on_change="follow") as stage:
        attribute = stage["/A.x"]
        seen = stage.snapshot
        assert attribute.get() == 1.0 and stage.refresh() == seen
        file.write_text('#usda 1.0\ndef "A"\n{\n double x = 2.0\n}\n')
        deadline = time.monotonic() + 60
        while stage.refresh() == seen and time.monotonic() < deadline:
            time.sleep(0.05)
        assert attribute.get() == 2.0 and stage.snapshot != seen


def test_options_of_opening(client, folder):
    options = {
        "mask": ["/World/Types"],
        "variant_fallbacks": {"look": ["blue"]},
        "interpolation": "held",
        "session_layer": over(9),
        "search_paths": [str(folder)],
        "pins": {"a.usda": "/b.usda"},
        "on_change": "fixed",
    }
    with client.open("shot.usda", layers={"shot.usda": "#usda 1.0\n"}) as stage:
        assert list(stage) == []
    with client.open(folder / "shot.usda", **options) as stage:
        assert [prim.name for prim in stage["/World"]] == ["Types"]
        assert stage["/World/Types.wave"].get(3) == 0.0
        assert stage["/World/Types.double"].get() == 9.0
    for name in ("load", "interpolation", "on_change"):
        with pytest.raises(ValueError, match=f"unknown {name} 'x'"):
            client.open(folder / "shot.usda", **{name: "x"})


def test_export_and_flatten(stage, tmp_path, client):
    assert stage.flatten().startswith(b"#usda 1.0")
    assert stage.flatten(format="usdc").startswith(b"PXR-USDC")
    stage.export(tmp_path / "flat.usdc")
    with client.open(tmp_path / "flat.usdc") as flat:
        assert flat["/World/Types.double"].get() == 2.5
    client.convert(str(tmp_path / "flat.usdc"), str(tmp_path / "flat.usda"))
    assert (tmp_path / "flat.usda").read_bytes().startswith(b"#usda 1.0")
    with pytest.raises(stagedoor.NotFoundError):
        client.convert("/nowhere.usda", str(tmp_path / "never.usda"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["flat.usda", "flat.usdc"]


def test_dependencies(client, folder):
    with client.open(folder / "payload_root.usda") as stage:
        found = [d for d in stage.dependencies() if d.authored_path == "./payload.usda"]
        assert found[0].kind == "layer" and found[0].resolved_path == str(folder / "payload.usda")


def test_warming(stage):
    steps = []
    result = stage.warm(["/World"], interval=(1, 2), progress=steps.append)
    assert result.prims > 200 and result.errors == ()
    assert {step.phase for step in steps} >= {"attributes", "clips"}


def test_layers(client, folder):
    layer = client.layer(str(folder / "shot.usda"))
    assert layer.metadata["defaultPrim"] == "World" and layer.format == "usda"
    spec = layer["/World/Types.wave"]
    assert spec.type == "attribute" and spec.fields["typeName"] == "double"
    samples = spec.fields["timeSamples"]
    assert (samples[1.0], samples[5.0]) == (0.0, 8.0) and repr(samples[9.0]) == "ValueBlock()"
    assert layer["/World"].fields["variantSetNames"].prepended == ("look",)
    assert "default" not in client.layer(layer.identifier, values=False)["/World/Types.flag"].fields
    assert client.layer(layer.identifier)["/World/Static.points"].fields["default"].shape[1] == 3
    payload = client.layer(str(folder / "payload_root.usda"))["/P"].fields["payload"]
    assert payload.explicit[0].asset_path == "./payload.usda"


def test_assets(client, tmp_path):
    (tmp_path / "wood.png").write_bytes(b"0123456789")
    whole = client.asset(str(tmp_path / "wood.png"))
    assert (whole.data, whole.size) == (b"0123456789", 10)
    part = client.asset(
        "./wood.png", anchor=str(tmp_path / "a.usda"), offset=4, length=2, version=whole.version
    )
    assert (part.data, part.size, part.resolved_path) == (b"45", 10, whole.resolved_path)
    (tmp_path / "wood.png").write_bytes(b"changed")
    with pytest.raises(stagedoor.Error) as raised:
        client.asset(whole.identifier, offset=6, version=whole.version)
    assert raised.value.reason == "ASSET_CHANGED"


def test_validation(client, folder, tmp_path):
    assert client.validate(str(folder / "shot.usda")) == []
    (tmp_path / "bad.usda").write_text("#usda 1.0\ndef {")
    found = client.validate(str(tmp_path / "bad.usda"))[0]
    assert (found.severity, found.line) == ("error", 2)


def test_daemon(client, stage):
    assert client.server_version.count(".") == 2
    assert stage.root_layer in [summary.root_layer for summary in client.stages()]


def test_representations(stage, client):
    assert repr(stage["/World"]) == "<Prim /World>"
    assert repr(next(stage.traverse())) == "<Prim /World (Xform)>"
    assert repr(stage["/World.color"]) == "<Attribute /World.color>"
    assert "shot.usda" in repr(stage) and stage.snapshot[:8] in repr(stage)
    assert "127.0.0.1" in repr(client)
    values = stage.values(["/World.color", "/Nope.x"], 1)
    assert repr(values) == "<Values of 2 paths × 1 times, 1 errors>"
    samples = stage["/World/Types.wave"].samples()
    assert repr(samples) == "<Samples of /World/Types.wave (double): 3, sampled>"
