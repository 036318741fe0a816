"""Random scenes of point instancers with masks as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import numbers


class InstancerScene(GeomScene):
    """Point instancers whose instances have ids, and are hidden by them, at some times or always."""

    def masked(self, number):
        r = self.rng
        n = r.randint(0, 6)
        ids = r.sample(range(10, 30), n) if self.chance(0.5) else list(range(n))
        metadata = []
        if self.chance(0.5):
            edit = r.choice(["", "prepend ", "append ", "delete "])
            metadata.append(f"{edit}inactiveIds = {numbers(r.sample(ids + [99], r.randint(1, len(ids) + 1)))}")
        self.open(f'def PointInstancer "I{number}"', *metadata)
        self.attribute("int[] protoIndices", lambda: numbers([0] * (n + (r.choice([-1, 1]) if self.slip() and n else 0))), 0.2)
        if ids != list(range(n)) or self.chance(0.2):
            self.attribute("int64[] ids", lambda: numbers(ids[1:] if self.slip() else ids), 0.3)
        if self.chance(0.7):
            self.attribute("int64[] invisibleIds",
                           lambda: numbers(r.sample(ids + [99, -1], r.randint(0, len(ids)))), 0.6)
        self.instance_arrays(n)
        self.put(f"rel prototypes = </I{number}/p>")
        self.put('def Cube "p" {}')
        self.close()

    def text(self):
        self.put("#usda 1.0")
        for number in range(4):
            self.masked(number)
        return "\n".join(self.lines) + "\n"
