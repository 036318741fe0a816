"""Random scenes of materials, node graphs and shaders as usda text; see random_networks.py."""
from scene_text import SceneText

CONTEXTS = ["", "ri", "odd", "a:b"]
TERMINALS = ["surface", "displacement", "volume"]
NAMES = ["a", "b", "c", "x:y"]
INPUT_TYPES = {"float": ["1", "2.5", "None"], "color3f": ["(1, 0, 0)"], "token": ['"t"'], "asset": ["@./none.png@"]}
TYPES = ["Shader", "Shader", "Shader", "Shader", "NodeGraph", "NodeGraph", "Scope", "SphereLight", "LightFilter", "Material", "", "Mesh"]
INFO = [('uniform token info:implementationSource', ['"id"', '"sourceAsset"', '"sourceAsset"', '"sourceCode"', '"odd"']),
        ('uniform token info:id', ['"UsdPreviewSurface"', '"ND_x"', "None"]),
        ('uniform asset info:sourceAsset', ["@./a.oso@"]),
        ('uniform asset info:osl:sourceAsset', ["@./b.oso@", "@@"]),
        ('uniform asset info:a:b:sourceAsset', ["@./c.oso@"]),
        ('uniform token info:osl:sourceAsset:subIdentifier', ['"sub"']),
        ('uniform token info:sourceAsset:subIdentifier', ['"all"']),
        ('uniform string info:glslfx:sourceCode', ['"code"']),
        ('uniform string info:sourceCode', ['"shared"'])]


class NetworkScene(SceneText):
    """Materials with what is connected in them, some instanced, referenced and specialized."""

    def path(self):
        return "/" + "/".join(self.names)

    def source(self):
        """The path of what may be connected: often an output of a shader nearby."""
        r = self.rng
        if self.slip(0.15):
            return r.choice(["/Gone.outputs:a", f"{self.path()}.outputs:gone", f"{self.path()}.other", self.path()])
        here = self.names if self.chance(0.7) else self.names[:-1]
        at = [here, here[:-1], self.names[:-1] + [r.choice(["n0", "n1", "n2"])], self.names + [r.choice(["n0", "n1"])]]
        names = r.choice([path for path in at if path])
        name = r.choice(NAMES) if self.chance(0.8) else r.choice(TERMINALS)
        return f"/{'/'.join(names)}.{r.choice(['inputs', 'outputs', 'outputs'])}:{name}"

    def port(self, name, connected):
        r = self.rng
        type_name = r.choice(list(INPUT_TYPES))
        if not connected or self.chance(0.25):
            value = r.choice(INPUT_TYPES[type_name])
            if self.chance(0.2) and value != "None":
                self.put(f"{type_name} {name}.timeSamples = {{ 1: {value} }}")
            elif self.chance(0.8):
                self.put(f"{type_name} {name} = {value}")
            else:
                self.put(f"{type_name} {name}")
        if connected:
            count = r.choice([1, 1, 1, 1, 2, 3])
            sources = sorted({self.source() for _ in range(count)}, key=lambda path: r.random())
            edit = r.choice(["", "", "prepend ", "append "])
            self.put(f"{edit}{type_name} {name}.connect = [{', '.join(f'<{s}>' for s in sources)}]")

    def ports(self, outputs):
        for name in self.rng.sample(NAMES, self.rng.randint(0, 3)):
            self.port(f"inputs:{name}", self.chance(0.6))
        for name in outputs:
            self.port(f"outputs:{name}", self.chance(0.7))
        if self.chance(0.05):
            self.put("rel outputs:rel = </Looks>")

    def info(self):
        for name, values in INFO:
            if self.chance(0.3):
                self.put(f"{name} = {self.rng.choice(values)}")

    def node(self, name, depth):
        r = self.rng
        kind = r.choice(TYPES)
        head = f"{r.choice(['def', 'def', 'def', 'over', 'class'])} {kind} \"{name}\"".replace("  ", " ")
        metadata = []
        if self.chance(0.1):
            metadata.append(f'prepend apiSchemas = ["{r.choice(["LightAPI", "NodeDefAPI", "MeshLightAPI"])}"]')
        if self.chance(0.05):
            metadata.append("active = false")
        self.open(head, *metadata)
        self.info()
        self.ports(r.sample(NAMES, r.randint(0, 3)))
        if depth < 3:
            for i in range(r.choice([0, 0, 1, 2])):
                self.node(f"n{i}", depth + 1)
        self.close()

    def material(self, name, bases):
        r = self.rng
        metadata = []
        if bases and self.chance(0.5):
            metadata.append(f"specializes = [{', '.join(f'<{b}>' for b in r.sample(bases, r.randint(1, min(2, len(bases)))))}]")
        if bases and self.chance(0.2):
            metadata.append(f"{r.choice(['references', 'inherits'])} = <{r.choice(bases)}>")
        self.open(f'def Material "{name}"', *metadata)
        for context in CONTEXTS:
            for terminal in TERMINALS:
                if self.chance(0.35):
                    self.port("outputs:" + (context + ":" if context else "") + terminal, self.chance(0.85))
        self.ports(r.sample(NAMES, r.randint(0, 2)))
        for i in range(r.randint(1, 3)):
            self.node(f"n{i}", 1)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        for scope in ("Looks", "Asset"):
            self.open(f'def Scope "{scope}"')
            bases = ["/Plain"]
            for i in range(3 if scope == "Looks" else 2):
                self.material(f"m{i}", bases)
                bases.append(f"/{scope}/m{i}")
            self.close()
        self.open('def Scope "Plain"')
        self.close()
        for name in ("I1", "I2", "R"):
            self.open(f'def Scope "{name}"', "references = </Asset>", f"instanceable = {'false' if name == 'R' else 'true'}")
            self.close()
        return "\n".join(self.lines) + "\n"
