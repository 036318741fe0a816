#!/usr/bin/env python3
"""Compares two stages as an application of OpenUSD sees them: compare.py ORIGINAL COMPOSED.

ORIGINAL is opened by OpenUSD itself, COMPOSED is the layer of the plug-in that shows the same stage. Compares all prims,
with those in instances, all properties and all metadata, and the values of all attributes at five times. Prints what
was compared, and each kind of difference with examples; exits with 1 if there is one.

Not compared is what a flattened stage does not have: composition arcs, and where the value of an attribute comes
from if it comes from value clips (they are time samples).
"""
import argparse
import collections
import math
import sys

import numpy
from pxr import Sdf, Usd

# The prims that the plug-in makes for prototypes and payloads.
MADE = "/Flattened_"
PRIM_QUERIES = ("GetTypeName", "GetSpecifier", "GetKind", "IsActive", "IsLoaded", "IsDefined", "IsAbstract", "IsModel", "IsGroup",
                "IsInstance", "IsInstanceable", "IsInstanceProxy", "GetAppliedSchemas", "GetAllChildrenNames",
                "GetPropertyNames", "GetAuthoredPropertyNames")
PROPERTY_QUERIES = ("IsCustom", "IsAuthored", "IsDefined", "GetDisplayName", "GetDisplayGroup")
ATTRIBUTE_QUERIES = ("GetTypeName", "GetVariability", "GetConnections", "GetTimeSamples", "HasAuthoredValue")
# Metadata that composition or value resolution consumes.
ARCS = {"references", "payload", "inherits", "inheritPaths", "specializes", "clips", "clipSets", "subLayers", "subLayerOffsets",
        "variantSetNames", "variantSets", "variantSelection", "relocates", "layerRelocates", "expressionVariables", "apiSchemas",
        "primOrder", "propertyOrder"}
# Whether these are authored cannot be seen from what the daemon sends; queries compare what they mean.
COMPOSED = {"active", "instanceable", "specifier", "typeName", "defaultPrim", "startTimeCode", "endTimeCode", "framesPerSecond",
            "timeCodesPerSecond"}
# Values, and what queries of their own compare: any opinion makes a property custom, whatever the strongest one says.
VALUES = {"default", "timeSamples", "spline", "connectionPaths", "targetPaths", "custom"}


def path_of(asset):
    return asset.resolvedPath or asset.path


def rounding_of(type_name):
    """The relative error of an interpolation, whose weights are computed in the time of the stage instead of a layer."""
    name = type_name.scalarType.cppTypeName
    return 2e-3 if "half" in name.lower() or name.endswith("h") else 1e-12 if "double" in name or name.endswith("d") else 1e-6


def is_same(left, right, rounding=1e-12):
    """Whether two values are the same, up to rounding."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Sdf.AssetPath):
        return path_of(left) == path_of(right)
    if isinstance(left, Sdf.AssetPathArray):
        return [path_of(item) for item in left] == [path_of(item) for item in right]
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(is_same(left[key], right[key]) for key in left)
    if left == right:
        return True
    if isinstance(left, float) and math.isnan(left) and math.isnan(right):
        return True
    try:
        a, b = numpy.array(left, dtype=float), numpy.array(right, dtype=float)
    except (TypeError, ValueError):
        return False
    return a.shape == b.shape and numpy.allclose(a, b, rtol=rounding, atol=rounding, equal_nan=True)


class Comparison:
    """Counts of what was compared, and the differences that were found."""

    def __init__(self, times, step=1):
        self.times = times
        self.step = step
        self.counts = collections.Counter()
        self.differences = collections.defaultdict(list)
        self.prototypes = {}

    def report(self, kind, path, left, right):
        self.differences[kind].append((str(path), str(left)[:160], str(right)[:160]))

    def check(self, kind, path, left, right, rounding=1e-12):
        if not is_same(left, right, rounding):
            self.report(kind, path, left, right)

    def call(self, kind, path, query, left, right):
        """Compares the results of a method."""
        self.check(f"{kind}.{query}", path, getattr(left, query)(), getattr(right, query)())

    def metadata(self, kind, left, right, skipped):
        a, b = left.GetAllMetadata(), right.GetAllMetadata()
        for key in sorted((set(a) | set(b)) - skipped):
            self.check(f"{kind} metadata {key}", left.GetPath(), a.get(key), b.get(key))

    def stages(self, original, composed):
        predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
        found = {prim.GetPath(): prim for prim in Usd.PrimRange(composed.GetPseudoRoot(), predicate)
                 if not prim.GetPath().pathString.startswith(MADE)}
        self.metadata("stage", original.GetPseudoRoot(), composed.GetPseudoRoot(), ARCS | COMPOSED)
        for query in ("GetStartTimeCode", "GetEndTimeCode", "GetTimeCodesPerSecond", "GetFramesPerSecond"):
            self.check(f"stage.{query}", "/", getattr(original, query)(), getattr(composed, query)())
        self.check("stage.GetDefaultPrim", "/", original.GetDefaultPrim().GetPath(), composed.GetDefaultPrim().GetPath())
        paths = set()
        for number, prim in enumerate(Usd.PrimRange(original.GetPseudoRoot(), predicate)):
            if prim.GetPath().pathString.startswith(MADE):
                continue
            paths.add(prim.GetPath())
            if prim.GetPath() not in found:
                self.report("missing prim", prim.GetPath(), prim, None)
            elif prim.IsPseudoRoot() is False and number % self.step == 0:
                self.prims(prim, found[prim.GetPath()])
        for path in sorted(found.keys() - paths):
            self.report("added prim", path, None, found[path])

    def prims(self, left, right):
        self.counts["prims"] += 1
        path = left.GetPath()
        for query in PRIM_QUERIES:
            if query == "GetAllChildrenNames" and path.IsAbsoluteRootPath():
                continue
            self.call("prim", path, query, left, right)
        if left.IsInstance() and right.IsInstance():
            known = self.prototypes.setdefault(left.GetPrototype().GetPath(), right.GetPrototype().GetPath())
            self.check("shared prototype", path, known, right.GetPrototype().GetPath())
        sets = [{name: (prim.GetVariantSet(name).GetVariantSelection(), prim.GetVariantSet(name).GetVariantNames())
                 for name in prim.GetVariantSets().GetNames()} for prim in (left, right)]
        self.check("variant sets", path, *sets)
        self.metadata("prim", left, right, ARCS | COMPOSED)
        for prop in left.GetProperties():
            other = right.GetProperty(prop.GetName())
            if not other:
                self.report("missing property", prop.GetPath(), prop, None)
            else:
                self.properties(prop, other)

    def properties(self, left, right):
        self.counts["properties"] += 1
        path = left.GetPath()
        for query in PROPERTY_QUERIES:
            self.call("property", path, query, left, right)
        self.metadata("property", left, right, VALUES | COMPOSED)
        if isinstance(left, Usd.Relationship):
            self.call("relationship", path, "GetTargets", left, right)
            self.call("relationship", path, "GetForwardedTargets", left, right)
            return
        for query in ATTRIBUTE_QUERIES:
            self.call("attribute", path, query, left, right)
        if left.GetResolveInfo().GetSource() != Usd.ResolveInfoSourceValueClips:
            self.call("attribute", path, "ValueMightBeTimeVarying", left, right)
        sources = [Usd.ResolveInfoSourceTimeSamples if source == Usd.ResolveInfoSourceValueClips else source
                   for source in (left.GetResolveInfo().GetSource(), right.GetResolveInfo().GetSource())]
        self.check("source", path, *sources)
        if sources[0] == Usd.ResolveInfoSourceSpline:
            self.check("spline", path, left.GetSpline(), right.GetSpline())
        rounding = rounding_of(left.GetTypeName())
        for time in self.times:
            self.counts["values"] += 1
            self.check("value", f"{path} at {time}", left.Get(time), right.Get(time), rounding)


def five_times(stage):
    """The default time, the ends, one between samples, and one after the end."""
    start, end = stage.GetStartTimeCode(), stage.GetEndTimeCode()
    return [Usd.TimeCode.Default(), Usd.TimeCode(start), Usd.TimeCode(start + 3.25), Usd.TimeCode((start + end) / 2),
            Usd.TimeCode(end + 5)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("original")
    parser.add_argument("composed")
    parser.add_argument("--step", type=int, default=1, help="compare only every STEPth prim")
    parser.add_argument("--examples", type=int, default=4, help="the examples shown of each kind of difference")
    options = parser.parse_args()
    original, composed = Usd.Stage.Open(options.original), Usd.Stage.Open(options.composed)
    comparison = Comparison(five_times(original), options.step)
    comparison.stages(original, composed)
    for kind, found in sorted(comparison.differences.items()):
        print(f"{kind}: {len(found)}")
        for path, left, right in found[:options.examples]:
            print(f"  {path}\n    original: {left}\n    composed: {right}")
    total = sum(len(found) for found in comparison.differences.values())
    counts = comparison.counts
    print(f"{counts['prims']} prims, {counts['properties']} properties, {counts['values']} values: {total} differences")
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
