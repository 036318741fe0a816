#!/usr/bin/env python3
"""Records the prim definitions that OpenUSD composes, for scene/schema/schema_registry_test.cc.

    python3 tools/record_schema_golden.py > scene/schema/testdata/definitions.usda     (needs usd-core)
    cd scene/schema/testdata/plugin
    PXR_PLUGINPATH_NAME=$PWD/ python3 …/record_schema_golden.py composed.json > definitions.usda

Writes a class with all composed properties for each schema and for some types with applied schemas; the
customData of the class describes the schema itself. With an argument, records only the schemas of the test
plug-in and the compositions that the file lists.
"""
import json
import sys

from pxr import Sdf, Tf, Usd, Vt

REGISTRY = Usd.SchemaRegistry()
LEFT_OUT = {"documentation", "customData", "custom", "typeName", "apiSchemas"}
COMPOSED = [
    ("Mesh", ["LightAPI", "SkelBindingAPI"]),
    ("Mesh", ["CollectionAPI:b", "CollectionAPI:a:c", "LightAPI", "CollectionAPI:b"]),
    ("Xform", ["Nope", "CollectionAPI", "CollectionAPI:", "LightAPI:x", "GeomModelAPI", "Mesh", "ModelAPI"]),
    ("", ["MeshLightAPI", "ShadowAPI", "LightAPI"]),
    ("SphereLight", ["ShadowAPI", "LightAPI", "CollectionAPI:lightLink"]),
    ("Nonsense", ["PhysicsDriveAPI:angular", "PhysicsLimitAPI:rotX", "CoordSysAPI:model"]),
]


def schema_types():
    found = set()

    def walk(base):
        for t in base.derivedTypes:
            found.add(t)
            walk(t)

    walk(Tf.Type.Find(Usd.SchemaBase))
    return sorted(found, key=lambda t: t.typeName)


def lineage(t):
    names = []
    while t and t != Tf.Type.Find(Usd.SchemaBase):
        names.append(REGISTRY.FindSchemaInfo(t).identifier)
        t = t.baseTypes[0]
    return names


def write(layer, name, d, about):
    prim = Sdf.PrimSpec(layer, name, Sdf.SpecifierClass)
    if d:
        about["applied"] = Vt.TokenArray(d.GetAppliedAPISchemas())
        for key in d.ListMetadataFields():
            if key not in LEFT_OUT:
                prim.SetInfo(key, d.GetMetadata(key))
        for p in d.GetPropertyNames():
            uniform = d.GetPropertyMetadata(p, "variability")
            if d.GetSpecType(p) == Sdf.SpecTypeAttribute:
                type_name = Sdf.ValueTypeNames.Find(d.GetPropertyMetadata(p, "typeName"))
                spec = Sdf.AttributeSpec(prim, p, type_name, uniform)
            else:
                spec = Sdf.RelationshipSpec(prim, p, False, uniform)
            for key in d.ListPropertyMetadataFields(p):
                if key not in LEFT_OUT | {"variability"}:
                    spec.SetInfo(key, d.GetPropertyMetadata(p, key))
    prim.customData = {k: v for k, v in about.items() if len(v)}


def main():
    layer = Sdf.Layer.CreateAnonymous(".usda")
    composed, types = COMPOSED, schema_types()
    if sys.argv[1:]:
        with open(sys.argv[1]) as f:
            composed = json.load(f)
        types = [t for t in types if t.typeName.startswith("Studio")]
    for t in types:
        i = REGISTRY.FindSchemaInfo(t)
        d = (REGISTRY.FindConcretePrimDefinition(i.identifier) or
             REGISTRY.FindAbstractPrimDefinition(i.identifier) or
             REGISTRY.FindAppliedAPIPrimDefinition(i.identifier))
        write(layer, i.identifier, d, {
            "kind": i.kind.name, "type": t.typeName, "family": i.family, "version": str(i.version),
            "lineage": Vt.TokenArray(lineage(t)),
        })
    for n, (type_name, applied) in enumerate(composed):
        d = REGISTRY.BuildComposedPrimDefinition(type_name, applied)
        write(layer, "Composed%d" % n, d, {"composedType": type_name, "composedApplied": Vt.TokenArray(applied)})
    for line in layer.ExportToString().splitlines():
        if line.strip():
            print(line)


if __name__ == "__main__":
    main()
