"""Random scenes of subsets as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import numbers, tuples

GEOMS = ["Mesh", "Mesh", "Mesh", "TetMesh", "BasisCurves", "BasisCurves", "Points", "NurbsCurves", "Cube", "Xform"]
ELEMENTS = {"Mesh": ["face", "face", "point", "edge"], "TetMesh": ["face", "tetrahedron", "point"],
            "BasisCurves": ["segment", "segment", "point"]}


class SubsetsScene(GeomScene):
    """Prims with subsets in families of all types."""

    def topology(self, kind):
        r = self.rng
        n = r.randint(3, 6)
        rows = lambda width: tuples([[float(r.randrange(n)) for _ in range(width)]  # noqa: E731
                                     for _ in range(r.randint(0 if self.slip() else 1, 4))]).replace(".0", "")
        if kind in ELEMENTS or kind in ("Points", "NurbsCurves"):
            self.attribute("point3f[] points", lambda: tuples([self.vec(3) for _ in range(n)]), 0.2)
        if kind == "TetMesh":
            self.attribute("int4[] tetVertexIndices", lambda: rows(4), 0.2)
            self.attribute("int3[] surfaceFaceVertexIndices", lambda: rows(3), 0.2)
        if kind == "BasisCurves":
            self.put(f'uniform token type = "{r.choice(["linear", "cubic", "cubic"])}"')
            self.put(f'uniform token basis = "{r.choice(["bezier", "bspline", "catmullRom"])}"')
            self.put(f'uniform token wrap = "{r.choice(["nonperiodic", "periodic", "pinned"])}"')
            # Two curves at all times, for usd-core reads beyond the end for segments of curves that do not exist.
            counts = lambda: numbers([r.randint(4, 8) for _ in range(2)])  # noqa: E731
            self.put(f"int[] curveVertexCounts = {counts()}")
            if self.chance(0.2):
                times = sorted(r.sample([0, 2, 5], r.randint(1, 3)))
                self.put(f"int[] curveVertexCounts.timeSamples = {{ {', '.join(f'{t}: {counts()}' for t in times)} }}")
        if kind == "Mesh":
            # The samples of both arrays fit together, for usd-core reads beyond the end of the indices.
            counts = [r.choice([1, 2, 3, 3, 4]) for _ in range(r.randint(0 if self.slip() else 1, 4))]
            fewer = counts[:-1] if self.chance(0.3) else counts
            indices = lambda: numbers([r.randrange(n) for _ in range(sum(counts))])  # noqa: E731
            if self.chance(0.25):
                self.put(f"int[] faceVertexCounts.timeSamples = {{ 1: {numbers(counts)}, 4: {numbers(fewer)} }}")
                self.put(f"int[] faceVertexIndices.timeSamples = {{ 1: {indices()}, 4: {indices()} }}")
            else:
                self.put(f"int[] faceVertexCounts = {numbers(counts)}")
                self.put(f"int[] faceVertexIndices = {indices()}")
        return n

    def indices(self, element, most):
        r = self.rng
        top = most + (1 if self.slip() else 0)
        low = -1 if self.slip() else 0
        if element == "edge":
            count = 2 * r.randint(0, 3) + (1 if self.slip() else 0)
        elif element == "segment":
            pairs = [(r.randint(0, 1), r.randint(low, 3)) for _ in range(r.randint(0, 4))]
            if self.chance(0.5):
                pairs.sort()
            return numbers([x for pair in pairs for x in pair] + [0] * (1 if self.slip() else 0))
        else:
            count = r.randint(0, most)
            if self.chance(0.5) and count <= top:
                return numbers(r.sample(range(0, top), min(count, top)))
        return numbers([r.randint(low, max(top - 1, 0)) for _ in range(count)])

    def geom(self, number):
        r = self.rng
        kind = r.choice(GEOMS)
        self.open(f'def {kind} "g{number}"')
        n = self.topology(kind)
        for family in "ab":
            if self.chance(0.7):
                words = ["partition", "nonOverlapping", "unrestricted"] + ["odd", ""] * self.slip()
                self.put(f'uniform token subsetFamily:{family}:familyType = "{r.choice(words)}"')
        elements = ELEMENTS.get(kind, ["point"])
        chosen = {family: r.choice(elements) for family in ("a", "b", "")}
        for i in range(r.randint(0, 4)):
            family = r.choice(["a", "a", "b", ""])
            element = r.choice(["face", "point", "edge", "segment", "other"]) if self.slip() else chosen[family]
            most = {"face": 3, "tetrahedron": 3}.get(element, n)
            self.open(f'{"class" if self.slip(0.05) else "def"} GeomSubset "s{i}"')
            if element != "face" or self.chance(0.5):
                self.put(f'uniform token elementType = "{element}"')
            if family:
                self.put(f'uniform token familyName = "{family}"')
            self.attribute("int[] indices", lambda: self.indices(element, most), 0.3)
            self.close()
        self.close()

    def text(self):
        self.put("#usda 1.0")
        for number in range(4):
            self.geom(number)
        self.open('def "Two"', "references = </g0>", *["instanceable = true"] * self.chance(0.5))
        self.close()
        return "\n".join(self.lines) + "\n"
