"""Edits of the session layer."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import stagedoor
from stagedoor import aio, types
from stagedoor._encode import encode

TYPES = "/World/Types"

VALUES = [
    ("flag", False),
    ("small", 7),
    ("whole", -9),
    ("counted", 3),
    ("long", 1 << 40),
    ("longest", 1 << 63),
    ("half", 0.25),
    ("float", 0.5),
    ("double", 3.5),
    ("code", 12.0),
    ("text", "ü"),
    ("name", "token"),
    ("vector", (4, 5, 6)),
    ("turn", [0.0, 0.0, 0.0, 1.0]),
    ("matrix", np.eye(4)),
    ("numbers", [4, 5]),
    ("numbers", np.arange(3)),
    ("halves", np.array([1.5, 2.5], np.float32)),
    ("texts", ["c"]),
    ("names", ["d", "e"]),
    ("turns", np.ones((2, 4), np.float32)),
    ("matrices", [np.eye(3)]),
    ("nothing", [(1, 2, 3)]),
    ("numbers", []),
]


@pytest.mark.parametrize(("name", "value"), VALUES)
def test_values_are_set_in_the_type_of_the_attribute(stage, name, value):
    attribute = stage[f"{TYPES}.{name}"]
    attribute.set(value)
    np.testing.assert_array_equal(np.asarray(attribute.get()), np.asarray(value))
    attribute.clear()


def test_asset_paths(stage):
    stage[f"{TYPES}.file"].Set("b.png")
    assert stage[f"{TYPES}.file"].get().authored == "b.png"
    stage[f"{TYPES}.files"].Set([types.AssetPath("c.png")])
    assert [path.authored for path in stage[f"{TYPES}.files"].get()] == ["c.png"]


def test_values_that_do_not_fit_are_refused(stage):
    with pytest.raises(stagedoor.InvalidArgumentError) as info:
        stage[f"{TYPES}.small"].set(256)
    assert info.value.reason == "WRONG_KIND"
    assert info.value.edit_errors[0].edit == 0
    for name, value in {
        "numbers": [1.5],
        "vector": (1, 2),
        "matrix": np.eye(3),
        "turns": np.ones((2, 3)),
    }.items():
        with pytest.raises((TypeError, ValueError)):
            stage[f"{TYPES}.{name}"].set(value)
    with pytest.raises(OverflowError):
        stage[f"{TYPES}.numbers"].set([1 << 40])


def test_samples_blocks_and_clearing(stage):
    wave = stage[f"{TYPES}.wave"]
    wave.Set(100.0, 1)
    assert wave.Get(1) == 100.0 and list(wave.GetTimeSamples()) == [1.0]
    wave.ClearAtTime(1)
    assert list(wave.GetTimeSamples()) == [1.0, 5.0, 9.0]
    wave.Block()
    assert wave.state(5) == stagedoor.State.BLOCKED
    wave.Clear()
    assert wave.Get(5) == 8.0
    with pytest.raises(ValueError, match="default time"):
        wave.set(1.0, "pre:1")


def test_a_block_is_one_call(stage, calls):
    before = stage.snapshot
    calls.take()
    with stage.edit() as edits:
        stage.DefinePrim("/World/Ball", "Sphere")
        stage["/World/Ball.radius"].Set(2.0)
        stage["/World/Ball"].SetKind("component")
        stage["/World/Ball"].attribute("mine").set([1, 2], type_name="int[]", custom=True)
        stage["/World/Ball"].attribute("mine").set([3], 12)
        stage["/World/Ball"].relationship("to").set_targets(["/World"], custom=True)
        assert len(edits) == 6
        assert stage.snapshot == before
    assert calls.take() == ["EditStage"]
    assert edits.snapshot == stage.snapshot != before
    ball = stage["/World/Ball"]
    assert (ball.type_name, ball.kind, ball.radius.get()) == ("Sphere", "component", 2.0)
    assert ball.mine.get().tolist() == [1, 2] and ball.mine.get(12).tolist() == [3]
    assert ball.relationship("to").targets == ["/World"]
    text = stage.export_session_layer()
    assert 'def Sphere "Ball"' in text and "custom int[] mine" in text


def test_a_block_that_fails_changes_nothing(stage):
    before = stage.snapshot
    with pytest.raises(stagedoor.NotFoundError) as info, stage.edit():
        stage[f"{TYPES}.double"].set(1.0)
        stage["/Nobody.x"].set(1.0)
        stage[f"{TYPES}.double"].set("text")
    assert [(failed.edit, failed.error.reason) for failed in info.value.edit_errors] == [
        (1, "PRIM_NOT_FOUND"),
        (2, "WRONG_KIND"),
    ]
    assert stage.refresh() == before
    with pytest.raises(KeyError), stage.edit():
        stage[f"{TYPES}.double"].set(1.0)
        raise KeyError
    assert stage.refresh() == before


def test_conflicts(stage):
    first = stage.snapshot
    stage[f"{TYPES}.double"].set(1.0)
    with pytest.raises(stagedoor.ConflictError), stage.edit(expected=first):
        stage[f"{TYPES}.double"].set(2.0)


def test_metadata(stage):
    prim = stage["/World"]
    prim.SetActive(False)
    assert not prim.is_active
    prim.ClearActive()
    assert prim.is_active
    prim.SetMetadataByDictKey("customData", "a:b", 3)
    assert prim.metadata["customData"]["a"] == {"b": 3}
    prim.ClearMetadataByDictKey("customData", "a:b")
    prim.set_metadata("apiSchemas", types.ListOp(prepended=("CollectionAPI:x",)))
    assert "CollectionAPI:x" in prim.api_schemas
    stage.SetMetadata("endTimeCode", 96)
    assert stage.end_time_code == 96.0


def test_variants(client):
    layer = """#usda 1.0
def "A" (
    variants = {
        string look = "red"
    }
    prepend variantSets = "look"
)
{
    variantSet "look" = {
        "red" {
            double x = 1
        }
        "blue" {
            double x = 2
        }
    }
}
"""
    with client.open("/variants.usda", layers={"/variants.usda": layer}) as stage:
        looks = stage["/A"].GetVariantSet("look")
        looks.SetVariantSelection("blue")
        assert stage["/A.x"].get() == 2.0
        with stage.edit(variant="/A{look=blue}"):
            stage["/A.x"].set(3.0)
        assert stage["/A.x"].get() == 3.0
        looks.ClearVariantSelection()
        assert stage["/A.x"].get() == 1.0
        looks.BlockVariantSelection()
        assert "x" not in stage["/A"]


def test_removing(stage):
    stage.OverridePrim("/World/Over")
    stage.CreateClassPrim("/World/Class")
    assert stage["/World/Class"].is_abstract
    stage.RemovePrim("/World/Class")
    assert "/World/Class" not in stage
    stage[f"{TYPES}.double"].set(1.0)
    stage[TYPES].RemoveProperty("double")
    assert stage[f"{TYPES}.double"].get() == 2.5


def test_edits_survive_a_lost_lease(own_daemon, folder):
    with (
        stagedoor.connect(own_daemon.address) as client,
        client.open(folder / "shot.usda") as stage,
    ):
        stage[f"{TYPES}.double"].set(4.0)
        stage.define_prim("/World/New")
        own_daemon.stop()
        own_daemon.start()
        assert stage[f"{TYPES}.double"].get() == 4.0
        assert "/World/New" in stage


def test_asyncio(daemon, folder):
    async def run() -> None:
        async with aio.connect(daemon.address) as client:
            async with await client.open(folder / "shot.usda") as stage:
                async with stage.edit() as edits:
                    await stage[f"{TYPES}.vector"].set((7, 8, 9))
                    await stage.define_prim("/World/Ball", "Sphere")
                assert edits.snapshot == stage.snapshot
                assert (await stage[f"{TYPES}.vector"].get()).tolist() == [7, 8, 9]
                await stage["/World/Ball"].SetActive(False)
                assert 'def Sphere "Ball"' in await stage.export_session_layer()

    asyncio.run(run())


def test_values_without_a_known_type():
    assert encode(3).int64_value == 3 and encode(1 << 63).uint64_value == 1 << 63
    assert encode(None).HasField("block") and encode(types.AnimationBlock()).HasField(
        "animation_block"
    )
    assert encode(np.ones((2, 3), np.float32)).array_value.columns == 3
    assert list(encode(["a"]).string_array.values) == ["a"]
    assert encode({"b": 1, "a": {"c": True}}).dictionary_value.entries[0].key == "a"
    reference = types.Reference("a.usda", "/A", types.LayerOffset(1, 2), {"k": 1})
    made = encode(types.ListOp(is_explicit=True, explicit=(reference,))).list_op
    assert made.explicit_items[0].reference.layer_offset.scale == 2
    with pytest.raises(TypeError):
        encode(object())
    with pytest.raises(ValueError, match="shape"):
        encode(np.ones((2, 2, 5)))
