"""Random scenes of render settings and passes as usda text; see random_imaging.py."""
from scene_text import SceneText, f, vector

POLICIES = ["expandAperture", "cropAperture", "adjustApertureWidth", "adjustApertureHeight", "adjustPixelAspectRatio"]
SETTINGS = {"ri:samples": ("int", ["1", "2"]), "ri:deep:name": ("string", ['"a"', '"b"']),
            "odd:weight": ("float", ["0.5", "1"]), "karma:on": ("bool", ["0", "1"]), "plain": ("int", ["7"]),
            "outputs:plain": ("int", ["3"]), "outputs:odd:out": ("token", ['"x"'])}


class RenderScene(SceneText):
    """An asset with all kinds of prims for renders, which is referenced, instanced, and targeted from outside."""

    NAMES = {"Cam": "Camera", "Set": "RenderSettings", "Prod": "RenderProduct", "Var": "RenderVar",
             "Pass": "RenderPass", "Geo": "Mesh", "Node": "Shader", "Graph": "NodeGraph", "Fwd": "Scope"}

    def name(self, *kinds):
        """The name of a prim of one of these kinds, in broken scenes sometimes of another."""
        kind = self.rng.choice(list(self.NAMES) if self.slip(0.08) else kinds)
        return f"{kind}{self.rng.randint(0, 3 if self.slip(0.05) else 2)}"

    def target(self, *kinds):
        root = "/" + (self.rng.choice(["Asset", "Ref", "Inst"]) if self.chance(0.15) else self.names[0])
        if self.slip(0.05):
            return f"<{root}/{self.name(*kinds)}.size>"
        return f"<{root}/{self.name(*kinds)}>"

    def relationship(self, name, *kinds, likely=0.6, most=3):
        if not self.chance(likely):
            return
        targets = [self.target(*kinds) for _ in range(self.rng.randint(1, most))]
        if self.chance(0.15):
            targets.insert(0, f"</{self.names[0]}/Fwd{self.rng.randint(0, 2)}.to:{kinds[0]}>")
        edit = self.rng.choice(["", "", "append ", "prepend "])
        if self.chance(0.05):
            edit, targets = "", []
        self.put(f"{edit}rel {name} = [{', '.join(dict.fromkeys(targets))}]")

    def maybe(self, declaration, *values, likely=0.4):
        if self.chance(likely):
            self.attribute(declaration, lambda: self.rng.choice(values), 0.15)

    def base(self):
        r = self.rng
        self.relationship("camera", "Cam", likely=0.5, most=2)
        size = [str(r.choice([100, 200, 50, 1920] + [0, -5] * self.slip())) for _ in range(2)]
        self.maybe("uniform int2 resolution", f"({', '.join(size)})")
        self.maybe("uniform float pixelAspectRatio", f(r.uniform(0.3, 3)), *["0", "-1"] * self.slip(), likely=0.3)
        self.maybe("uniform token aspectRatioConformPolicy", *[f'"{p}"' for p in POLICIES + ["odd"] * self.slip()])
        self.maybe("uniform float4 dataWindowNDC", vector([r.uniform(-1, 1) for _ in range(4)]), likely=0.2)
        for name in ("disableMotionBlur", "instantaneousShutter", "disableDepthOfField"):
            self.maybe(f"uniform bool {name}", "0", "1", likely=0.3)

    def extras(self):
        """Settings that the schemas do not know."""
        for name, (kind, values) in SETTINGS.items():
            self.maybe(f"{kind} {name}", *values, likely=0.15)
        if self.chance(0.2):
            ends = [f"</{self.names[0]}/{self.name('Node', 'Graph')}.{e}>" for e in ("outputs:o", "outputs:p", "inputs:i")]
            self.put(f"token outputs:ri:display.connect = [{', '.join(self.rng.sample(ends, self.rng.randint(1, 3)))}]")
        self.relationship("ri:friends", "Geo", "Cam", likely=0.15)

    def node(self, kind):
        for name in ("inputs:i", "outputs:o", "outputs:p"):
            if self.chance(0.3):
                self.put(f'token {name} = "v"')
            else:
                self.put(f"token {name}")
            if self.chance(0.3):
                end = self.rng.choice(["inputs:i", "outputs:o", "outputs:p"])
                self.put(f"token {name}.connect = </{self.names[0]}/{self.name('Node', 'Graph')}.{end}>")

    def collections(self):
        for name in ("renderVisibility", "cameraVisibility", "prune", "matte"):
            prefix = f"collection:{name}"
            self.relationship(f"{prefix}:includes", "Geo", "Cam", "Fwd", likely=0.3)
            self.relationship(f"{prefix}:excludes", "Geo", "Cam", "Set", likely=0.3)
            self.maybe(f"uniform bool {prefix}:includeRoot", "0", "1", likely=0.2)
            self.maybe(f"uniform token {prefix}:expansionRule", '"explicitOnly"', '"expandPrims"', likely=0.15)
            self.maybe(f"uniform pathExpression {prefix}:membershipExpression", '"//Geo*"', '"//{isa:Camera}"', likely=0.15)

    def body(self, kind):
        r = self.rng
        if kind == "Cam":
            sizes = [f(r.uniform(5, 40))] + ["0", "-3"] * self.slip(0.3)
            self.maybe("float horizontalAperture", *sizes, likely=0.7)
            self.maybe("float verticalAperture", *sizes, likely=0.7)
        elif kind == "Set":
            self.base()
            self.relationship("products", "Prod", likely=0.9, most=4)
            self.maybe("uniform token[] includedPurposes", '["default"]', '["proxy", "guide"]', "[]")
            self.maybe("uniform token[] materialBindingPurposes", '["full"]', '["preview", ""]')
            self.maybe("uniform token renderingColorSpace", '"acescg"', '"raw"')
        elif kind == "Prod":
            self.base()
            self.relationship("orderedVars", "Var", likely=0.8, most=4)
            self.maybe("uniform token productType", '"deepRaster"', '"raster"')
            self.maybe("token productName", '"a.exr"', '"b.exr"')
        elif kind == "Var":
            self.maybe("uniform token dataType", '"float"', '"color3f"')
            self.maybe("uniform string sourceName", '"Ci"', '"a"')
            self.maybe("uniform token sourceType", '"lpe"', '"primvar"')
        elif kind == "Pass":
            self.maybe("uniform token passType", '"prman"', '"nuke"')
            self.maybe("uniform string[] command", '["a", "b"]', "[]")
            self.maybe("uniform asset fileName", "@./root.usda@", "@gone.usda@")
            self.relationship("renderSource", "Set", "Fwd")
            self.relationship("inputPasses", "Pass")
            self.collections()
        elif kind == "Fwd":
            for to in self.NAMES:
                self.relationship(f"to:{to}", to, likely=0.4)
        elif kind in ("Node", "Graph"):
            self.node(kind)
        if kind in ("Set", "Prod", "Var", "Pass"):
            self.extras()

    def prims(self, specifier, likely):
        for kind, schema in self.NAMES.items():
            for number in range(3):
                if self.chance(likely):
                    type_name = "" if specifier == "over" else f" {schema}"
                    self.open(f'{specifier}{type_name} "{kind}{number}"', *["active = false"] * self.chance(0.02))
                    self.body(kind)
                    self.close()

    def text(self):
        r = self.rng
        named = f"{r.choice(['/Asset', '/Ref', '/Inst'])}/{self.name('Set')}" if self.chance(0.7) else "no path"
        self.put("#usda 1.0")
        self.put(f'( renderSettingsPrimPath = "{named}" )' if self.chance(0.8) else "")
        self.open('def "Asset"')
        self.prims("def", 0.85)
        self.close()
        self.open('def "Ref"', "references = </Asset>")
        self.prims("over", 0.3)
        self.close()
        self.open('def "Inst"', "references = </Asset>", "instanceable = true")
        self.close()
        return "\n".join(self.lines) + "\n"
