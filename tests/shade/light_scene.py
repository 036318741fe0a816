"""Random scenes of lights and their links as usda text; see random_lights.py."""
from scene_text import SceneText

LIGHTS = ["SphereLight", "RectLight", "DomeLight", "DistantLight", "PortalLight", "PluginLight", "LightFilter", "PluginLightFilter"]
OTHERS = ["Xform", "Scope", "Mesh", "Mesh", ""]
KINDS = ["group", "group", "assembly", "component", "subcomponent"]
BEHAVIORS = ["consumeAndHalt", "consumeAndContinue", "ignore", "odd"]
EXPRESSIONS = ["//{isa:Mesh}", "/World//", "/World/p0 + /World/p1//", "//p1"]


class LightScene(SceneText):
    """A tree with lights, lists of lights, and collections that link them."""

    def target(self):
        # Which of several instances stands for all of them decides whether an asset's targets in these instances count.
        return self.rng.choice(self.prims if self.names[0] != "Asset" else ["/Asset", "/Asset/p0", "/Gone"])

    def paths(self, most):
        found = sorted({self.target() for _ in range(self.rng.randint(1, most))}, key=lambda path: self.rng.random())
        return "[" + ", ".join(f"<{path}>" for path in found) + "]"

    def link(self, name):
        r = self.rng
        prefix = f"collection:{name}"
        if self.chance(0.3):
            self.put(f"uniform bool {prefix}:includeRoot = {r.choice(['true', 'false'])}")
        if self.chance(0.3):
            self.put(f'uniform token {prefix}:expansionRule = "{r.choice(["expandPrims", "explicitOnly", "expandPrimsAndProperties", "odd"])}"')
        if self.chance(0.5):
            self.put(f"rel {prefix}:excludes = {self.paths(3)}")
        if self.chance(0.5):
            self.put(f"rel {prefix}:includes = {self.paths(3)}")
        if self.chance(0.15):
            self.put(f'uniform pathExpression {prefix}:membershipExpression = "{r.choice(EXPRESSIONS)}"')

    def light(self, kind):
        r = self.rng
        links = ["filterLink"] if "Filter" in kind else ["lightLink", "shadowLink"]
        for name in links:
            if self.chance(0.7):
                self.link(name)
        prefix = "lightFilter" if "Filter" in kind else "light"
        for context in ("", "ri:", "odd:"):
            if self.chance(0.25):
                self.put(f'token {context}{prefix}:shaderId = "{r.choice(["a", "b", ""])}"')
        if self.chance(0.3):
            self.put(f"rel light:filters = {self.paths(2)}")
        if kind == "DomeLight" and self.chance(0.4):
            self.put(f"rel portals = {self.paths(2)}")

    def prim(self, name, depth):
        r = self.rng
        is_light = self.chance(0.4)
        kind = r.choice(LIGHTS if is_light else OTHERS)
        metadata = []
        if self.chance(0.6):
            metadata.append(f'kind = "{r.choice(KINDS)}"')
        if kind == "Mesh" and self.chance(0.4):
            metadata.append(f'prepend apiSchemas = ["{r.choice(["MeshLightAPI", "LightAPI"])}"]')
            is_light = True
        if self.chance(0.08):
            metadata.append("active = false")
        instance = depth > 0 and self.chance(0.12)
        if instance:
            metadata += ["prepend references = </Asset>", f"instanceable = {r.choice(['true', 'true', 'false'])}"]
        specifier = r.choice(["def", "def", "def", "def", "over", "class"]) if depth else "def"
        self.open(f'{specifier} {kind} "{name}"'.replace("  ", " "), *metadata)
        if is_light:
            self.light(kind)
        if self.chance(0.3):
            self.put(f"rel lightList = {self.paths(3)}")
            self.put(f'token lightList:cacheBehavior = "{r.choice(BEHAVIORS)}"')
        if depth < 3 and not instance:
            for i in range(r.randint(0 if depth else 2, 3)):
                self.prim(f"p{i}", depth + 1)
        self.close()

    def text(self):
        self.prims = ["/World", "/Gone", "/Asset", "/Asset/p0"] + [f"/World/p{i}" for i in range(3)] + \
            [f"/World/p{i}/p{j}" for i in range(3) for j in range(3)]
        self.put("#usda 1.0")
        self.open('def Scope "Asset"', 'kind = "group"')
        self.prim("p0", 2)
        self.close()
        self.prim("World", 0)
        return "\n".join(self.lines) + "\n"
