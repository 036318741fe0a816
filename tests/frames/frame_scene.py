"""Random scenes with some of everything that a renderer draws, as usda text; see random_frames.py."""
from random_geom import GeomScene
from scene_text import f, numbers, tokens, tuples, vector

PURPOSES = ["default", "render", "render", "proxy", "guide"]
SOLIDS = ["Sphere", "Cube", "Cone", "Cylinder", "Capsule", "Plane"]
LEAVES = ["Mesh"] * 5 + ["BasisCurves", "Points", "NurbsPatch", "TetMesh", "Volume", "PointInstancer", "PointInstancer", "PointInstancer", *SOLIDS]
LIGHTS = ["SphereLight", "RectLight", "DistantLight", "DomeLight", "DiskLight"]
BINDINGS = ["material:binding", "material:binding", "material:binding:full", "material:binding:preview"]


class FrameScene(GeomScene):
    """Materials, lights, a camera and settings, a prop that is instanced at two levels, and a tree of what is drawn."""

    def imageable(self):
        """Visibility as elsewhere, and fewer purposes."""
        r = self.rng
        if self.chance(0.2):
            self.attribute("token visibility", lambda: r.choice(['"inherited"', '"invisible"']), 0.5)
        if self.chance(0.12):
            self.put(f'uniform token purpose = "{r.choice(PURPOSES)}"')

    # ------------------------------------------------------------------ materials
    def looks(self):
        r = self.rng
        self.open('def Scope "Looks"')
        for i in range(4):
            self.open(f'def Material "m{i}"')
            path = f"/Looks/m{i}"
            if self.chance(0.9):
                self.put(f"token outputs:surface.connect = <{path}/s.outputs:surface>")
            self.attribute("float inputs:rough", lambda: f(r.random()), 0.4)
            self.open('def Shader "s"')
            self.put('uniform token info:id = "UsdPreviewSurface"')
            self.attribute("color3f inputs:diffuseColor", lambda: vector(self.vec(1)), 0.3)
            self.put(f"float inputs:roughness.connect = <{path}.inputs:rough>")
            if self.chance(0.5):
                self.put(f"float inputs:opacity.connect = <{path}/t.outputs:a>")
            self.put("token outputs:surface")
            self.close()
            self.open('def Shader "t"')
            self.put('uniform token info:id = "UsdUVTexture"')
            self.attribute("asset inputs:file", lambda: f"@./t{r.randint(0, 2)}.png@", 0.3)
            self.put("float outputs:a")
            self.close()
            self.close()
        self.close()

    def binding(self):
        names = {self.rng.choice(BINDINGS) for _ in range(self.rng.choice([0, 1, 1, 2]))}
        for name in sorted(names):
            strength = ' (bindMaterialAs = "strongerThanDescendants")' if self.chance(0.2) else ""
            gone = self.slip()
            self.put(f"rel {name} = </Looks/m{self.rng.randint(0, 5 if gone else 3)}>{strength}")

    # ------------------------------------------------------------------ lights, cameras, settings
    def link(self, name):
        r = self.rng
        if not self.chance(0.5):
            return
        targets = ", ".join(f"</World/n{i}>" for i in sorted(r.sample(range(4), r.randint(1, 2))))
        if self.chance(0.5):
            self.put(f"uniform bool collection:{name}:includeRoot = 0")
            self.put(f"rel collection:{name}:includes = [{targets}]")
        else:
            self.put(f"rel collection:{name}:excludes = [{targets}]")

    def lights(self):
        r = self.rng
        self.open('def Xform "Lights"')
        self.transform()
        for i in range(r.randint(0, 4)):
            kind = r.choice(LIGHTS)
            self.open(f'def {kind} "l{i}"')
            self.transform()
            self.imageable()
            self.attribute("float inputs:intensity", lambda: f(r.uniform(0, 9)), 0.4)
            self.attribute("color3f inputs:color", lambda: vector(self.vec(1)), 0.2)
            self.link("lightLink")
            self.link("shadowLink")
            if self.chance(0.4):
                self.put("rel light:filters = [</Lights/filter>, </Lights/gone>]")
            if kind == "DomeLight":
                self.put("rel portals = </Lights/portal>")
            self.close()
        self.put('def LightFilter "filter" {}')
        self.put('def PortalLight "portal" {}')
        self.close()

    def camera(self):
        r = self.rng
        self.open('def Xform "Rig"')
        self.transform()
        self.open('def Camera "cam"')
        self.transform()
        self.attribute("float focalLength", lambda: f(r.uniform(20, 90)), 0.4)
        self.attribute("float2 clippingRange", lambda: vector([r.uniform(0.1, 1), r.uniform(99, 999)]), 0.2)
        self.close()
        self.close()

    def settings(self):
        r = self.rng
        self.open('def Scope "Render"')
        self.open('def RenderSettings "settings"')
        self.put("rel camera = </Rig/cam>")
        self.put("rel products = </Render/product>")
        if self.chance(0.5):
            self.put(f"uniform token[] includedPurposes = {tokens(r.sample(['default', 'render', 'proxy', 'guide'], r.randint(1, 4)))}")
        if self.chance(0.5):
            self.put(f"uniform token[] materialBindingPurposes = {tokens(r.choice([['full'], ['preview'], ['full', ''], ['preview', 'full']]))}")
        self.close()
        self.open('def RenderProduct "product"')
        self.put('token productName = "a.exr"')
        self.close()
        self.open('def RenderPass "pass"')
        self.put("rel collection:matte:includes = </World/n0>")
        self.put("rel collection:prune:includes = </World/n1>")
        self.close()
        self.close()

    # ------------------------------------------------------------------ geometry
    def mesh(self):
        """A strip of quads, whose points or topology may be animated."""
        r = self.rng
        quads = r.randint(1, 3)
        corners = [c for i in range(quads) for c in (2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2)]
        count = 2 * quads + 2
        self.attribute("point3f[] points", lambda: tuples([self.vec(3) for _ in range(count)]), 0.35)
        if self.chance(0.1):
            self.put("int[] faceVertexCounts.timeSamples = { " + f"0: {numbers([4] * quads)}, 2: {numbers([3])} }}")
            self.put("int[] faceVertexIndices.timeSamples = { " + f"0: {numbers(corners)}, 2: {numbers([0, 1, 2])} }}")
        else:
            self.put(f"int[] faceVertexCounts = {numbers([4] * quads)}")
            self.put(f"int[] faceVertexIndices = {numbers(corners)}")
        if self.chance(0.3):
            self.attribute("vector3f[] velocities", lambda: tuples([self.vec(9) for _ in range(count)]), 0.5)
        if self.chance(0.4):
            meta = r.choice(["", 'interpolation = "faceVarying"', 'interpolation = "uniform"'])
            size = {"": count, 'interpolation = "faceVarying"': 4 * quads}.get(meta, quads)
            self.attribute("normal3f[] normals", lambda: tuples([self.vec(1) for _ in range(size)]), 0.3, meta)
        if self.chance(0.6):
            self.texture_coordinates(quads)
        if self.chance(0.3):
            self.put('uniform token subdivisionScheme = "none"')
        if self.chance(0.2):
            self.attribute("bool doubleSided", lambda: r.choice("01"), 0.2)
        if self.chance(0.4):
            self.subsets(quads)

    def texture_coordinates(self, quads):
        r = self.rng
        self.attribute("texCoord2f[] primvars:st", lambda: tuples([self.vec(1, 2) for _ in range(3)]), 0.2, 'interpolation = "faceVarying"')
        if self.chance(0.6):
            self.attribute("int[] primvars:st:indices", lambda: numbers([r.randint(0, 2) for _ in range(4 * quads)]), 0.2)

    def subsets(self, quads):
        r = self.rng
        for i in range(r.randint(1, 2)):
            self.open(f'def GeomSubset "s{i}"', 'prepend apiSchemas = ["MaterialBindingAPI"]')
            self.put('uniform token elementType = "face"')
            self.put(f'uniform token familyName = "{r.choice(["materialBind", "materialBind", "other"])}"')
            self.attribute("int[] indices", lambda: numbers([r.randrange(quads)]), 0.25)
            self.binding()
            self.close()

    def volume(self):
        for name in self.rng.sample(["density", "heat"], self.rng.randint(0, 2)):
            self.put(f"rel field:{name} = <{'/' + '/'.join(self.names)}/{name}>")
            self.open(f'def OpenVDBAsset "{name}"')
            self.attribute("asset filePath", lambda: f"@./{self.rng.choice(['a', 'b'])}.vdb@", 0.5)
            self.put(f'token fieldName = "{name}"')
            self.close()

    def leaf(self, kind, depth):
        path = "/" + "/".join(self.names)
        if kind == "Mesh":
            self.mesh()
        elif kind == "Volume":
            self.volume()
        elif kind == "PointInstancer":
            self.instancer(path, depth)
            if self.chance(0.6):
                self.attribute("float[] primvars:tint", lambda: numbers([self.rng.random() for _ in range(3)]), 0.4, 'interpolation = "vertex"')
        else:
            self.shape(kind)

    def prototype(self, path, name, depth):
        """As in GeomScene, with materials, purposes and meshes."""
        r = self.rng
        kind = r.choice(["Mesh", "Sphere", "Xform", "Xform", "Points", "PointInstancer" if depth < 2 else "Cube"])
        meta = ['prepend apiSchemas = ["MaterialBindingAPI"]']
        if kind == "Xform" and self.names[0] != "_Prop" and self.chance(0.5):
            meta += ["references = </_Prop>"] + ["instanceable = true"] * self.chance(0.6)
        self.open(f'def {kind} "{name}"', *meta)
        self.transform()
        self.imageable()
        self.binding()
        if kind != "Xform":
            self.leaf(kind, depth + 1)
        self.open('def Mesh "c"')
        self.transform()
        self.imageable()
        self.mesh()
        self.close()
        self.close()

    # ------------------------------------------------------------------ the tree
    def instance(self, name):
        """An instance of the props, with what its prims inherit from outside."""
        r = self.rng
        offset = f" (offset = {r.choice([0, 1, -2])}; scale = {r.choice([1, 2, 0.5])})" if self.chance(0.4) else ""
        meta = [f"references = </{r.choice(['_Prop', '_Group'])}>{offset}"] + ["instanceable = true"] * self.chance(0.8)
        self.open(f'def "{name}"', 'prepend apiSchemas = ["MaterialBindingAPI"]', *meta)
        self.transform()
        self.imageable()
        if self.chance(0.3):
            self.primvars()
        if self.chance(0.3):
            self.binding()
        self.close()

    def branch(self, name, depth, in_group):
        r = self.rng
        kind = r.choice(LEAVES) if depth == 0 or self.chance(0.4) else r.choice(["Xform", "Xform", "Scope"])
        path = "/" + "/".join([*self.names, name])
        schemas, meta = ["MaterialBindingAPI"], self.clips(path, 0.06)
        model = r.choice(["group", "group", "component"]) if in_group and kind in ("Xform", "Scope") and self.chance(0.6) else ""
        if model:
            schemas.append("GeomModelAPI")
            meta.append(f'kind = "{model}"')
        if kind == "Mesh" and self.chance(0.1):
            schemas.append("MeshLightAPI")
        if self.chance(0.04):
            meta.append("active = false")
        self.open(f'def {kind} "{name}"', f"prepend apiSchemas = {tokens(schemas)}", *meta)
        if kind != "Scope":
            self.transform()
        self.imageable()
        if self.chance(0.5):
            self.primvars()
        self.binding()
        if model and self.chance(0.4):
            self.put(f'uniform token model:drawMode = "{r.choice(["default", "cards", "bounds", "origin", "inherited"])}"')
            if self.chance(0.3):
                self.put("uniform bool model:applyDrawMode = 1")
            self.attribute("float3[] extentsHint", lambda: tuples([self.vec(9) for _ in range(2)]), 0.1)
        if kind in ("Xform", "Scope"):
            for i in range(r.randint(1, 4)):
                if self.chance(0.3):
                    self.instance(f"i{i}")
                else:
                    self.branch(f"n{i}", depth - 1, model == "group")
        else:
            self.leaf(kind, 0)
        self.close()

    def props(self):
        """A prop, and a group that has instances of it."""
        word = self.rng.choice(["class", "def"])
        self.open(f'{word} Xform "_Prop"', *self.clips("/_Prop", 0.15))
        self.transform()
        self.imageable()
        self.primvars()
        for i in range(self.rng.randint(1, 2)):
            self.branch(f"p{i}", 0, False)
        self.close()
        self.open(f'{word} Xform "_Group"')
        self.transform()
        for i in range(2):
            self.open(f'def "g{i}"', "references = </_Prop>", "instanceable = true")
            self.transform()
            self.imageable()
            self.close()
        self.branch("p", 0, False)
        self.close()

    def text(self):
        r = self.rng
        self.put("#usda 1.0")
        named = 'renderSettingsPrimPath = "/Render/settings"; ' if self.chance(0.6) else ""
        self.put(f'( {named}timeCodesPerSecond = {r.choice([24, 24, 30])}; metersPerUnit = {r.choice([1, 0.01])}; upAxis = "{r.choice("YZ")}" )')
        self.looks()
        self.lights()
        self.camera()
        self.settings()
        self.props()
        self.open('def Xform "World"', 'prepend apiSchemas = ["MaterialBindingAPI"]', 'kind = "assembly"')
        self.transform()
        self.binding()
        for i in range(4):
            self.branch(f"n{i}", 2, True)
        self.close()
        return "\n".join(self.lines) + "\n"
