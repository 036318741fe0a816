"""Random scenes of transforms, bounds, primvars and instancers as usda text: see random_geometry.py."""
import random

from random_skel import SkelScene, f, numbers, tokens, tuples

OPS = {  # name: (types, components)
    "translate": (["double3", "float3", "half3"], 3), "scale": (["float3", "double3", "half3"], 3),
    "translateX": (["double", "float"], 1), "translateZ": (["double"], 1), "scaleY": (["float", "double"], 1),
    "rotateX": (["float", "double", "half"], 1), "rotateY": (["float"], 1), "rotateZ": (["double", "float"], 1),
    "rotateXYZ": (["float3", "double3"], 3), "rotateXZY": (["float3"], 3), "rotateYXZ": (["float3", "half3"], 3),
    "rotateYZX": (["float3"], 3), "rotateZXY": (["float3"], 3), "rotateZYX": (["double3"], 3),
    "orient": (["quatf", "quatd", "quath"], 4), "transform": (["matrix4d"], 16),
}
SHAPES = ["Sphere", "Cube", "Cone", "Cylinder", "Capsule", "Plane", "Mesh", "Points", "BasisCurves",
          "NurbsPatch", "Capsule_1", "Cylinder_1", "SphereLight", "RectLight", "DiskLight", "CylinderLight", "PointInstancer"]


class GeomScene(SkelScene):
    """A tree of prims with everything that places and bounds them."""

    def value(self, name, kind):
        r = self.rng
        if kind == "matrix4d":
            return self.matrix()
        n = OPS[name][1]
        if n == 4:
            q = self.vec(1, 4)
            length = sum(x * x for x in q) ** 0.5 or 1
            q = [x / length for x in q] if self.chance(0.8) else q
            return "(" + ", ".join(f(x) for x in q) + ")"
        low, high = (0.4, 2) if "scale" in name else (-90, 90) if "rotate" in name else (-4, 4)
        items = [r.uniform(low, high) for _ in range(n)]
        return f(items[0]) if n == 1 else "(" + ", ".join(f(x) for x in items) + ")"

    def transform(self):
        r = self.rng
        if self.chance(0.25):
            return
        order, made = [], set()
        for _ in range(r.choice([1, 1, 2, 3, 4])):
            name = r.choice(list(OPS))
            suffix = r.choice(["", "", ":a", ":b:c"])
            attribute = f"xformOp:{name}{suffix}"
            if attribute not in made:
                kind = r.choice(OPS[name][0])
                made.add(attribute)
                self.attribute(f"{kind} {attribute}", lambda: self.value(name, kind), 0.3)
                order.append(attribute)
            elif self.chance(0.7):
                order.append("!invert!" + attribute)
        if self.chance(0.3):  # a pivot
            self.put(f"float3 xformOp:translate:pivot = ({', '.join(f(x) for x in self.vec(3))})")
            order = ["xformOp:translate:pivot"] + order + ["!invert!xformOp:translate:pivot"]
        if made and self.chance(0.15):
            order.append("!invert!" + r.choice(sorted(made)))
        if self.chance(0.12):
            order.insert(r.randint(0, len(order)), "!resetXformStack!")
        if self.slip(0.1):
            order.append("xformOp:translate:gone")
        if self.chance(0.95):
            self.put(f"uniform token[] xformOpOrder = {tokens(order)}")

    def imageable(self):
        r = self.rng
        if self.chance(0.2):
            self.attribute("token visibility", lambda: r.choice(['"inherited"', '"invisible"']), 0.4)
        if self.chance(0.3):
            self.put(f'uniform token purpose = "{r.choice(["default", "render", "proxy", "guide"])}"')

    def primvars(self):
        r = self.rng
        for name in ["a", "b", "n:c"]:
            if not self.chance(0.3):
                continue
            interpolation = r.choice(["constant", "constant", "uniform", "vertex", None])
            size = r.choice([1, 1, 2])
            meta = []
            if interpolation:
                meta.append(f'interpolation = "{interpolation}"')
            if size > 1:
                meta.append(f"elementSize = {size}")
            meta = "; ".join(meta)
            if self.chance(0.1):
                self.put(f"float[] primvars:{name} = None" + (f" ({meta})" if meta else ""))
                continue
            # One type a name: opinions of other types are another matter.
            kind = {"a": "float[]", "b": "color3f[]", "n:c": "string[]"}[name]
            make = {"float[]": lambda: numbers([r.random() for _ in range(3 * size)]),
                    "color3f[]": lambda: tuples([self.vec(1) for _ in range(3 * size)]),
                    "string[]": lambda: tokens(["x", "y", "z"])}[kind]
            self.attribute(f"{kind} primvars:{name}", make, 0.2, meta)
            if self.chance(0.4):
                top = 4 if self.slip(0.2) else 2
                self.attribute(f"int[] primvars:{name}:indices",
                               lambda: numbers([r.randint(0, top) for _ in range(4)]), 0.2)

    def extent(self, declaration="float3[] extent"):
        a = [self.vec(3) for _ in range(2)]
        rows = [[min(p) for p in zip(*a)], [max(p) for p in zip(*a)]]
        if self.slip(0.15):
            rows = rows[:1]
        self.attribute(declaration, lambda: tuples(rows), 0.1)

    def shape(self, kind):
        r = self.rng
        size = lambda: f(r.uniform(0.2, 3))  # noqa: E731
        if self.chance(0.15):
            self.extent()
        if kind in ("Cone", "Cylinder", "Capsule", "Plane", "Capsule_1", "Cylinder_1") and self.chance(0.6):
            self.put(f'uniform token axis = "{r.choice("XYZ")}"')
        fields = {"Sphere": ["radius"], "Cube": ["size"], "Cone": ["radius", "height"],
                  "Cylinder": ["radius", "height"], "Capsule": ["radius", "height"], "Plane": ["width", "length"],
                  "Capsule_1": ["radiusTop", "radiusBottom", "height"],
                  "Cylinder_1": ["radiusTop", "radiusBottom", "height"]}
        for field in fields.get(kind, []):
            if self.chance(0.75):
                self.attribute(f"double {field}", size, 0.25)
        lights = {"SphereLight": ["radius"], "RectLight": ["width", "height"], "DiskLight": ["radius"],
                  "CylinderLight": ["radius", "length"]}
        for field in lights.get(kind, []):
            if self.chance(0.75):
                self.attribute(f"float inputs:{field}", size, 0.2)
        if kind in ("Mesh", "Points", "BasisCurves", "NurbsPatch"):
            n = r.randint(0, 5)
            if self.chance(0.9):
                self.attribute("point3f[] points", lambda: tuples([self.vec(3) for _ in range(n)]), 0.3)
            if kind in ("Points", "BasisCurves") and self.chance(0.7):
                count = n if not self.slip() else n + 1
                self.attribute("float[] widths", lambda: numbers([r.random() for _ in range(count)]), 0.2)

    def instancer(self, path):
        r = self.rng
        n = r.randint(0, 5)
        protos = r.randint(1, 2)
        top = protos - 1 + self.slip(0.1)
        self.attribute("int[] protoIndices", lambda: numbers([r.randint(0, top) for _ in range(n)]), 0.1)
        times = sorted(r.sample([0, 1, 2, 3.5, 5], r.randint(1, 3)))

        def together(declaration, make, likely=0.6):
            if not self.chance(likely):
                return
            if self.chance(0.4):
                return self.put(f"{declaration} = {make()}")
            at = times if self.chance(0.8) else times[:1]
            self.put(f"{declaration}.timeSamples = {{")
            for t in at:
                self.put(f"    {t}: {make()},")
            self.put("}")
        count = n + self.slip(0.08)
        together("point3f[] positions", lambda: tuples([self.vec(5) for _ in range(count)]), 0.95)
        together("vector3f[] velocities", lambda: tuples([self.vec(30) for _ in range(n)]), 0.5)
        together("vector3f[] accelerations", lambda: tuples([self.vec(40) for _ in range(n)]), 0.3)
        together("float3[] scales", lambda: tuples([[r.uniform(0.5, 2) for _ in range(3)] for _ in range(n)]), 0.4)
        together("quath[] orientations", lambda: self.quats(n), 0.4)
        if self.chance(0.2):
            together("quatf[] orientationsf", lambda: self.quats(n), 0.8)
        together("vector3f[] angularVelocities", lambda: tuples([self.vec(400) for _ in range(n)]), 0.4)
        ids = list(range(n))
        if self.chance(0.3):
            ids = r.sample(range(10, 30), n)
            self.put(f"int64[] ids = {numbers(ids)}")
        if n and self.chance(0.4):
            self.attribute("int64[] invisibleIds", lambda: numbers(r.sample(ids + [99], r.randint(0, n))), 0.5)
        self.put("rel prototypes = [" + ", ".join(f"<{path}/p{i}>" for i in range(protos)) + "]")
        for i in range(protos):
            self.open(f'def {r.choice(["Sphere", "Cube", "Xform", "Cone"])} "p{i}"')
            self.transform()
            self.imageable()
            self.open('def Cube "c"')
            self.transform()
            self.close()
            self.close()

    def tree(self, path, depth, model):
        r = self.rng
        for i in range(r.choice([1, 2, 2, 3])):
            leaf = depth >= 3 or self.chance(0.45)
            kind = r.choice(SHAPES) if leaf else r.choice(["Xform", "Xform", "Scope", ""])
            name = f"n{i}"
            meta = []
            is_model = False
            if model and self.chance(0.5):
                what = r.choice(["group", "component", "assembly", "subcomponent"])
                meta.append(f'kind = "{what}"')
                is_model = what in ("group", "assembly")
                if self.chance(0.5):
                    meta.append('prepend apiSchemas = ["GeomModelAPI"]')
            elif self.chance(0.08):
                meta.append('kind = "subcomponent"')
            if self.chance(0.05):
                meta.append("active = false")
            if self.chance(0.15):
                meta.append("references = </_Lib>")
                if self.chance(0.6):
                    meta.append("instanceable = true")
            if kind == "PointInstancer" and n_inactive(self) and self.chance(0.3):
                meta.append(f"inactiveIds = {numbers(self.rng.sample(range(5), 2))}")
            self.open(f"{'def' if self.chance(0.95) else 'over'} {kind} \"{name}\"".replace("  ", " "), *meta)
            if kind not in ("Scope", ""):
                self.transform()
            self.imageable()
            self.primvars()
            if any("GeomModelAPI" in m for m in meta):
                self.put(f"float3[] extentsHint = {tuples([self.vec(9) for _ in range(2 * r.choice([1, 2, 3, 4]))])}")
            if kind == "PointInstancer":
                self.instancer(f"{path}/{name}")
            elif kind in SHAPES:
                self.shape(kind)
            if not leaf or self.chance(0.1):
                self.tree(f"{path}/{name}", depth + 1, is_model)
            self.close()

    def text(self):
        self.put("#usda 1.0")
        self.put(f"( endTimeCode = 5; startTimeCode = 0; timeCodesPerSecond = {self.rng.choice([24, 24, 30, 1])} )")
        self.put("")
        self.open('def Xform "_Lib"' if self.chance(0.5) else 'class Xform "_Lib"')
        self.transform()
        self.imageable()
        self.primvars()
        self.tree("/_Lib", 3, False)
        self.close()
        self.tree("", 0, True)
        return "\n".join(self.lines) + "\n"


def n_inactive(scene):
    return scene.broken or scene.chance(0.5)
