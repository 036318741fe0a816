"""Random scenes of purposes, visibilities and proxies as usda text; see random_imaging.py."""
from random_geom import GeomScene

PURPOSES = ["default", "render", "render", "render", "proxy", "proxy", "guide"]


class VisibilityScene(GeomScene):
    """A tree of prims, and an asset that is referenced at other times and instanced."""

    def visibility(self):
        r = self.rng
        words = ['"inherited"', '"invisible"'] + ['"visible"'] * self.slip()
        if self.chance(0.1):
            self.attribute("token visibility", lambda: r.choice(words), 0.4)
        words = ['"inherited"', '"invisible"', '"visible"'] + ['"odd"', '""'] * self.slip()
        for name in ("guideVisibility", "proxyVisibility", "renderVisibility"):
            if self.chance(0.3):
                kind = "string" if self.slip(0.05) else "token"
                self.attribute(f"{kind} {name}", lambda: r.choice(words), 0.3)

    def purpose(self, asset):
        r = self.rng
        if self.chance(0.35):
            word = r.choice(PURPOSES + ["", "odd"] * self.slip())
            self.put(f'uniform token purpose = "{word}"')
        if self.chance(0.35):
            targets = ["/Asset", "/Asset/p0", "/Asset/p1"] if asset else [
                "/World0", "/World0/p0", "/World1/p0/p0", "/World1/p1", "/Asset/p0", "/Proxies/a", "/Proxies/a", "/Proxies/b"]
            if self.slip():
                targets += ["/Gone", "/World0.x"]
            chosen = sorted({r.choice(targets) for _ in range(r.choice([1, 1, 1, 1, 2]))})
            if self.chance(0.15):
                self.put(f"rel other = [{', '.join(f'<{path}>' for path in chosen)}]")
                chosen = ["/" + "/".join(self.names) + ".other"]
            self.put(f"rel proxyPrim = [{', '.join(f'<{path}>' for path in chosen)}]")

    def tree(self, name, depth):
        r = self.rng
        kind = r.choice(["Xform", "Scope", "Mesh", "Xform", ""])
        path = "/" + "/".join(self.names + [name])
        asset = path.startswith("/Asset")
        metadata = self.clips(path, 0.05)
        if not asset and self.chance(0.25):
            metadata += [f"references = </Asset> (offset = {r.choice([0, 1, -2])}; scale = {r.choice([1, 2, 0.5])})"]
            metadata += ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.4):
            metadata.append('prepend apiSchemas = ["VisibilityAPI"]')
        word = "class" if name == "Asset" else "over" if self.chance(0.04) else "def"
        self.open(f'{word} {kind} "{name}"'.replace("  ", " "), *metadata)
        self.visibility()
        self.purpose(asset)
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.tree("Asset", 1)
        self.open('def Xform "Proxies"')
        self.put('uniform token purpose = "proxy"')
        for name in "ab":
            self.put(f'def Mesh "{name}" {{}}')
        self.close()
        for i in range(2):
            self.tree(f"World{i}", 3)
        return "\n".join(self.lines) + "\n"
