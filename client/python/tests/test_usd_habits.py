"""Habits of pxr.Usd: what a question without arguments means, and what an answer is made of."""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest

import stagedoor
from stagedoor import TimeCode

SCENE = """#usda 1.0
(
    endTimeCode = 9
    metersPerUnit = 1
    customLayerData = {
        int one = 1
    }
)

def Xform "Model" (
    kind = "component"
    instanceable = true
    prepend apiSchemas = ["MotionAPI", "CollectionAPI:set"]
    hidden = true
    displayName = "A model"
    doc = "All of it"
    customData = {
        dictionary deep = {
            int one = 1
        }
    }
    assetInfo = {
        string name = "model"
    }
    variants = {
        string look = "red"
    }
    prepend variantSets = "look"
)
{
    custom uniform token ui:group:name = "a" (
        displayName = "Name"
        displayGroup = "ui"
        doc = "A name"
        hidden = true
    )
    double wave = 3
    double wave.timeSamples = { 1: 0, 5: None, 9: 4 }
    double still = 3
    rel friend = </Off>
    variantSet "look" = {
        "red" {
        }
        "blue" {
        }
    }
}

over "Off" (
    active = false
)
{
}

class "Kind"
{
}

def "Group"
{
    def "Part"
    {
    }

    over "Idea"
    {
    }
}
"""


@pytest.fixture
def scene(client: stagedoor.Client, tmp_path: pathlib.Path) -> Iterator[stagedoor.Stage]:
    path = tmp_path / "habits.usda"
    path.write_text(SCENE, encoding="utf-8")
    with client.open(path) as stage:
        yield stage


class Interval:
    """What the package uses of Gf.Interval."""

    def __init__(self, low: float, high: float, is_open: tuple[bool, bool] = (False, False)):
        self.ends, self.is_open = (low, high), is_open

    def IsEmpty(self) -> bool:
        return self.ends[0] > self.ends[1]

    def GetMin(self) -> float:
        return self.ends[0]

    def GetMax(self) -> float:
        return self.ends[1]

    def IsMinOpen(self) -> bool:
        return self.is_open[0]

    def IsMaxOpen(self) -> bool:
        return self.is_open[1]

    def IsMinFinite(self) -> bool:
        return self.ends[0] != float("-inf")

    def IsMaxFinite(self) -> bool:
        return self.ends[1] != float("inf")


def test_resolve_info_without_a_time_is_that_of_numeric_times(scene: stagedoor.Stage) -> None:
    wave = scene["/Model.wave"]
    assert wave.GetResolveInfo().source == "time_samples"
    assert wave.GetResolveInfo("default").source == "default"
    assert scene["/Model.still"].GetResolveInfo().source == "default"


@pytest.mark.parametrize(
    ("interval", "times"),
    [
        (Interval(0, 5), [1.0, 5.0]),
        (Interval(1, 9, (True, True)), [5.0]),
        (Interval(1, 9, (True, False)), [5.0, 9.0]),
        (Interval(1, 9, (False, True)), [1.0, 5.0]),
        (Interval(9, 1), []),
        (Interval(float("-inf"), 4, (True, False)), [1.0]),
        (Interval(5, float("inf"), (True, True)), [9.0]),
    ],
)
def test_samples_in_an_interval_of_openusd(
    scene: stagedoor.Stage, interval: Interval, times: list[float]
) -> None:
    assert scene["/Model.wave"].GetTimeSamplesInInterval(interval) == times


def test_samples_in_an_interval_of_two_ends(scene: stagedoor.Stage) -> None:
    assert scene["/Model.wave"].GetTimeSamplesInInterval(1, 5) == [1.0, 5.0]
    assert scene["/Model.wave"].GetTimeSamplesInInterval(2, None) == [5.0, 9.0]


def test_bracket_of_an_attribute_without_samples_is_empty(scene: stagedoor.Stage) -> None:
    assert scene["/Model.still"].GetBracketingTimeSamples(2) == ()
    assert scene["/Model.still"].bracket(2) is None
    earliest = TimeCode.EarliestTime().GetValue()
    assert scene["/Model.wave"].GetBracketingTimeSamples(earliest) == (1.0, 1.0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("apiSchemas", ["MotionAPI", "CollectionAPI:set"]),
        ("instanceable", True),
        ("kind", "component"),
        ("specifier", "def"),
        ("typeName", "Xform"),
        ("documentation", "All of it"),
        ("active", None),
        ("nothing", None),
    ],
)
def test_metadata_of_a_prim_include_what_has_a_property(
    scene: stagedoor.Stage, key: str, value: Any
) -> None:
    model = scene.GetPrimAtPath("/Model")
    assert model.GetMetadata(key) == value
    assert model.HasMetadata(key) == (value is not None)
    assert model.GetAllMetadata().get(key) == value
    assert list(model.GetAllMetadata()) == sorted(model.GetAllMetadata())


def test_metadata_of_prims_without_opinions(scene: stagedoor.Stage) -> None:
    assert scene.GetPrimAtPath("/Off").GetAllMetadata() == {"active": False, "specifier": "over"}
    assert scene.GetPrimAtPath("/Kind").GetAllMetadata() == {"specifier": "class"}
    assert scene.GetPseudoRoot().GetMetadata("specifier") is None


def test_metadata_of_properties_include_what_has_a_property(scene: stagedoor.Stage) -> None:
    name = scene["/Model.ui:group:name"]
    assert name.GetAllMetadata() == {
        "custom": True,
        "displayGroup": "ui",
        "displayName": "Name",
        "documentation": "A name",
        "hidden": True,
        "typeName": "token",
        "variability": "uniform",
    }
    assert scene["/Model.wave"].GetMetadata("variability") == "varying"
    friend = scene.GetPrimAtPath("/Model").GetRelationship("friend")
    assert friend.GetAllMetadata() == {"custom": False, "variability": "uniform"}
    assert friend.GetPropertyStack()[0].path == "/Model.friend"


def test_metadata_by_their_own_names(scene: stagedoor.Stage) -> None:
    model, off = scene.GetPrimAtPath("/Model"), scene.GetPrimAtPath("/Off")
    assert (model.GetDocumentation(), off.GetDocumentation()) == ("All of it", "")
    assert (model.GetDisplayName(), off.GetDisplayName()) == ("A model", "")
    assert (model.IsHidden(), off.IsHidden()) == (True, False)
    assert (model.GetAssetInfo(), off.GetAssetInfo()) == ({"name": "model"}, {})
    assert model.GetAssetInfoByKey("name") == "model"
    assert model.HasCustomData() and not off.HasCustomData()
    assert (model.GetCustomData(), off.GetCustomData()) == ({"deep": {"one": 1}}, {})
    assert model.GetCustomDataByKey("deep:one") == 1
    assert model.GetCustomDataByKey("deep:one:more") is None
    assert model.GetMetadataByDictKey("customData", "deep") == {"one": 1}
    assert model.GetMetadataByDictKey("kind", "deep") is None
    assert scene["/Model.ui:group:name"].GetDisplayGroup() == "ui"
    assert scene["/Model.wave"].GetDisplayGroup() == ""


def test_names_of_properties(scene: stagedoor.Stage) -> None:
    name = scene["/Model.ui:group:name"]
    assert (name.GetBaseName(), name.GetNamespace()) == ("name", "ui:group")
    assert name.SplitName() == ["ui", "group", "name"]
    assert scene["/Model.wave"].GetNamespace() == ""
    assert name.GetStage() is scene and name.GetPrimPath() == "/Model"


def test_properties_of_a_prim(scene: stagedoor.Stage) -> None:
    model = scene.GetPrimAtPath("/Model")
    authored = ["friend", "still", "ui:group:name", "wave"]
    assert model.GetAuthoredPropertyNames() == authored
    assert [p.GetName() for p in model.GetAuthoredProperties()] == authored
    assert [p.GetName() for p in model.GetAuthoredAttributes()] == authored[1:]
    assert [p.GetName() for p in model.GetAuthoredRelationships()] == authored[:1]
    assert [p.GetName() for p in model.GetProperties()] == model.GetPropertyNames()
    assert [p.GetName() for p in model.GetPropertiesInNamespace("ui")] == ["ui:group:name"]
    assert [p.GetName() for p in model.GetPropertiesInNamespace("ui:")] == ["ui:group:name"]
    assert model.GetPropertiesInNamespace("u") == []


def test_opinions_of_a_prim(scene: stagedoor.Stage) -> None:
    model, off = scene.GetPrimAtPath("/Model"), scene.GetPrimAtPath("/Off")
    assert model.HasDefiningSpecifier() and scene.GetPrimAtPath("/Kind").HasDefiningSpecifier()
    assert not off.HasDefiningSpecifier()
    assert scene.GetPseudoRoot().IsPseudoRoot() and not model.IsPseudoRoot()
    assert [site.path for site in model.GetPrimStack()] == ["/Model", "/Model{look=red}"]
    assert model.GetPrimPath() == "/Model"


def test_schemas_and_type_of_a_prim(scene: stagedoor.Stage) -> None:
    model = scene.GetPrimAtPath("/Model")
    assert model.HasAPI("MotionAPI") and model.HasAPI("CollectionAPI")
    assert model.HasAPI("CollectionAPI", "set") and model.HasAPI(
        "CollectionAPI", instanceName="set"
    )
    assert not model.HasAPI("CollectionAPI", "se") and not model.HasAPI("MotionAPI", "set")
    assert model.HasAuthoredTypeName() and not scene["/Kind"].HasAuthoredTypeName()


def test_children_of_a_prim(scene: stagedoor.Stage) -> None:
    root, group = scene.GetPseudoRoot(), scene.GetPrimAtPath("/Group")
    assert (root.GetChildrenNames(), group.GetChildrenNames()) == (["Model", "Group"], ["Part"])
    assert root.GetAllChildrenNames() == ["Model", "Off", "Kind", "Group"]
    scene["/Group/Part"].SetActive(False)
    assert group.GetChildrenNames() == []
    assert group.GetAllChildren() == [scene["/Group/Part"], scene["/Group/Idea"]]


def test_default_prim(scene: stagedoor.Stage) -> None:
    assert not scene.HasDefaultPrim()
    scene.SetMetadata("defaultPrim", "Nowhere")
    assert not scene.HasDefaultPrim()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("customLayerData", {"one": 1}),
        ("defaultPrim", ""),
        ("endTimeCode", 9.0),
        ("framesPerSecond", 24.0),
        ("metersPerUnit", 1.0),
        ("nothing", None),
        ("startTimeCode", 0.0),
        ("timeCodesPerSecond", 24.0),
        ("upAxis", "Y"),
    ],
)
def test_metadata_of_the_stage_have_fallbacks(scene: stagedoor.Stage, key: str, value: Any) -> None:
    assert scene.GetMetadata(key) == value


def test_variant_sets(scene: stagedoor.Stage) -> None:
    model, off = scene.GetPrimAtPath("/Model"), scene.GetPrimAtPath("/Off")
    assert model.HasVariantSets() and not off.HasVariantSets()
    sets = model.GetVariantSets()
    assert sets.GetNames() == ["look"]
    assert sets.HasVariantSet("look") and not sets.HasVariantSet("shape")
    assert (sets.GetVariantSelection("look"), sets.GetVariantSelection("shape")) == ("red", "")
    look = model.GetVariantSet("look")
    assert (look.GetName(), look.GetPrim()) == ("look", model)
    assert sorted(look.GetVariantNames()) == ["blue", "red"]
    assert look.HasAuthoredVariant("blue") and not look.HasAuthoredVariant("green")
    assert model.GetVariantSet("shape").GetVariantNames() == []
    sets.SetSelection("look", "blue")
    assert look.GetVariantSelection() == "blue"


def test_time_codes() -> None:
    default, earliest, before, one = (
        TimeCode.Default(),
        TimeCode.EarliestTime(),
        TimeCode.PreTime(1),
        TimeCode(1),
    )
    assert sorted([TimeCode(2), one, before, earliest, default]) == [
        default,
        earliest,
        before,
        one,
        TimeCode(2),
    ]
    assert before < 1 <= one <= 1 < TimeCode(2) and one > 0.5
    codes = (default, earliest, before, one)
    assert [code.IsDefault() for code in codes] == [True, False, False, False]
    assert [code.IsNumeric() for code in codes] == [False, True, True, True]
    assert [code.IsEarliestTime() for code in codes] == [False, True, False, False]
    assert [code.IsPreTime() for code in codes] == [False, False, True, False]
    assert (before.GetValue(), one.GetValue()) == (1.0, 1.0)
    assert [TimeCode(code) for code in codes] == list(codes)
    with pytest.raises(ValueError, match="the default time has no value"):
        default.GetValue()
    with pytest.raises(TypeError):
        sorted([one, "1"])  # type: ignore[list-item]
