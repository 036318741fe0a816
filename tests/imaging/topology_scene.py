"""Random scenes of meshes, tetrahedra and curves as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import TIMES, numbers, tuples

KINDS = ["Mesh", "Mesh", "TetMesh", "TetMesh", "BasisCurves", "BasisCurves", "HermiteCurves", "NurbsCurves", "NurbsPatch",
         "Points", "PointInstancer", "Cube"]


class TopologyScene(GeomScene):
    """Geometry whose counts and indices are right, mostly, below prims with value clips."""

    def array(self, declaration, make, wrong):
        """Writes an array; sometimes one of another type."""
        if self.slip(0.06):
            declaration, make = f"{wrong[0]} {declaration.split()[-1]}", lambda: wrong[1]
        self.attribute(declaration, make, 0.35)

    def points(self, n):
        r = self.rng
        count = lambda: n + (r.choice([-1, 1]) if self.slip() else 0)  # noqa: E731
        self.array("point3f[] points", lambda: tuples([self.vec(3) for _ in range(count())]), ("double[]", "[1, 2, 3]"))

    def tetrahedra(self):
        r = self.rng
        n = r.randint(4, 7)
        self.points(n)
        low, high = (-1 if self.slip(0.2) else 0), (n if self.slip(0.2) else n - 1)

        def tets():
            rows = [r.sample(range(n), 4) if self.chance(0.8) else [r.randint(low, high) for _ in range(4)]
                    for _ in range(r.choice([0, 1, 2, 3, 6, 12]))]
            return "[" + ", ".join("(" + ", ".join(map(str, row)) + ")" for row in rows) + "]"

        if self.chance(0.95):
            self.array("int4[] tetVertexIndices", tets, ("int3[]", "[(0, 1, 2)]"))
        if self.chance(0.4):
            word = r.choice(["leftHanded", "leftHanded", "rightHanded", "odd"])
            self.put(f'uniform {"string" if self.slip(0.1) else "token"} orientation = "{word}"')

    def mesh(self):
        r = self.rng
        n = r.randint(0, 5)
        self.points(n)
        counts = [r.choice([3, 3, 4, 5]) for _ in range(r.randint(0, 4))]
        if self.slip():
            counts += r.choice([[-3, 3], [-1], [0], [1000]])
        size = max(sum(counts), 0) + (r.choice([-1, 1]) if self.slip() else 0)
        if size > 100:
            size = 3
        index = lambda: r.randint(-1 if self.slip(0.05) else 0, n if self.slip(0.05) else max(n - 1, 0))  # noqa: E731
        if self.chance(0.95):
            self.array("int[] faceVertexCounts", lambda: numbers(counts), ("float[]", "[3, 4]"))
        if self.chance(0.95):
            self.array("int[] faceVertexIndices", lambda: numbers([index() for _ in range(max(size, 0))]), ("int64[]", "[0, 1, 2]"))

    def curves(self, kind):
        r = self.rng
        low = r.choice([-3, 0, 1]) if self.slip(0.4) else 4
        counts = lambda: numbers([r.randint(low, 9) for _ in range(r.randint(0, 3))])  # noqa: E731
        if self.chance(0.95):
            self.array("int[] curveVertexCounts", counts, ("float[]", "[4]"))
        self.points(r.randint(0, 3))
        if kind == "HermiteCurves" and self.chance(0.9):
            n = r.randint(0, 3)
            self.array("vector3f[] tangents", lambda: tuples([self.vec(1) for _ in range(n)]), ("float[]", "[1, 2]"))
        if kind != "BasisCurves":
            return
        for name, words in (("type", ["linear", "cubic", "cubic"]), ("basis", ["bezier", "bspline", "catmullRom"]),
                            ("wrap", ["nonperiodic", "periodic", "pinned"])):
            if not self.chance(0.8):
                continue
            word = lambda words=words: f'"{r.choice(words + ["odd", ""] * self.slip(0.3))}"'  # noqa: E731
            kind = "string" if name != "basis" and self.slip(0.06) else "token"
            if self.chance(0.15):  # samples of uniform attributes are read, too
                self.samples(f"uniform {kind} {name}", sorted(r.sample(TIMES, 2)), word)
            if self.chance(0.9):
                self.put(f"uniform {kind} {name} = {word()}")

    def geom(self, kind):
        r = self.rng
        if kind == "TetMesh":
            self.tetrahedra()
        elif kind == "Mesh":
            self.mesh()
        elif kind.endswith("Curves"):
            self.curves(kind)
        elif kind in ("Points", "NurbsPatch"):
            self.points(r.randint(0, 4))
        elif kind == "PointInstancer":
            self.array("int[] protoIndices", lambda: numbers([0] * r.randint(0, 3)), ("int64[]", "[0]"))
            if self.chance(0.5):
                self.put("int64[] invisibleIds = [0]")

    def tree(self, name, depth):
        r = self.rng
        path = "/" + "/".join(self.names + [name])
        metadata = self.clips(path, 0.2)
        if not path.startswith("/Asset") and self.chance(0.2):
            metadata += ["references = </Asset>"] + ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.05):
            metadata.append("active = false")
        kind = r.choice(KINDS)
        self.open(f'{"class" if name == "Asset" else "def"} {kind} "{name}"', *metadata)
        self.geom(kind)
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.tree("Asset", 1)
        for i in range(3):
            self.tree(f"World{i}", 2)
        return "\n".join(self.lines) + "\n"
