"""Random scenes of levels of detail as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import f, numbers, tokens, vector

MODES = ["inherited", "inherited", "noOverride", "indexedLOD", "indexedLOD", "noLOD", "allLOD"]


class LodScene(GeomScene):
    """A camera, heuristics, bounding volumes, and a tree of prims with levels of detail, some of them instanced."""

    def camera(self):
        r = self.rng
        self.open('def Camera "Camera"')
        if self.chance(0.2):
            self.transform()
        else:
            self.attribute("double3 xformOp:translate", lambda: vector([*self.vec(2, 2), r.uniform(2, 12)]), 0.5)
            self.put('uniform token[] xformOpOrder = ["xformOp:translate"]')
        if self.chance(0.3):
            self.put('token projection = "orthographic"')
        for name, low, high in (("horizontalAperture", 10, 60), ("verticalAperture", 10, 60), ("focalLength", 5, 40)):
            self.attribute(f"float {name}", lambda: f(r.uniform(low, high)), 0.2)
        self.put(f"float2 clippingRange = {vector([r.uniform(0.1, 2), r.uniform(5, 60)])}")
        self.close()

    def volumes(self):
        self.open('def Scope "Volumes"')
        for i, kind in enumerate(["Cube", "Sphere", "Mesh", "Points", "Xform", "Cone"]):
            self.open(f'def {kind} "v{i}"')
            self.transform()
            self.shape(kind)
            self.close()
        self.open('def Scope "Other"')
        self.put("rel more = </Volumes/v0>")
        self.close()
        self.close()

    def thresholds(self, falling):
        r = self.rng
        count = r.randint(0, 4)
        top = 0.6 if falling else 12
        found = sorted((r.uniform(0, top) for _ in range(count)), reverse=falling)
        blends = [x + (-1 if falling else 1) * r.uniform(0, top / 2) for x in found][:r.choice([0, count, count])]
        if self.slip():
            r.shuffle(found)
        if self.slip():
            r.shuffle(blends)
        return found, blends

    def heuristic(self, name):
        r = self.rng
        falling = self.chance(0.5)
        kind = "LODScreenSizeHeuristic" if falling else "LODDistanceHeuristic"
        self.open(f'def {"Scope" if self.slip(0.1) else kind} "{name}"')
        if self.chance(0.9):
            self.put(f'uniform token lod:domain = "{r.choice(["imaging", "imaging", "imaging", "physics"])}"')
        found, blends = self.thresholds(falling)
        numeric = "double[]" if self.slip(0.05) else "float[]"
        self.put(f"uniform {numeric} thresholds = {numbers(found)}")
        if self.chance(0.6):
            self.put(f"uniform float[] blendThresholds = {numbers(blends)}")
        if self.chance(0.5):
            targets = [f"</Volumes/v{r.randint(0, 5)}>" for _ in range(r.choice([1, 1, 2]))]
            targets += ["</Volumes/Other.more>"] * self.chance(0.1) + ["</Gone>", "</Volumes/v0.size>"] * self.slip(0.2)
            r.shuffle(targets)
            self.put(f"rel boundingVolume = [{', '.join(dict.fromkeys(targets))}]")
        if falling:
            words = ["projectedExtent", "projectedSphere"] + ["odd"] * self.slip()
            if self.chance(0.7):
                self.put(f'uniform token projectionMethod = "{r.choice(words)}"')
            if self.chance(0.6):
                self.extent()
        elif self.chance(0.7):
            kind = "double3" if self.slip(0.1) else "point3f"
            self.attribute(f"{kind} center", lambda: vector(self.vec(2)), 0.4)
        self.close()

    def overrides(self):
        r = self.rng
        words = MODES + ["odd", ""] * self.slip()
        if self.chance(0.8):
            kind = "string" if self.slip(0.05) else "token"
            self.attribute(f"{kind} lod:override:mode", lambda: f'"{r.choice(words)}"', 0.4)
        if self.chance(0.7):
            kind = "double" if self.slip(0.1) else "float"
            self.attribute(f"{kind} lod:override:index", lambda: f(r.uniform(-1, 4)), 0.4)

    def root(self):
        r = self.rng
        if self.chance(0.5):
            kind = "float" if self.slip(0.05) else "int"
            self.attribute(f"{kind} lod:default:index", lambda: str(r.randint(-1, 5)), 0.2)
        targets = [f"</Heuristics/h{i}>" for i in r.sample(range(6), r.choice([0, 1, 1, 2, 3]))]
        targets += ["</Gone>", "</Heuristics/h0.thresholds>"] * self.slip(0.2)
        self.put(f"rel lod:heuristics = [{', '.join(targets)}]")

    def tree(self, name, depth):
        r = self.rng
        asset = (self.names + [name])[0] == "Asset"
        is_root, overrides = self.chance(0.5), self.chance(0.2)
        schemas = ["LODRootAPI"] * is_root + ["LODOverrideAPI"] * overrides
        metadata = [f"prepend apiSchemas = {tokens(schemas)}"] if schemas else []
        if not asset and self.chance(0.2):
            metadata += ["references = </Asset>"] + ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.05):
            metadata.append("active = false")
        word = "class" if name == "Asset" or self.chance(0.03) else r.choice(["def"] * 9 + ["over"])
        self.open(f'{word} Xform "{name}"', *metadata)
        self.transform()
        if is_root:
            self.root()
        if overrides:
            self.overrides()
        for i in range(r.choice([0, 2, 3, 4]) if is_root else 0):
            self.put(f'{r.choice(["def", "def", "over", "class"])} "l{i}" {{ }}')
        for i in range(r.randint(0, 3) if depth else 0):
            self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.camera()
        self.volumes()
        self.open('def Scope "Heuristics"')
        for i in range(6):
            self.heuristic(f"h{i}")
        self.close()
        self.tree("Asset", 2)
        for i in range(2):
            self.tree(f"World{i}", 3)
        return "\n".join(self.lines) + "\n"
