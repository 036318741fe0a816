"""Random scenes of model hierarchies as usda text; see random_imaging.py."""
from random_geom import GeomScene

KINDS = ["group", "group", "assembly", "component", "subcomponent", ""]
MODES = ["default", "origin", "bounds", "cards", "inherited"]


class ModelsScene(GeomScene):
    """A tree of models with draw modes and constraint targets, and one that is referenced and instanced."""

    def model(self):
        r = self.rng
        if self.chance(0.5):
            kind = "string" if self.slip(0.1) else "token"
            words = MODES + ["odd", ""] * self.slip()
            if self.slip(0.1):
                self.attribute(f"{kind} model:drawMode", lambda: f'"{r.choice(words)}"', 0.5)
            else:
                self.put(f'uniform {kind} model:drawMode = "{r.choice(words)}"')
        for name in ("a", "b", "c:d"):
            if self.chance(0.3):
                kind = "matrix4f" if self.slip(0.05) else "double" if self.slip(0.05) else "matrix4d"
                if kind != "matrix4d":
                    self.put(f"{kind} constraintTargets:{name}")
                    continue
                metadata = 'constraintTargetIdentifier = "id"' if self.chance(0.3) else ""
                self.attribute(f"{kind} constraintTargets:{name}", self.matrix, 0.4, metadata)

    def tree(self, name, depth):
        r = self.rng
        path = "/" + "/".join(self.names + [name])
        asset = path.startswith("/Asset")
        metadata = self.clips(path, 0.05)
        kind = r.choice(KINDS)
        if kind:
            metadata.append(f'kind = "{kind}"')
        if self.chance(0.4):
            metadata.append('prepend apiSchemas = ["GeomModelAPI"]')
        if not asset and self.chance(0.2):
            metadata += ["references = </Asset>"] + ["instanceable = true"] * self.chance(0.5)
        self.open(f'{"class" if name == "Asset" else "def"} Xform "{name}"', *metadata)
        self.transform()
        self.model()
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
