"""Random scenes of cameras as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import f, tuples, vector

# usd-core's Python returns values of other types of these, which nothing is computed of.
PLAIN = ("shutter:open", "shutter:close", "exposure")
ODD_TYPES = {"float": "double", "double": "float", "token": "string", "float2": "double2"}


class CameraScene(GeomScene):
    """A tree of prims with cameras, and an asset that is referenced at other times and instanced."""

    def number(self, low, high, odd=(0.0,)):
        return lambda: f(self.rng.choice(odd) if self.slip(0.1) else self.rng.uniform(low, high))

    def maybe(self, declaration, make, likely=0.4):
        """Writes an attribute, in broken scenes sometimes with another type than that of its schema."""
        if not self.chance(likely):
            return
        kind, name = declaration.split()
        if self.slip(0.05) and kind in ODD_TYPES and name not in PLAIN:
            kind = ODD_TYPES[kind]
        self.attribute(f"{kind} {name}", make, 0.4)

    def lens(self):
        r = self.rng
        words = ['"perspective"', '"orthographic"'] + ['"fisheye"', '""'] * self.slip()
        self.maybe("token projection", lambda: r.choice(words))
        self.maybe("float focalLength", self.number(8, 200, (0.0, -35.0, 1e-4)), 0.6)
        self.maybe("float horizontalAperture", self.number(5, 40, (0.0, -20.0)), 0.6)
        self.maybe("float verticalAperture", self.number(5, 40, (0.0, -20.0)), 0.6)
        self.maybe("float horizontalApertureOffset", self.number(-5, 5))
        self.maybe("float verticalApertureOffset", self.number(-5, 5))
        self.maybe("float fStop", self.number(0, 22))
        self.maybe("float focusDistance", self.number(0, 100, (-1.0,)))

    def camera(self):
        r = self.rng
        self.lens()
        self.maybe("float2 clippingRange", lambda: vector(
            [5.0, 5.0] if self.slip() else [r.uniform(0.01, 10), r.uniform(11, 1e5)]))
        self.maybe("float4[] clippingPlanes", lambda: tuples([self.vec(2, 4) for _ in range(r.randint(0, 3))]), 0.3)
        self.maybe("double shutter:open", self.number(-1, 0))
        self.maybe("double shutter:close", self.number(0, 1))
        self.maybe("float exposure", self.number(-4, 4))
        self.maybe("float exposure:time", self.number(0.001, 1))
        self.maybe("float exposure:iso", self.number(50, 3200))
        self.maybe("float exposure:fStop", self.number(0.7, 22))
        self.maybe("float exposure:responsivity", self.number(0.1, 2))
        if self.chance(0.3):
            self.put(f'uniform token stereoRole = "{r.choice(["mono", "left", "right"] + ["both"] * self.slip())}"')

    def tree(self, name, depth):
        r = self.rng
        kind = r.choice(["Camera", "Camera", "Xform", "Scope", ""])
        path = "/" + "/".join(self.names + [name])
        metadata = self.clips(path, 0.1)
        if kind != "Camera" and name != "Asset" and not path.startswith("/Asset") and self.chance(0.3):
            metadata += [f"references = </Asset> (offset = {r.choice([0, 1, -2])}; scale = {r.choice([1, 2, 0.5, -1])})"]
            metadata += ["instanceable = true"] * self.chance(0.5)
        self.open(f'{"class" if name == "Asset" else "def"} {kind} "{name}"'.replace("  ", " "), *metadata)
        self.transform()
        if kind == "Camera":
            self.camera()
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.tree("Asset", 1)
        for i in range(self.rng.randint(1, 3)):
            self.tree(f"World{i}", 2)
        return "\n".join(self.lines) + "\n"
