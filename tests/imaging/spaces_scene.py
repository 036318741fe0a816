"""Random scenes of coordinate systems, color spaces, collections and volumes as usda text; see random_imaging.py."""
from scene_text import SceneText, numbers, tokens, vector

STANDARD = ["raw", "lin_ap1_scene", "ACEScg", "Linear Rec.2020", "data"]
OWN = ["mine", "theirs", "custom", "acescg", ""]


class SpacesScene(SceneText):
    """A tree of prims with what is inherited, in an asset that is referenced and instanced."""

    def path(self):
        """A path of a prim, which may be missing. References do not reach the prims outside of the asset."""
        outside = self.names[0] != "Asset" and self.chance(0.2)
        names = [self.rng.choice(["Asset", "Ref", "Inst"]) if outside else self.names[0]]
        for _ in range(self.rng.randint(0, 3)):
            names.append(f"p{self.rng.randint(0, 2)}")
        return "/" + "/".join(names)

    def targets(self, name, likely=1.0, most=2):
        if not self.chance(likely):
            return
        paths = [self.path() for _ in range(self.rng.randint(1, most))]
        if self.chance(0.15):
            paths[0] += f".coordSys:{self.rng.choice('abc')}:binding"
        elif self.slip(0.1):
            paths[-1] += ".tint"
        paths = ", ".join(f"<{p}>" for p in dict.fromkeys(paths)) if self.chance(0.9) else ""
        self.put(f"rel {name}" + (f" = [{paths}]" if self.chance(0.9) else ""))

    def schemas(self):
        r = self.rng
        applied = [f"CoordSysAPI:{name}" for name in "abc" if self.chance(0.25)]
        applied += ["ColorSpaceAPI"] * self.chance(0.3)
        applied += [f"ColorSpaceDefinitionAPI:{name}" for name in "xy" if self.chance(0.2)]
        applied += [f"CollectionAPI:{name}" for name in ("rules", "words") if self.chance(0.2)]
        r.shuffle(applied)
        return [f"{r.choice(['prepend ', 'append ', ''])}apiSchemas = {tokens(applied)}"] if applied else []

    def spaces(self):
        r = self.rng
        for name in "abc":
            self.targets(f"coordSys:{name}:binding", 0.25)
        if self.chance(0.35):
            self.attribute("uniform token colorSpace:name", lambda: f'"{r.choice(STANDARD + OWN)}"', 0.1)
        for name in "xy":
            prefix = f"colorSpaceDefinition:{name}"
            if self.chance(0.3):
                self.put(f'uniform token {prefix}:name = "{r.choice(OWN + STANDARD[:1])}"')
            if self.chance(0.3):
                self.put(f"float {prefix}:gamma = {r.choice([1, 2, 2.5])}")
            if self.chance(0.3):
                self.put(f"float2 {prefix}:redChroma = {vector([r.uniform(0.1, 0.7) for _ in range(2)])}")
        for name in ("tint", "shade"):
            if self.chance(0.3):
                metadata = [f'colorSpace = "{r.choice(STANDARD + OWN)}"'] * self.chance(0.4)
                self.put(f"color3f {name} = (1, 0, 0)" + (f" ({metadata[0]})" if metadata else ""))

    def collections(self):
        r = self.rng
        for name in ("rules", "words"):
            prefix = f"collection:{name}"
            if not self.chance(0.2):
                continue
            self.targets(f"{prefix}:includes", 0.6, 3)
            self.targets(f"{prefix}:excludes", 0.5, 2)
            words = ["explicitOnly", "expandPrims", "expandPrimsAndProperties"] + ["odd"] * self.slip()
            if self.chance(0.4):
                self.put(f'uniform token {prefix}:expansionRule = "{r.choice(words)}"')
            if self.chance(0.2):
                self.put(f"uniform bool {prefix}:includeRoot = {r.randint(0, 1)}")
            if self.chance(0.4):
                words = ["//p1", "//{isa:Volume}", "//p0//", "/Ref/p* - /Ref/p1", "//*.tint"]
                self.put(f'uniform pathExpression {prefix}:membershipExpression = "{r.choice(words)}"')

    def field(self):
        r = self.rng
        asset = lambda: f"@./{r.choice(['root.usda', 'gone.vdb'])}@"  # noqa: E731
        for declaration, make in [("asset filePath", asset), ("token fieldName", lambda: f'"{r.choice("ab")}"'),
                                  ("int fieldIndex", lambda: numbers([r.randint(0, 3)])[1:-1]),
                                  ("token fieldDataType", lambda: '"float"'), ("token fieldClass", lambda: '"fogVolume"'),
                                  ("token fieldPurpose", lambda: '"fuel"'), ("token vectorDataRoleHint", lambda: '"Color"')]:
            if self.chance(0.5):
                self.attribute(declaration, make, 0.4)

    def tree(self, name, depth, specifier="def"):
        r = self.rng
        kind = r.choice(["Volume", "OpenVDBAsset", "Field3DAsset", "Scope", "Mesh", ""]) if specifier == "def" else ""
        self.open(f'{specifier} {kind} "{name}"'.replace("  ", " "), *self.schemas())
        self.spaces()
        self.collections()
        if kind == "Volume" or self.chance(0.05):
            for field in r.sample(["density", "heat", "a:density", "b:c"], r.randint(0, 3)):
                self.targets(f"field:{field}", most=r.choice([1, 1, 2]))
        elif kind.endswith("Asset") or self.chance(0.05):
            self.field()
        if depth:
            for i in range(r.randint(0, 3)):
                self.tree(f"p{i}", depth - 1, specifier)
        self.close()

    def root(self, name, specifier, *metadata):
        self.open(f'def "{name}"', *metadata, *self.schemas())
        self.spaces()
        self.collections()
        for i in range(self.rng.randint(1, 3)):
            self.tree(f"p{i}", 2, specifier)
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.root("Asset", "def")
        self.root("Ref", "over", "references = </Asset>")
        self.open('def "Inst"', "references = </Asset>", "instanceable = true")
        self.close()
        return "\n".join(self.lines) + "\n"
