"""Random scenes of moving points as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import TIMES, f, tuples


class PointsScene(GeomScene):
    """Point-based prims with velocities and accelerations, below prims that say how to blur their motion."""

    def array(self, name, count, times, likely):
        """Writes an array, most likely with samples at the times of the points."""
        r = self.rng
        if not self.chance(likely):
            return
        make = lambda: tuples([self.vec(9) for _ in range(count + (r.choice([-1, 1]) if self.slip(0.05) and count else 0))])  # noqa: E731
        if self.chance(0.15):
            return self.put(f"{name} = {make()}")
        at = sorted(r.sample(TIMES, r.randint(1, 3))) if self.chance(0.15) else times
        if not self.in_clips(name, make, at):
            self.samples(name, at, make)

    def points(self, kind):
        r = self.rng
        times = sorted(r.sample(TIMES, r.randint(1, 4)))
        n = r.randint(0, 4)
        self.array("point3f[] points", n, times, 0.95)
        self.array("vector3f[] velocities", n, times, 0.7)
        self.array("vector3f[] accelerations", n, times, 0.5)

    def motion(self):
        r = self.rng
        if self.chance(0.3):
            kind = "double" if self.slip() else "float"
            self.attribute(f"{kind} motion:blurScale", lambda: f(r.uniform(0, 2)), 0.4)
        if self.chance(0.3):
            self.attribute("int motion:nonlinearSampleCount", lambda: str(r.randint(1, 9)), 0.4)
        if self.chance(0.3):
            self.attribute("float motion:velocityScale", lambda: f(r.uniform(0, 2)), 0.4)

    def tree(self, name, depth):
        r = self.rng
        kind = r.choice(["Mesh", "Points", "BasisCurves", "Xform", ""])
        path = "/" + "/".join(self.names + [name])
        metadata = self.clips(path, 0.15)
        if not path.startswith("/Asset") and self.chance(0.25):
            metadata += [f"references = </Asset> (offset = {r.choice([0, 1, -2])}; scale = {r.choice([1, 2, 0.5, -1])})"]
            metadata += ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.4):
            metadata.append('prepend apiSchemas = ["MotionAPI"]')
        self.open(f'{"class" if name == "Asset" else "def"} {kind} "{name}"'.replace("  ", " "), *metadata)
        if kind not in ("Xform", ""):
            self.points(kind)
        self.motion()
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.put(f"( timeCodesPerSecond = {self.rng.choice([24, 1, 2, -2])} )")
        self.tree("Asset", 1)
        for i in range(2):
            self.tree(f"World{i}", 2)
        return "\n".join(self.lines) + "\n"
