"""Random scenes of labels as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import tokens

TAXONOMIES = ["category", "z", "a:b", "other"]
WORDS = ["ball", "red", "Red", "a", "", "10", "round"]


class LabelsScene(GeomScene):
    """A tree of prims with labels, and one that is referenced and instanced."""

    def words(self):
        return tokens(self.rng.choice(WORDS) for _ in range(self.rng.randint(0, 4)))

    def labels(self, taxonomy):
        r = self.rng
        kind = r.choice(["string[]", "token", "int[]"]) if self.slip(0.05) else "token[]"
        if kind != "token[]":
            self.put(f"{kind} semantics:labels:{taxonomy}")
            return
        name = f"token[] semantics:labels:{taxonomy}"
        if self.chance(0.1):
            self.put(name + (" = None" if self.chance(0.5) else ""))
            return
        self.attribute(name, self.words, 0.5)

    def tree(self, name, depth):
        r = self.rng
        path = "/" + "/".join(self.names + [name])
        applied = [t for t in TAXONOMIES if self.chance(0.3)]
        r.shuffle(applied)
        metadata = self.clips(path, 0.05)
        schemas = [f"SemanticsLabelsAPI:{t}" for t in applied] + ["SemanticsLabelsAPI"] * self.slip(0.1)
        if schemas:
            metadata.append(f"prepend apiSchemas = {tokens(schemas)}")
        if not path.startswith("/Asset") and self.chance(0.2):
            metadata += ["references = </Asset>"] + ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.05):
            metadata.append("active = false")
        word = "class" if name == "Asset" else r.choice(["def", "def", "def", "over"])
        self.open(f'{word} "{name}"', *metadata)
        for taxonomy in TAXONOMIES:
            if self.chance(0.8 if taxonomy in applied else 0.1):
                self.labels(taxonomy)
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.tree("Asset", 1)
        for i in range(2):
            self.tree(f"World{i}", 3)
        return "\n".join(self.lines) + "\n"
