"""The names of pxr.Usd that docs/python.md promises."""

from __future__ import annotations


def test_stage(stage):
    assert stage.GetPrimAtPath("/World").GetName() == "World"
    assert stage.GetAttributeAtPath("/World/Types.double").Get() == 2.5
    assert stage.GetDefaultPrim().GetPath() == "/World"
    assert stage.GetPseudoRoot().GetPath() == "/"
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (1.0, 48.0)
    assert stage.HasAuthoredTimeCodeRange()
    assert (stage.GetTimeCodesPerSecond(), stage.GetFramesPerSecond()) == (24.0, 24.0)
    assert next(stage.Traverse()).GetName() == "World"
    assert len(list(stage.TraverseAll())) >= 200
    assert any(name.endswith("shot.usda") for name in stage.GetUsedLayers())


def test_prim(stage):
    prim = stage.GetPrimAtPath("/World")
    assert prim.IsValid() and prim and not stage.GetPrimAtPath("/Nope").IsValid()
    assert (prim.GetTypeName(), prim.GetSpecifier(), prim.GetKind()) == ("Xform", "def", "group")
    assert prim.GetParent().GetPath() == "/" and prim.GetStage() is stage
    assert prim.GetChildren()[0].GetName() == "Static"
    assert prim.GetChild("Types").GetAttribute("double").Get() == 2.5
    assert prim.HasAttribute("color") and not prim.HasAttribute("proxyPrim")
    assert prim.HasRelationship("proxyPrim") and prim.HasProperty("proxyPrim")
    assert "color" in [a.GetName() for a in prim.GetAttributes()]
    assert [r.GetName() for r in prim.GetRelationships()][:1]
    assert "proxyPrim" in prim.GetPropertyNames()
    assert (
        prim.GetMetadata("documentation") == "All of it" == prim.GetAllMetadata()["documentation"]
    )
    assert prim.GetAppliedSchemas() == ["CollectionAPI:set"]
    assert prim.HasAPI("CollectionAPI") and not prim.HasAPI("SkelBindingAPI")
    assert prim.IsA("Xform") and prim.IsActive() and prim.IsLoaded() and prim.IsDefined()
    assert prim.IsModel() and prim.IsGroup() and not prim.IsInstance()
    assert not (prim.IsAbstract() or prim.IsInstanceable() or prim.IsInstanceProxy())
    assert not prim.HasPayload()


def test_attribute(stage):
    attribute = stage.GetPrimAtPath("/World/Types").GetAttribute("wave")
    assert attribute.IsValid() and attribute.IsDefined() and attribute.IsAuthored()
    assert not stage.GetPrimAtPath("/World/Types").GetAttribute("nope").IsValid()
    assert attribute.Get(3) == 4.0
    assert attribute.GetTimeSamples() == [1.0, 5.0, 9.0]
    assert list(attribute.GetTimeSamplesInInterval(0, 5)) == [1.0, 5.0]
    assert attribute.GetBracketingTimeSamples(6) == (5.0, 9.0)
    assert attribute.GetNumTimeSamples() == 3 and attribute.ValueMightBeTimeVarying()
    assert attribute.GetTypeName() == "double" and attribute.GetVariability() == "varying"
    assert attribute.HasValue() and attribute.HasAuthoredValue()
    assert attribute.GetResolveInfo(3).source == "time_samples"
    assert attribute.GetPropertyStack()[0].path == "/World/Types.wave"
    assert attribute.GetPrim().GetName() == "Types" and attribute.GetPath().endswith(".wave")
    assert attribute.GetConnections() == [] and not attribute.IsCustom()
    unset = stage.GetAttributeAtPath("/World/Types.unset")
    assert not unset.HasValue() and not unset.HasAuthoredValue()
    sphere = stage.GetAttributeAtPath("/World/Sizes/S000.orientation")
    assert sphere.HasValue() and not sphere.HasAuthoredValue()


def test_relationship(stage):
    relationship = stage.GetPrimAtPath("/World").GetRelationship("proxyPrim")
    assert relationship.GetTargets() == relationship.GetForwardedTargets() == ["/World/Static"]
