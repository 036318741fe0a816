"""The values of a frame's prims, by usd-core."""
import numpy as np
from drawn_prims import PREDICATE, PROTOTYPE_PREDICATE
from frame_shading import first_of_instances
from motion_rules import codes, has_rates, instance_times, ops_between, point_times, times_of
from plain_values import of_usd
from pxr import Gf, UsdGeom, UsdLux
from spaces_records import volume

# Attributes of schemas that are not values of the geometry.
ELSEWHERE = ("visibility", "purpose", "xformOpOrder")
ELSEWHERE_IN = ("primvars:", "xformOp:", "collection:", "subsetFamily:")
OF_LIGHTS = ("inputs:", "light:", "lightFilter:")
OF_STAND_INS = ("extentsHint", "model:")
OF_SKINS = ("skel:", "primvars:skel:")
DEFORMED = ("points", "normals")
OF_POINTS = (*DEFORMED, "blendShapeWeights")  # what skins read that does not move prims as a whole


class Samples:
    """What a frame has of something: its times, none for a single sample, and plain values.

    `exact` says whether the numbers are those of the layers, rather than computed ones. A value is also compared if `unchecked` is not set.
    `single` says whether they were computed in single precision.
    """

    def __init__(self, times, values, exact=False, about=(), indices=(), single=False):
        self.times = list(times) if len(values) > 1 else []
        self.values, self.exact, self.about, self.indices, self.single = values, exact, about, list(indices), single

    def __repr__(self):
        return f"{self.about} {self.values} at {self.times}" + (f" indices {self.indices}" if self.indices else "")


def is_sample(attribute, code):
    """Whether the value at a time is one that is in a layer."""
    if code.IsDefault():
        return True
    around = set(attribute.GetBracketingTimeSamples(code.GetValue()) or ())
    return len(around) < 2 or code.GetValue() in around


def attribute_samples(question, attribute, about):
    times = times_of(question, [attribute])
    at = codes(question, times)
    values = [of_usd(attribute.Get(code), attribute.GetTypeName()) for code in at]
    return Samples(times, values, all(is_sample(attribute, code) for code in at), about)


def primvar_samples(question, primvar, flatten):
    attribute, type_name = primvar.GetAttr(), primvar.GetTypeName()
    indexed = primvar.IsIndexed()
    times = times_of(question, [attribute] + ([primvar.GetIndicesAttr()] if indexed else []))
    at = codes(question, times)
    about = (str(type_name), str(primvar.GetInterpolation()), primvar.GetElementSize())
    exact = all(is_sample(attribute, code) for code in at)
    if flatten and indexed:
        return Samples(times, [of_usd(primvar.ComputeFlattened(code), type_name) for code in at], exact, about)
    values = [of_usd(primvar.Get(code), type_name) for code in at]
    indices = [of_usd(primvar.GetIndices(code), "int[]") for code in at] if indexed else []
    return Samples(times, values, exact, about, indices)


def layout(attribute):
    """(type, interpolation, element size) of an attribute that is not a primvar."""
    name, interpolation = attribute.GetName(), ""
    if name in ("normals", "widths"):
        interpolation = attribute.GetMetadata("interpolation") or "vertex"
    elif name in ("points", "velocities", "accelerations", "tangents", "ids"):
        interpolation = "vertex"
    return str(attribute.GetTypeName()), interpolation, 0


def attributes_of(prim, wanted, free=()):
    """The attributes with a value at some time whose names `wanted` accepts: of the prim's schemas, or with one of the prefixes `free`."""
    names = {str(name) for name in prim.GetPrimDefinition().GetPropertyNames()}
    return [attribute for attribute in prim.GetAttributes()
            if (attribute.GetName() in names or attribute.GetName().startswith(free)) and wanted(attribute.GetName())
            and not str(attribute.GetTypeName()).startswith("pathExpression") and attribute.HasValue()]


def is_plain(name):
    return name not in ELSEWHERE and not name.startswith(ELSEWHERE_IN)


def geometry_attributes(row):
    """Those of the geometry of a row, without primvars."""
    prim = row.prim
    if row.draw_mode:
        return attributes_of(prim, lambda name: name.startswith(OF_STAND_INS), OF_STAND_INS)
    if prim.IsA(UsdGeom.PointInstancer):
        return []  # they are in its instances
    is_light = prim.HasAPI(UsdLux.LightAPI)
    return attributes_of(prim, lambda name: is_plain(name) and not (is_light and name.startswith(OF_LIGHTS)))


def light_attributes(prim):
    """Those of a light, of which its geometry has others if it is drawn."""
    is_gprim = prim.IsA(UsdGeom.Gprim)
    return attributes_of(prim, lambda name: name.startswith(OF_LIGHTS) if is_gprim else is_plain(name), ("inputs:",))


class FrameGeometry:
    """Computes what one question asks about geometry.

    with_influences: also with what deforms the points, which frames leave out of deformed prims.
    """

    def __init__(self, stage, question, skins, with_influences=False):
        self.stage, self.question, self.skins, self.with_influences = stage, question, skins, with_influences
        self.xforms, self.shown, self.own = {}, {}, {}

    # ------------------------------------------------------------------ transforms
    def matrix(self, row, code):
        """To world space, or to that of the prototype's root."""
        if code not in self.xforms:
            self.xforms[code] = UsdGeom.XformCache(code)
        if row.prim == row.prototype:
            return Gf.Matrix4d(1)
        own = self.skins.rigid(row.prim, code)
        if own is None:
            return self.chain(row.prim, row.prototype, self.xforms[code])
        if UsdGeom.Xformable(row.prim).GetResetXformStack():
            return own
        return own * self.chain(row.prim.GetParent(), row.prototype, self.xforms[code])

    @staticmethod
    def chain(prim, root, cache):
        if root is None:
            return cache.GetLocalToWorldTransform(prim)
        return Gf.Matrix4d(1) if prim == root else cache.ComputeRelativeTransform(prim, root)[0]

    def transform(self, row):
        attributes = []
        if self.question.shutter and row.prim != row.prototype:
            attributes = ops_between(row.prim, row.prototype)
            if self.skins.is_rigid(row.prim):
                attributes += [attribute for attribute in self.skins.attributes(row.prim) if attribute.GetName() not in OF_POINTS]
        times = times_of(self.question, attributes)
        matrices = [np.array(self.matrix(row, code)).reshape(1, 16) for code in codes(self.question, times)]
        return Samples(times, matrices, single=self.skins.is_rigid(row.prim))

    def visible(self, row):
        return self.is_visible(row.prim, row.prototype)

    def is_visible(self, prim, root):
        """Whether neither the prim nor an ancestor is invisible, of those up to `root`, or all of them."""
        if not prim or prim.IsPseudoRoot():
            return True
        key = prim.GetPath(), root.GetPath() if root else None
        if key not in self.shown:
            attribute = UsdGeom.Imageable(prim).GetVisibilityAttr() if prim.IsA(UsdGeom.Imageable) else None
            hidden = attribute and attribute.Get(self.question.code) == "invisible"
            self.shown[key] = not hidden and (prim == root or self.is_visible(prim.GetParent(), root))
        return self.shown[key]

    # ------------------------------------------------------------------ values
    def values(self, row):
        """Samples by attribute name, without those that have no value at the frame."""
        selection = self.question.selection
        found = self.own_values(row)
        wanted = selection.get("primvars", [])
        for primvar in UsdGeom.PrimvarsAPI(row.prim).FindPrimvarsWithInheritance() if not row.draw_mode else ():
            if not wanted or primvar.GetPrimvarName() in wanted:
                found[primvar.GetName()] = primvar_samples(self.question, primvar, selection.get("flattenPrimvars", False))
        return {name: samples for name, samples in with_values(found).items() if self.with_influences or not self.is_left_out(name)}

    def is_left_out(self, name):
        """Whether a frame leaves out an attribute because it says how points are deformed."""
        selection = self.question.selection
        wanted = [f"primvars:{name}" for name in selection.get("primvars", [])]
        return not selection.get("withoutSkinning") and name.startswith(OF_SKINS) and name not in wanted

    def own_values(self, row):
        """Those that are not primvars, which are the same in all instances unless a skin deforms them."""
        if self.skins.has(row.prim):
            return self.read_values(row)
        key = first_of_instances(row.prim), row.draw_mode
        if key not in self.own:
            self.own[key] = self.read_values(row)
        return dict(self.own[key])

    def read_values(self, row):
        found = {}
        for attribute in geometry_attributes(row):
            name = attribute.GetName()
            if name in DEFORMED and row.prim.IsA(UsdGeom.PointBased):
                found[name] = self.deformed(row.prim, attribute)
            else:
                found[name] = attribute_samples(self.question, attribute, layout(attribute))
        return found

    def light_values(self, prim):
        """The values of a light, in the form of `read_values`."""
        return with_values({attribute.GetName(): attribute_samples(self.question, attribute, layout(attribute))
                            for attribute in light_attributes(prim)})

    def deformed(self, prim, attribute):
        """The points or normals of a prim with its skin. What a skin leaves alone, or cannot skin, is as it is at rest."""
        name, about = attribute.GetName(), layout(attribute)
        if not self.skins.deforms(prim, name):
            if name == "normals":
                return attribute_samples(self.question, attribute, about)
            times = point_times(self.question, prim)
            return Samples(times, [self.at_rest(prim, attribute, code) for code in codes(self.question, times)], False, about)
        times = times_of(self.question, self.skins.attributes(prim))
        values = []
        for code in codes(self.question, times):
            moved = self.skins.array(prim, name, code)
            values.append(self.at_rest(prim, attribute, code) if moved is None else moved)
        return Samples(times, values, False, about)

    def at_rest(self, prim, attribute, code):
        """Normals, or points that are advanced by velocities from the frame."""
        base = self.question.code
        if attribute.GetName() == "normals":
            return of_usd(attribute.Get(code), attribute.GetTypeName())
        points = UsdGeom.PointBased(prim).ComputePointsAtTime(code, base)
        held = attribute.Get(base)
        exists = len(points) or type(held).__name__ == "Vec3fArray"
        return of_usd(points, "point3f[]") if exists else None

    def fields(self, prim):
        return [[name, path, samples[0] if samples else None] for name, path, samples in volume(prim, [("", self.question.code)])]

    def instances(self, prim):
        """Prototypes, indices, ids and transforms of a point instancer; nothing if they are inconsistent."""
        schema, base = UsdGeom.PointInstancer(prim), self.question.code
        indices = schema.GetProtoIndicesAttr().Get(base)
        if indices is None:
            return None
        count, mask = len(indices), list(schema.ComputeMaskAtTime(base))
        if count and len(mask) != count and not all(mask):
            return None
        kept = [i for i in range(count) if len(mask) != count or mask[i]]
        found = {"prototypes": [str(path) for path in schema.GetPrototypesRel().GetTargets()],
                 "prototype indices": [indices[i] for i in kept], "instance indices": kept}
        ids = schema.GetIdsAttr().Get(base)
        if type(ids).__name__ == "Int64Array" and len(ids) == count and count:
            found["ids"] = [int(ids[i]) for i in kept]
        times = instance_times(self.question, prim)
        values = [self.instance_sample(schema, code, count) for code in codes(self.question, times)]
        if any(matrices is None for matrices in values):
            return None
        found["transforms"] = Samples(times, [matrices[kept] for matrices in values])
        return found

    def instance_sample(self, schema, code, count):
        """The matrices at a sample of the instances that there are at the frame."""
        base = self.question.code
        ids, there = (list(schema.GetIdsAttr().Get(at) or []) for at in (base, code))
        if ids == there or has_rates(self.question, schema.GetPrim()):
            return all_instances(schema, code, base, count)
        matrices = all_instances(schema, base, base, count)
        moved = all_instances(schema, code, code, len(schema.GetProtoIndicesAttr().Get(code) or []))
        if matrices is None or moved is None or len(ids) != count or len(there) != len(moved):
            return matrices
        places = {}
        for i, name in enumerate(there):
            places.setdefault(name, i)
        for i, name in enumerate(ids):
            if name in places:
                matrices[i] = moved[places[name]]
        return matrices


def all_instances(schema, code, base, count):
    """The matrices of `count` instances, masked ones included; None if they cannot be computed."""
    if count == 0:
        return np.zeros((0, 16))
    xforms = schema.ComputeInstanceTransformsAtTime(code, base, UsdGeom.PointInstancer.IncludeProtoXform, UsdGeom.PointInstancer.IgnoreMask)
    # The Python wrapper does not report that the computation failed, but returns zero matrices.
    if len(xforms) != count or any(matrix == Gf.Matrix4d(0) for matrix in xforms):
        return None
    return np.array([np.array(matrix).reshape(16) for matrix in xforms]).reshape(count, 16)


def with_values(found):
    return {name: samples for name, samples in found.items() if any(value is not None for value in samples.values)}


def subset_facts(question, row):
    """[(subset, facts)] of the GeomSubsets of a prim, which may be below an over if that is a prototype."""
    predicate = PREDICATE if row.prim.IsDefined() else PROTOTYPE_PREDICATE
    subsets = [child for child in row.prim.GetFilteredChildren(predicate) if child.IsA(UsdGeom.Subset)]
    found = []
    for prim in subsets if row.prim.IsA(UsdGeom.Gprim) and not row.draw_mode else ():
        subset = UsdGeom.Subset(prim)
        indices = subset.GetIndicesAttr().Get(question.code)
        found.append((prim, {"element type": subset.GetElementTypeAttr().Get() or "", "family": subset.GetFamilyNameAttr().Get() or "",
                             "indices": list(indices) if type(indices).__name__ == "IntArray" else []}))
    return found
