"""Random scenes of models, instances and payloads as usda text; see random_imaging.py."""
from random_geom import GeomScene

KINDS = ["group", "group", "group", "assembly", "component", "component", "subcomponent", "model", "odd"]
TYPES = ["", "", "Xform", "Mesh", "Cube", "Scope", "Unknown"]
SPECIFIERS = ["def"] * 8 + ["over", "class"]


class StatisticsScene(GeomScene):
    """Trees of prims of all kinds, which refer to assets, some of them as instances."""

    def metadata(self, asset):
        r = self.rng
        found = []
        if self.chance(0.6):
            found.append(f'kind = "{r.choice(KINDS)}"')
        if self.chance(0.3):
            value = r.choice(['string name = "a"', 'string name = "b"', 'string name = ""', "int name = 3", 'string version = "1"',
                              'string name = "c"'])
            found.append(f"assetInfo = {{ {value} }}")
        if self.chance(0.06):
            found.append("active = false")
        if asset < 3 and self.chance(0.4):
            target = f"</Asset{r.randint(asset + 1, 3)}>" if self.chance(0.9) else "</Missing>"
            if self.chance(0.3):
                found.append(f"payload = @./other.usda@{target}")
            else:
                found.append(f"references = {target}")
            found += ["instanceable = true"] * self.chance(0.6)
        elif self.chance(0.1):
            found.append("instanceable = true")
        return found

    def tree(self, name, depth, asset):
        r = self.rng
        specifier = r.choice(SPECIFIERS) if self.names else r.choice(["def", "def", "def", "over", "class"])
        self.open(f'{specifier} {r.choice(TYPES)} "{name}"'.replace("  ", " "), *self.metadata(asset))
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1, asset)
        self.close()

    def assets(self):
        for i in range(4):
            self.tree(f"Asset{i}", 2, i)

    def text(self):
        self.put("#usda 1.0")
        if self.chance(0.3):
            self.put("( subLayers = [@./sub.usda@] )")
        self.assets()
        for i in range(3):
            self.tree(f"World{i}", 3, 0)
        return "\n".join(self.lines) + "\n"

    def layers(self):
        texts = {}
        for name in ("other.usda", "sub.usda"):
            self.lines = ["#usda 1.0"]
            self.assets()
            texts[name] = "\n".join(self.lines) + "\n"
        return texts
