"""Random scenes of materials and their bindings as usda text; see random_shade.py."""
from scene_text import SceneText

PURPOSES = ["", "", "full", "preview", "physics", "odd"]
STRENGTHS = ["weakerThanDescendants", "strongerThanDescendants", "strongerThanDescendants", "odd"]
GEOMETRY = ["Xform", "Scope", "Mesh", "Sphere", "GeomSubset", ""]


class BindingScene(SceneText):
    """A tree of prims with direct bindings and bindings of collections, and an asset that is instanced."""

    def __init__(self, seed):
        super().__init__(seed)
        self.count = 0

    def material(self, asset):
        """The path of a material, or in broken scenes that of something else."""
        here = ["/Asset/Looks/m0", "/Asset/Looks/m1"] if asset else [f"/Looks/m{i}" for i in range(4)]
        wrong = ["/Gone", "/Looks/scope", "/World.odd", "/World"] if self.slip(0.25) else []
        return self.rng.choice(wrong or here)

    def target(self, asset):
        """The path of a prim for a collection to include."""
        return self.rng.choice(self.asset_prims if asset else self.prims)

    def relationship(self, name, targets, metadata=""):
        targets = sorted(set(targets), key=targets.index)
        edit = self.rng.choice(["", "", "prepend ", "append "]) if targets else ""
        custom = "custom " if self.slip() else ""
        text = "[" + ", ".join(f"<{path}>" for path in targets) + "]" if len(targets) != 1 else f"<{targets[0]}>"
        if metadata and edit:
            self.put(f"{custom}rel {name}{metadata}")
            metadata = ""
        self.put(f"{edit}{'' if edit else custom}rel {name} = {text}{metadata}")

    def strength(self):
        return f' (bindMaterialAs = "{self.rng.choice(STRENGTHS)}")' if self.chance(0.4) else ""

    def direct(self, asset):
        purpose = self.rng.choice(PURPOSES)
        name = "material:binding" + (":" + purpose if purpose else "")
        if name in self.direct_names:
            return
        self.direct_names.add(name)
        targets = [self.material(asset)]
        if self.slip(0.15):
            targets = self.rng.choice([[], targets + [self.material(asset)]])
        if self.chance(0.15):  # forwarded by another relationship
            self.relationship(f"forward{self.count}", targets)
            targets = [f"{self.path()}.forward{self.count}"]
            self.count += 1
        self.relationship(name, targets, self.strength())

    def collection(self, asset, owner):
        r = self.rng
        name = f"c{self.count}"
        self.count += 1
        self.declared.append(f"CollectionAPI:{name}")
        lines = []
        if self.chance(0.3):
            lines.append(f'uniform token collection:{name}:expansionRule = '
                         f'"{r.choice(["expandPrims", "explicitOnly", "expandPrimsAndProperties"])}"')
        if self.chance(0.2) and not asset:
            pattern = r.choice(["//{isa:Mesh}", "/World//p1", "/World/* + /World/p0//", "//p2 - /World//", "%:other"])
            lines.append(f'uniform pathExpression collection:{name}:membershipExpression = "{pattern}"')
        else:
            included = sorted({self.target(asset) for _ in range(r.randint(1, 3))})
            lines.append(f"rel collection:{name}:includes = [{', '.join(f'<{p}>' for p in included)}]")
            if self.chance(0.3):
                lines.append(f"rel collection:{name}:excludes = <{self.target(asset)}>")
        purpose = r.choice(PURPOSES)
        binding = "material:binding:collection:" + (purpose + ":" if purpose else "") + r.choice("zyxw") + str(self.count)
        if self.slip(0.1):
            binding += ":more"
        targets = [f"{owner}.collection:{name}", self.material(asset)]
        if self.slip(0.2):
            targets = r.choice([targets[:1], targets[1:], targets + ["/Looks/m0"], [f"{owner}.collection:none", "/Looks/m1"],
                                [f"{owner}.other", "/Looks/m1"], ["/Gone.collection:a", "/Looks/m0"]])
        r.shuffle(targets)
        return lines, binding, targets

    def path(self):
        return "/" + "/".join(self.names)

    def prim(self, name, depth, asset=False):
        r = self.rng
        path = self.path() if self.names else ""
        path = f"{path}/{name}".replace("//", "/")
        self.declared = []
        collections = [self.collection(asset, path) for _ in range(r.choice([0, 0, 0, 1, 2]))]
        apis = list(self.declared) if not self.slip(0.3) else []
        if self.chance(0.7):
            apis.insert(0, "MaterialBindingAPI")
        metadata = [f"prepend apiSchemas = [{', '.join(chr(34) + a + chr(34) for a in apis)}]"] if apis else []
        instance = not asset and depth > 0 and self.chance(0.15)
        if instance:
            metadata += ["prepend references = </Asset>", f"instanceable = {r.choice(['true', 'true', 'false'])}"]
        self.open(f'{r.choice(["def", "def", "def", "over"]) if depth else "def"} {r.choice(GEOMETRY)} "{name}"'.replace("  ", " "),
                  *metadata)
        for lines, binding, targets in collections:
            for line in lines:
                self.put(line)
            self.relationship(binding, targets, self.strength())
        self.direct_names = set()
        for _ in range(r.choice([0, 0, 1, 1, 2])):
            self.direct(asset)
        if self.chance(0.1):
            names = ["material:binding:collection:z1", "material:binding:collection:w2", "material:binding"]
            self.put(f"reorder properties = [{', '.join(chr(34) + n + chr(34) for n in names)}]")
        if depth < 3 and not instance:
            for i in range(r.randint(0 if depth else 2, 3)):
                self.prim(f"p{i}", depth + 1, asset)
        self.close()

    def text(self):
        self.prims = ["/World"] + [f"/World/p{i}" for i in range(3)] + [f"/World/p{i}/p{j}" for i in range(3) for j in range(2)]
        self.asset_prims = ["/Asset", "/Asset/p0", "/Asset/p1", "/Asset/p0/p0"]
        self.put("#usda 1.0")
        self.open('def Scope "Looks"')
        for i in range(4):
            self.put(f'def Material "m{i}" {{}}')
        self.put('def Scope "scope" {}')
        self.close()
        self.open('class Xform "Asset"')
        self.open('def Scope "Looks"')
        self.put('def Material "m0" {}')
        self.put('def Material "m1" {}')
        self.close()
        self.prim("p0", 2, asset=True)
        self.prim("p1", 3, asset=True)
        self.close()
        self.prim("World", 0)
        return "\n".join(self.lines) + "\n"
