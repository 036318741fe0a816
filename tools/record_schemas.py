#!/usr/bin/env python3
"""Records the contents of OpenUSD's schema registry as the files of scene/schema/builtin.

    python3 tools/record_schemas.py scene/schema/builtin      (needs usd-core, see oracle.sh)

Writes DOMAIN.usda for each schema library, and one plug_info.json with the types of all libraries in the
format of plugInfo.json. DOMAIN.usda has a class per schema with the properties that it does not get
identically from its base or its built-in API schemas, without documentation.
"""
import json
import os
import sys

from pxr import Plug, Sdf, Tf, Usd, Vt

REGISTRY = Usd.SchemaRegistry()
OVERRIDES = "apiSchemaOverridePropertyNames"
LEFT_OUT = {"documentation", "customData", "custom"}
TYPE_KEYS = ("apiSchemaAutoApplyTo", "apiSchemaCanOnlyApplyTo", "apiSchemaAllowedInstanceNames", "apiSchemaInstances")
KINDS = {
    "AbstractBase": "abstractBase",
    "AbstractTyped": "abstractTyped",
    "ConcreteTyped": "concreteTyped",
    "NonAppliedAPI": "nonAppliedAPI",
    "SingleApplyAPI": "singleApplyAPI",
    "MultipleApplyAPI": "multipleApplyAPI",
}


def schema_types():
    """All schema types, each after its base."""
    found = []

    def walk(base):
        for t in sorted(base.derivedTypes, key=lambda t: t.typeName):
            if t not in found:
                found.append(t)
            walk(t)

    walk(Tf.Type.Find(Usd.SchemaBase))
    return found


def info(t):
    return REGISTRY.FindSchemaInfo(t)


def definition(t):
    name = info(t).identifier
    return (REGISTRY.FindConcretePrimDefinition(name) or REGISTRY.FindAbstractPrimDefinition(name) or
            REGISTRY.FindAppliedAPIPrimDefinition(name))


def fields(d, name):
    """The definition of a property: the type of its spec, under the key "", and its fields."""
    found = {"": str(d.GetSpecType(name))}
    for f in d.ListPropertyMetadataFields(name):
        if f not in LEFT_OUT:
            found[f] = d.GetPropertyMetadata(name, f)
    return found


def direct_api_schemas(d):
    op = d.GetMetadata("apiSchemas")
    return list(op.GetAppliedItems()) if op else []


def weaker(t, d):
    """The properties and prim metadata that the built-in API schemas of t define on their own."""
    apis = direct_api_schemas(d)
    if not apis:
        return {}, {}
    if info(t).kind == Usd.SchemaKind.MultipleApplyAPI:
        raise SystemExit(info(t).identifier + ": built-in API schemas of a multiple-apply schema are not supported")
    w = REGISTRY.BuildComposedPrimDefinition("", apis)
    return ({p: fields(w, p) for p in w.GetPropertyNames()},
            {f: w.GetMetadata(f) for f in w.ListMetadataFields()})


def local(t):
    """The flattened properties of t's own class, {name: fields}, and the names of those that override others."""
    d = definition(t)
    below, _ = weaker(t, d)
    own, overrides = {}, []
    for p in d.GetPropertyNames():
        f = fields(d, p)
        if p in below:
            if below[p] == f:
                continue
            f = {k: v for k, v in f.items() if k in ("", "typeName", "variability") or below[p].get(k) != v}
            overrides.append(p)
        own[p] = f
    return own, overrides


def write_property(prim, name, f):
    f = dict(f)
    uniform = f.pop("variability")
    if f.pop("").endswith("Attribute"):
        type_name = Sdf.ValueTypeNames.Find(f.pop("typeName"))
        spec = Sdf.AttributeSpec(prim, name, type_name, uniform)
    else:
        spec = Sdf.RelationshipSpec(prim, name, False, uniform)
    for key in sorted(f):
        spec.SetInfo(key, f[key])


def write_class(layer, t):
    d = definition(t)
    if not d:
        return
    i = info(t)
    typed = i.kind in (Usd.SchemaKind.ConcreteTyped, Usd.SchemaKind.AbstractTyped)
    concrete = i.kind == Usd.SchemaKind.ConcreteTyped
    prim = Sdf.PrimSpec(layer, i.identifier, Sdf.SpecifierClass, i.identifier if concrete else "")
    own, overrides = local(t)
    base = t.baseTypes[0]
    inherited = local(base)[0] if typed and definition(base) else {}
    missing = set(inherited) - set(own)
    if missing:
        raise SystemExit("%s lacks the properties %s of its base" % (i.identifier, missing))
    _, below = weaker(t, d)
    for key in d.ListMetadataFields():
        if key not in LEFT_OUT | {"typeName"} and below.get(key) != d.GetMetadata(key):
            prim.SetInfo(key, d.GetMetadata(key))
    if overrides:
        prim.customData = {OVERRIDES: Vt.TokenArray(overrides)}
    for name, f in own.items():
        if inherited.get(name) != f:
            write_property(prim, name, f)


def type_record(t, plugin):
    i = info(t)
    record = {"bases": [b.typeName for b in t.baseTypes], "schemaIdentifier": i.identifier,
              "schemaKind": KINDS[i.kind.name]}
    metadata = plugin.GetMetadataForType(t)
    for key in TYPE_KEYS:
        if metadata.get(key):
            record[key] = metadata[key]
    return record


def main():
    out = sys.argv[1]
    layers, plugins = {}, {}
    for t in schema_types():
        plugin = Plug.Registry().GetPluginForType(t)
        name = plugin.name[:1].lower() + plugin.name[1:]
        layer = layers.setdefault(name, Sdf.Layer.CreateAnonymous(".usda"))
        write_class(layer, t)
        plugins.setdefault(name, {})[t.typeName] = type_record(t, plugin)
    for name, layer in sorted(layers.items()):
        lines = [line for line in layer.ExportToString().splitlines() if line.strip()]
        with open(os.path.join(out, name + ".usda"), "w") as f:
            f.write("\n".join(lines) + "\n")
    with open(os.path.join(out, "plug_info.json"), "w") as f:
        f.write('{"Plugins": [\n')
        f.write(",\n".join(
            '  {"Name": "%s", "Info": {"Types": {\n%s\n  }}}' % (
                name, ",\n".join("    %s: %s" % (json.dumps(k), json.dumps(v)) for k, v in types.items()))
            for name, types in sorted(plugins.items())))
        f.write("\n]}\n")


if __name__ == "__main__":
    main()
