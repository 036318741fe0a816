"""Random scenes of transforms, bounds, primvars and instancers as usda text; see random_geometry.py."""
from scene_text import SceneText, TIMES, f, numbers, tokens, tuples, vector

REAL = ["double", "float", "half"]
REAL3 = ["double3", "float3", "half3"]
OPS = {"orient": (["quatf", "quatd", "quath"], 4), "transform": (["matrix4d"], 16),
       **{name: (REAL3, 3) for name in ("translate", "scale")},
       **{"rotate" + order: (REAL3, 3) for order in ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")},
       **{name + axis: (REAL, 1) for name in ("translate", "scale", "rotate") for axis in "XYZ"}}
SHAPES = ["Sphere", "Cube", "Cone", "Cylinder", "Capsule", "Plane", "Mesh", "Points", "BasisCurves", "NurbsCurves",
          "HermiteCurves", "NurbsPatch", "TetMesh", "Capsule_1", "Cylinder_1", "SphereLight", "RectLight", "DiskLight",
          "CylinderLight", "PortalLight", "DistantLight", "DomeLight", "Camera", "Volume", "GeomSubset"]
INSTANCERS = ["PointInstancer"] * 3
GROUPS = ["Xform", "Xform", "Xform", "Scope", "", "Unknown"]


class GeomScene(SceneText):
    """A tree of prims with everything that affects their transforms and bounds."""

    # ------------------------------------------------------------------ transforms
    def op_value(self, name, kind):
        if kind == "matrix4d":
            return self.matrix()
        n = OPS[name][1]
        if n == 4:
            return vector(self.unit_quat() if self.chance(0.8) else self.vec(1, 4))
        low, high = (0.4, 2) if "scale" in name else (-90, 90) if "rotate" in name else (-4, 4)
        items = [0.0 if self.slip(0.02) else self.rng.uniform(low, high) for _ in range(n)]
        return f(items[0]) if n == 1 else vector(items)

    def transform(self):
        r = self.rng
        if self.chance(0.25):
            return
        order, made = [], set()
        for _ in range(r.choice([1, 1, 2, 3, 4])):
            name = r.choice(list(OPS))
            attribute = f"xformOp:{name}{r.choice(['', '', ':a', ':b:c'])}"
            if attribute not in made:
                kind = r.choice(OPS[name][0])
                made.add(attribute)
                if self.slip(0.03):
                    self.put(f"{kind} {attribute}")  # no value
                else:
                    self.attribute(f"{kind} {attribute}", lambda: self.op_value(name, kind), 0.3)
                order.append(attribute)
            elif self.chance(0.7):
                order.append("!invert!" + attribute)
        if self.chance(0.3):  # a pivot
            self.put(f"float3 xformOp:translate:pivot = {vector(self.vec(3))}")
            order = ["xformOp:translate:pivot"] + order + ["!invert!xformOp:translate:pivot"]
        if made and self.chance(0.15):
            order.append("!invert!" + r.choice(sorted(made)))
        for p in (0.12, 0.02):
            if self.chance(p):
                order.insert(r.randint(0, len(order)), "!resetXformStack!")
        if self.slip(0.15):
            order.insert(r.randint(0, len(order)), r.choice(
                ["xformOp:translate:gone", "xformOp:translate:"]))
        if made and self.slip(0.08):
            order.append(r.choice(sorted(made)))  # listed twice
        if self.chance(0.95):
            self.put(f"uniform token[] xformOpOrder = {tokens(order)}")

    # ------------------------------------------------------------------ inherited attributes
    def imageable(self):
        r = self.rng
        if self.chance(0.2):
            words = ['"inherited"', '"invisible"'] + ['"visible"'] * self.slip()
            self.attribute("token visibility", lambda: r.choice(words), 0.4)
        if self.chance(0.3):
            words = ["default", "render", "proxy", "guide"] + ["other"] * self.slip()
            self.put(f'uniform token purpose = "{r.choice(words)}"')

    def primvars(self):
        r = self.rng
        for name in ["a", "b", "n:c", "d"]:
            if not self.chance(0.3):
                continue
            words = ["constant", "constant", "uniform", "vertex", "varying", "faceVarying", None]
            interpolation = r.choice(words + ["other"] * self.slip())
            size = r.choice([1, 1, 2])
            meta = [f'interpolation = "{interpolation}"'] if interpolation else []
            if size > 1:
                meta.append(f"elementSize = {size}")
            if self.chance(0.1):
                meta.append("unauthoredValuesIndex = 0")
            meta = "; ".join(meta)
            # One type per name, since opinions of conflicting types are tested elsewhere.
            kind, make = {"a": ("float[]", lambda: numbers([r.random() for _ in range(3 * size)])),
                          "b": ("color3f[]", lambda: tuples([self.vec(1) for _ in range(3 * size)])),
                          "n:c": ("string[]", lambda: tokens(["x", "y", "z"])),
                          "d": ("double", lambda: f(r.random()))}[name]
            if self.chance(0.1):
                self.put(f"{kind} primvars:{name} = None" + (f" ({meta})" if meta else ""))
                continue
            if self.chance(0.05):
                self.put(f"{kind} primvars:{name}" + (f" ({meta})" if meta else ""))
                continue
            self.attribute(f"{kind} primvars:{name}", make, 0.2, meta)
            if self.chance(0.4):
                top = 4 if self.slip(0.2) else 2
                low = -1 if self.slip(0.1) else 0
                self.attribute(f"int[] primvars:{name}:indices",
                               lambda: numbers([r.randint(low, top) for _ in range(4)]), 0.2)

    # ------------------------------------------------------------------ shapes
    def extent(self, declaration="float3[] extent"):
        a = [self.vec(3) for _ in range(2)]
        rows = [[min(p) for p in zip(*a)], [max(p) for p in zip(*a)]]
        if self.slip(0.15):
            rows = self.rng.choice([rows[:1], rows[::-1], rows + rows[:1], []])
        self.attribute(declaration, lambda: tuples(rows), 0.1)

    def shape(self, kind):
        r = self.rng
        size = lambda: f(0 if self.slip(0.05) else r.uniform(0.2, 3))  # noqa: E731
        if self.chance(0.15):
            self.extent()
        if kind in ("Cone", "Cylinder", "Capsule", "Plane", "Capsule_1", "Cylinder_1") and self.chance(0.6):
            self.put(f'uniform token axis = "{r.choice("XYZ" + "W" * self.slip())}"')
        tapered = ["radiusTop", "radiusBottom", "height"]
        fields = {"Sphere": ["radius"], "Cube": ["size"], "Cone": ["radius", "height"],
                  "Cylinder": ["radius", "height"], "Capsule": ["radius", "height"], "Plane": ["width", "length"],
                  "Capsule_1": tapered, "Cylinder_1": tapered}
        for field in fields.get(kind, []):
            if self.chance(0.75):
                self.attribute(f"double {field}", size, 0.25)
        if kind == "Plane" and self.chance(0.2):
            self.put("bool doubleSided = 0")
        lights = {"SphereLight": ["radius"], "RectLight": ["width", "height"], "DiskLight": ["radius"],
                  "CylinderLight": ["radius", "length"], "PortalLight": ["width", "height"]}
        for field in lights.get(kind, []):
            if self.chance(0.75):
                self.attribute(f"float inputs:{field}", size, 0.2)
        if kind in ("Mesh", "Points", "NurbsPatch", "TetMesh") or kind.endswith("Curves"):
            self.points(kind)

    def points(self, kind):
        r = self.rng
        n = r.randint(0, 5)
        if self.chance(0.9):
            self.attribute("point3f[] points", lambda: tuples([self.vec(3) for _ in range(n)]), 0.3)
        if (kind == "Points" or kind.endswith("Curves")) and self.chance(0.7):
            count = n + 1 if self.slip() else r.choice([n, n, 1, 0])
            name = r.choice(["widths", "widths", "widths", "primvars:widths"])
            meta = r.choice(["", "", 'interpolation = "constant"', 'interpolation = "vertex"'])
            self.attribute(f"float[] {name}", lambda: numbers([r.random() for _ in range(count)]), 0.2, meta)
        if self.chance(0.2):
            self.attribute("vector3f[] velocities", lambda: tuples([self.vec(9) for _ in range(n)]), 0.4)

    # ------------------------------------------------------------------ instancers
    def instance_arrays(self, n):
        """Writes arrays for n instances, most of them with samples at the same times."""
        r = self.rng
        times = sorted(r.sample(TIMES, r.randint(1, 3)))

        def together(declaration, make, likely):
            if not self.chance(likely):
                return
            if self.chance(0.3):
                return self.put(f"{declaration} = {make()}")
            at = times
            if self.chance(0.2):
                at = times[:1] if self.chance(0.5) else sorted(r.sample(TIMES, r.randint(1, 3)))
            if not self.in_clips(declaration, make, at):
                self.samples(declaration, at, make)
        count = n + self.slip(0.06)
        rates = n + self.slip(0.05)
        together("point3f[] positions", lambda: tuples([self.vec(5) for _ in range(count)]), 0.97)
        together("vector3f[] velocities", lambda: tuples([self.vec(30) for _ in range(rates)]), 0.5)
        together("vector3f[] accelerations", lambda: tuples([self.vec(40) for _ in range(rates)]), 0.3)
        together("float3[] scales", lambda: tuples([[r.uniform(0.5, 2) for _ in range(3)] for _ in range(rates)]), 0.4)
        together("quath[] orientations", lambda: self.quats(n), 0.4)
        if self.chance(0.2):
            together("quatf[] orientationsf", lambda: self.quats(rates), 0.8)
        together("vector3f[] angularVelocities", lambda: tuples([self.vec(400) for _ in range(rates)]), 0.4)

    def instancer(self, path, depth):
        r = self.rng
        n = r.randint(0, 5)
        names = [f"p{i}" for i in range(r.randint(1, 2))]
        top = len(names) - 1 + self.slip(0.06)
        if self.chance(0.1):
            self.extent()
        self.attribute("int[] protoIndices", lambda: numbers([r.randint(0, top) for _ in range(n)]), 0.1)
        self.instance_arrays(n)
        ids = list(range(n))
        if self.chance(0.3):
            ids = r.sample(range(10, 30), n)
            if self.slip(0.1):
                ids = ids[1:]
            self.put(f"int64[] ids = {numbers(ids)}")
        if n and self.chance(0.4):
            self.attribute("int64[] invisibleIds",
                           lambda: numbers(r.sample(ids + [99], r.randint(0, len(ids)))), 0.5)
        targets = [f"<{path}/{name}>" for name in names]
        if not path.startswith("/_Lib") and self.chance(0.1):
            targets[0] = "</_Lib>"
        if self.slip(0.08):
            targets[0] = f"<{path}/gone>"
        self.put("rel prototypes = [" + ", ".join(targets) + "]")
        for name in names:
            self.prototype(path, name, depth)

    def prototype(self, path, name, depth):
        kind = self.rng.choice(["Sphere", "Cube", "Xform", "Cone", "Points", "", "PointInstancer"])
        if depth > 1 and kind == "PointInstancer":
            kind = "Xform"
        what = self.rng.choice(["over", "class"]) if self.slip(0.05) else "def"
        meta = ["active = false"] if self.slip(0.05) else []
        if kind == "Xform" and self.chance(0.3):
            meta += ["references = </_Lib>"] + ["instanceable = true"] * self.chance(0.6)
        self.open(f'{what} {kind} "{name}"'.replace("  ", " "), *meta)
        self.transform()
        self.imageable()
        if kind == "PointInstancer":
            self.instancer(f"{path}/{name}", depth + 1)
        elif kind:
            self.shape(kind)
        self.open('def Cube "c"')
        self.transform()
        self.imageable()
        self.close()
        self.close()

    # ------------------------------------------------------------------ the tree
    def metadata(self, kind, model):
        """The metadata of a prim in the tree, and whether it may contain models."""
        r = self.rng
        meta = []
        is_group = False
        if model and self.chance(0.5):
            what = r.choice(["group", "component", "assembly", "subcomponent"])
            meta.append(f'kind = "{what}"')
            is_group = what in ("group", "assembly")
            if self.chance(0.5):
                meta.append('prepend apiSchemas = ["GeomModelAPI"]')
        elif self.chance(0.08):
            meta.append('kind = "subcomponent"')
        if self.chance(0.05):
            meta.append("active = false")
        if self.chance(0.15):
            meta.append(f"{r.choice(['references', 'references', 'payload'])} = </_Lib>")
            if self.chance(0.6):
                meta.append("instanceable = true")
        if kind == "PointInstancer" and self.chance(0.2):
            edit = r.choice(["", "prepend ", "delete "])
            meta.append(f"{edit}inactiveIds = {numbers(r.sample(range(5), 2))}")
        return meta, is_group

    def tree(self, path, depth, model):
        r = self.rng
        for i in range(r.choice([1, 2, 2, 3])):
            leaf = depth >= 3 or self.chance(0.45)
            kind = r.choice(SHAPES + INSTANCERS) if leaf else r.choice(GROUPS)
            name = f"n{i}"
            meta, is_group = self.metadata(kind, model)
            meta += self.clips(f"{path}/{name}", 0.06)
            self.open(f"{'def' if self.chance(0.95) else 'over'} {kind} \"{name}\"".replace("  ", " "), *meta)
            if kind not in ("Scope", "", "GeomSubset"):
                self.transform()
            self.imageable()
            self.primvars()
            if any("GeomModelAPI" in m for m in meta):
                self.attribute("float3[] extentsHint",
                               lambda: tuples([self.vec(9) for _ in range(2 * r.choice([1, 2, 3, 4]))]), 0.2)
            if kind == "PointInstancer":
                self.instancer(f"{path}/{name}", 0)
            elif leaf:
                self.shape(kind)
            if not leaf or self.chance(0.1):
                self.tree(f"{path}/{name}", depth + 1, is_group)
            self.close()

    def text(self):
        self.put("#usda 1.0")
        self.put(f"( endTimeCode = 5; startTimeCode = 0; timeCodesPerSecond = {self.rng.choice([24, 24, 30, 1])} )")
        self.put("")
        self.open('def Xform "_Lib"' if self.chance(0.5) else 'class Xform "_Lib"', *self.clips("/_Lib", 0.1))
        self.transform()
        self.imageable()
        self.primvars()
        self.tree("/_Lib", 3, False)
        self.close()
        self.tree("", 0, True)
        return "\n".join(self.lines) + "\n"
