"""What happens to a random scene from frame to frame: other times, edits of the session, and changed files."""
import base64
import random
import re
import struct

from frame_question import FrameQuestion
from pxr import Usd, UsdGeom, UsdRender

TIMES = [0.0, 1.0, 1.75, 2.0, 3.5, 4.0, 7.0]
SHUTTERS = [None, (-0.25, 0.25), (0.0, 0.5), (-1.0, 1.0), (-0.5, -0.25)]
PREDICATE = Usd.TraverseInstanceProxies()


def prims_of(stage, kind=None):
    prims = list(Usd.PrimRange(stage.GetPseudoRoot(), PREDICATE))[1:]
    return [prim for prim in prims if kind is None or prim.IsA(kind)]


class FrameSteps:
    """The frames that are asked of a scene, one after another, of one selection and shutter."""

    def __init__(self, seed, stage):
        self.rng = random.Random(seed)
        self.selection = self.make_selection(stage)
        self.shutter = self.rng.choice(SHUTTERS)
        self.between_snapshots = self.chance(0.5)

    def chance(self, p):
        return self.rng.random() < p

    def some(self, prims, most=2):
        return sorted(str(prim.GetPath()) for prim in self.rng.sample(prims, min(len(prims), self.rng.randint(1, most))))

    def make_selection(self, stage):
        r, selection = self.rng, {}
        prims = prims_of(stage)
        for name, likely, choose in (
                ("purposes", 0.3, lambda: [f"PURPOSE_{word}" for word in r.sample(["DEFAULT", "RENDER", "PROXY", "GUIDE"], r.randint(1, 4))]),
                ("roots", 0.15, lambda: self.some(prims)),
                ("excluded", 0.15, lambda: self.some(prims)),
                ("types", 0.1, lambda: r.choice([["Mesh"], ["Gprim"], ["PointBased", "Cube"]])),
                ("camera", 0.4, lambda: self.some(prims_of(stage, UsdGeom.Camera), 1)),
                ("renderSettings", 0.4, lambda: self.some(prims_of(stage, UsdRender.Settings), 1)),
                ("renderPass", 0.3, lambda: self.some(prims_of(stage, UsdRender.Pass), 1)),
                ("materialPurposes", 0.2, lambda: r.choice([["full"], ["preview"], [""], ["full", ""], ["preview", "full"]])),
                ("renderContexts", 0.1, lambda: ["ri"]),
                ("primvars", 0.15, lambda: r.sample(["st", "a", "b", "n:c", "d", "displayColor"], 2)),
                ("flattenPrimvars", 0.3, lambda: True),
                ("withoutSkinning", 0.15, lambda: True),
                ("withoutInvisible", 0.2, lambda: True)):
            if not self.chance(likely):
                continue
            value = choose()
            if name in ("camera", "renderSettings", "renderPass"):
                value = value[0] if value else None
            if value:
                selection[name] = value
        return selection

    def question(self, time):
        return FrameQuestion(time, self.shutter, self.selection, self.between_snapshots)

    def times(self):
        """Those of three frames, of which one may be asked for twice."""
        times = self.rng.sample(TIMES, 3)
        if not self.shutter and self.chance(0.2):
            times[self.rng.randrange(3)] = None
        if self.chance(0.5):
            times[2] = times[1]
        return times

    # ------------------------------------------------------------------ edits
    def edits(self, stage):
        """An EditStageRequest as JSON, without stage. It may be refused."""
        prims = [prim for prim in prims_of(stage) if not prim.IsInstanceProxy()]
        return {"edits": [self.edit(self.rng.choice(prims)) for _ in range(self.rng.randint(1, 3))] if prims else []}

    def edit(self, prim):
        path = str(prim.GetPath())
        kind = self.rng.choice(["value", "value", "value", "hide", "purpose", "deactivate", "primvar", "bind", "add", "instance"])
        return getattr(self, kind)(path, prim)

    def value(self, path, prim):
        """Another value of an attribute of numbers, at default time or some time."""
        kinds = {"double": 1, "float": 1, "double3": 3, "float3": 3}
        attributes = [a for a in prim.GetAuthoredAttributes() if str(a.GetTypeName()) in kinds]
        if not attributes:
            return self.hide(path, prim)
        attribute = self.rng.choice(attributes)
        numbers = [round(self.rng.uniform(0.2, 3), 3) for _ in range(kinds[str(attribute.GetTypeName())])]
        time = self.rng.choice([{"defaultTime": {}}, {"numeric": 2.0}])
        return {"setValue": {"path": str(attribute.GetPath()), "value": value_of(numbers), "time": time}}

    def hide(self, path, prim):
        word = self.rng.choice(["invisible", "inherited"])
        return {"setValue": {"path": f"{path}.visibility", "value": {"tokenValue": word}, "typeName": "token"}}

    def purpose(self, path, prim):
        word = self.rng.choice(["default", "render", "proxy", "guide"])
        return {"setValue": {"path": f"{path}.purpose", "value": {"tokenValue": word}, "typeName": "token", "variability": "VARIABILITY_UNIFORM"}}

    def deactivate(self, path, prim):
        return {"setField": {"path": path, "name": "active", "value": {"boolValue": False}}}

    def primvar(self, path, prim):
        return {"setValue": {"path": f"{path}.primvars:new", "typeName": "double", "value": {"doubleValue": round(self.rng.random(), 3)}}}

    def bind(self, path, prim):
        target = self.rng.choice(["/Looks/m0", "/Looks/m1", "/Looks/m2"])
        return {"setTargets": {"path": f"{path}.material:binding", "targets": {"isExplicit": True, "explicitItems": [{"pathValue": target}]}}}

    def add(self, path, prim):
        return {"definePrim": {"path": f"{path}/added", "typeName": self.rng.choice(["Cube", "Xform", "SphereLight", "Mesh"])}}

    def instance(self, path, prim):
        return {"setField": {"path": path, "name": "instanceable", "value": {"boolValue": self.chance(0.5)}}}


def value_of(numbers):
    """A Value with one number, or with a vector."""
    if len(numbers) == 1:
        return {"doubleValue": numbers[0]}
    data = base64.b64encode(struct.pack(f"<{len(numbers)}d", *numbers)).decode()
    return {"tupleValue": {"componentType": "COMPONENT_TYPE_FLOAT64", "shape": "ELEMENT_SHAPE_VECTOR", "rows": 1, "columns": len(numbers),
                           "count": "1", "data": data}}


def changed(rng, text):
    """The text of a layer with another number in it, or None if there is none."""
    numbers = list(re.finditer(r"(?<== )-?\d+\.\d+|(?<=[(,] )-?\d+\.\d+", text[20:]))
    if not numbers:
        return None
    at = rng.choice(numbers)
    return text[:20 + at.start()] + f"{rng.uniform(0.2, 3):.3f}" + text[20 + at.end():]
