"""Random scenes of skinned characters as usda text; see random_geometry.py."""
from scene_text import SceneText, f, numbers, tokens, tuples, vector

API = 'prepend apiSchemas = ["SkelBindingAPI"]'
SHAPES = ["Mesh"] * 5 + ["Points", "BasisCurves", "NurbsCurves", "Cube", "Xform"]
POINTLESS = ("Cube", "Xform")


class SkelScene(SceneText):
    """One or more SkelRoots with skeletons, animations and everything that can be skinned."""

    def api(self):
        return [] if self.slip(0.05) else [API]

    def xform_ops(self):
        r = self.rng
        order = []
        if self.chance(0.8):
            self.attribute("double3 xformOp:translate", lambda: vector(self.vec(4)), 0.3)
            order.append("xformOp:translate")
        if self.chance(0.5):
            self.attribute("float3 xformOp:rotateXYZ", lambda: vector(self.vec(90)), 0.3)
            order.append("xformOp:rotateXYZ")
        if self.chance(0.3):
            self.put(f"float3 xformOp:scale = {vector([r.uniform(0.5, 2), r.uniform(0.5, 2), 1])}")
            order.append("xformOp:scale")
        if self.chance(0.08):
            order.insert(0, "!resetXformStack!")
        self.put(f"uniform token[] xformOpOrder = {tokens(order)}")

    # ------------------------------------------------------------------ skeletons
    def joint_paths(self, n):
        paths = []
        for i in range(n):
            parent = self.rng.choice([None] + paths) if paths else None
            paths.append((parent + "/" if parent else "") + f"j{i}")
        if self.slip(0.1):
            paths.reverse()
        if self.slip(0.04):
            paths.append(paths[0])
        return paths

    def skeleton(self, name):
        n = self.rng.randint(1, 6)
        joints = self.joint_paths(n)
        self.open(f'def Skeleton "{name}"', *self.api(), *(["active = false"] if self.slip(0.03) else []))
        self.put(f"uniform token[] joints = {tokens(joints)}")
        if not self.slip():
            self.put(f"uniform matrix4d[] bindTransforms = {self.matrices(len(joints) - self.slip())}")
        if self.chance(0.75):
            self.put(f"uniform matrix4d[] restTransforms = {self.matrices(len(joints) + self.slip())}")
        if self.chance(0.3):
            self.xform_ops()
        if self.chance(0.1):
            self.put(f'uniform token purpose = "{self.rng.choice(["guide", "render"])}"')
        if self.chance(0.1):
            self.attribute("float3[] extent", lambda: tuples([[-1, -2, -3], self.vec(3)]), 0.3)
        return joints

    def animation(self, name, joints, shapes):
        r = self.rng
        own = [j for j in joints if self.chance(0.8)]
        if self.chance(0.2):
            own.append("elsewhere")
        r.shuffle(own)
        if self.chance(0.3):
            own = list(joints)
        n = len(own)
        self.open(f'def SkelAnimation "{name}"', *(["active = false"] if self.slip(0.04) else []))
        if not self.slip(0.06):
            self.put(f"uniform token[] joints = {tokens(own)}")
        if not self.slip(0.08):
            count = n + self.slip(0.08)
            self.attribute("float3[] translations", lambda: tuples([self.vec() for _ in range(count)]), 0.7)
            self.attribute("quatf[] rotations", lambda: self.quats(n), 0.7)
            if not self.slip(0.06):
                sizes = [0.5, 1, 1.25, 2]
                self.attribute("half3[] scales",
                               lambda: tuples([[r.choice(sizes) for _ in range(3)] for _ in range(n)]), 0.3)
        if shapes:
            mine = [s for s in shapes if self.chance(0.85)] + (["other"] if self.chance(0.2) else [])
            r.shuffle(mine)
            if not self.slip(0.05):
                self.put(f"uniform token[] blendShapes = {tokens(mine)}")
            if not self.slip():
                count = len(mine) + self.slip(0.1)
                self.attribute("float[] blendShapeWeights",
                               lambda: numbers([r.choice([0.0, 0.25, 0.5, 1.0, -0.3, 1.4]) for _ in range(count)]),
                               0.7)
        self.close()

    # ------------------------------------------------------------------ bound prims
    def influences(self, joints, points):
        r = self.rng
        size = r.choice([1, 1, 2, 3, 4])
        constant = self.chance(0.2)
        n = size if constant else size * points
        if self.slip(0.15):
            n += r.choice([-1, 1, size])
        n = max(n, 0)
        interpolation = "constant" if constant else "vertex"
        if self.slip(0.04):
            interpolation = r.choice(["varying", "uniform", "faceVarying"])
        top = len(joints) - 1 + (2 if self.slip(0.1) else 0)
        low = -1 if self.slip(0.04) else 0

        def meta(elements):
            return "; ".join(([f"elementSize = {elements}"] if elements != 1 or self.chance(0.7) else []) +
                             ([] if self.slip(0.04) else [f'interpolation = "{interpolation}"']))
        other = r.choice([size + 1, 0]) if self.slip(0.06) else size
        at_default = self.chance(0.92)

        def weights(count):
            return numbers([r.choice([0.0, 0.25, 0.5, 0.75, 1.0, r.random()]) for _ in range(count)])
        for name, kind, values, elements in (
                ("jointIndices", "int[]", lambda c: numbers([r.randint(low, top) for _ in range(c)]), size),
                ("jointWeights", "float[]", weights, other)):
            if self.slip(0.03):
                continue
            if self.slip(0.02):
                kind = "double[]"
            count = n
            if self.chance(0.08) and n:
                count = r.randint(1, 3)  # indexed primvars
                self.put(f"int[] primvars:skel:{name}:indices = "
                         f"{numbers([r.randint(0, count - (not self.slip(0.1))) for _ in range(n)])}")
            declaration = f"{kind} primvars:skel:{name}"
            self.attribute(declaration, lambda: values(count), 0.08 if at_default else 1, meta(elements))

    def normals(self, kind, points, corners, faces):
        interpolation = self.rng.choice(["vertex", "varying", "faceVarying", "uniform", "constant", None])
        count = {"faceVarying": len(corners), "uniform": faces, "constant": 1}.get(interpolation, points)
        count += self.slip(0.08)
        meta = f'interpolation = "{interpolation}"' if interpolation else ""
        self.attribute("normal3f[] normals", lambda: tuples([self.vec(1) for _ in range(count)]), 0.15, meta)

    def shape(self, kind, quads, points):
        corners = []
        for i in range(quads):
            corners += [2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2]
        if kind not in POINTLESS and not self.slip(0.03):
            count = points + self.slip(0.03)
            self.attribute("point3f[] points", lambda: tuples([self.vec() for _ in range(count)]), 0.2)
        if kind == "Mesh":
            self.put(f"int[] faceVertexCounts = {numbers([4] * quads)}")
            if not self.slip(0.03):
                self.put(f"int[] faceVertexIndices = {numbers(corners)}")
        if kind.endswith("Curves"):
            self.put(f"int[] curveVertexCounts = [{points}]")
        if kind not in POINTLESS and self.chance(0.6):
            self.normals(kind, points, corners, quads)
        if self.chance(0.1):
            self.attribute("float3[] extent", lambda: tuples([self.vec(), self.vec()]), 0.3)

    def binding(self, joints, points):
        """Writes skel binding properties, which prims below also inherit."""
        r = self.rng
        own = list(joints)
        if self.chance(0.35):
            own = [j for j in joints if self.chance(0.7)] or joints[:1]
            if self.slip(0.1):
                own.append("nobody")
            r.shuffle(own)
            self.put(f"uniform token[] skel:joints = {tokens(own)}")
        self.influences(own, points)
        if self.chance(0.5):
            self.attribute("matrix4d primvars:skel:geomBindTransform", self.matrix, 0.1)
        if self.chance(0.25):
            method = r.choice(["dualQuaternion", "dualQuaternion", "classicLinear"] + ["other"] * self.slip(0.3))
            self.put(f'uniform token primvars:skel:skinningMethod = "{method}"')

    def blend_shapes(self, path, names):
        self.put(f"uniform token[] skel:blendShapes = {tokens(names)}")
        if self.slip(0.06):
            return
        targets = [f"<{path}/{s}>" for s in names]
        self.put(f"rel skel:blendShapeTargets = [{', '.join(targets)}]")

    def blend_shape(self, name, points):
        r = self.rng
        self.open(f'def BlendShape "{name}"')
        sparse = self.chance(0.5) and points
        count = r.randint(1, points) if sparse else points
        if sparse:
            picked = r.sample(range(points), count)
            if self.slip(0.1):
                picked[0] = r.choice([points + 3, -1, picked[-1]])
            self.put(f"uniform int[] pointIndices = {numbers(picked)}")
        if self.slip(0.08):
            count += 1

        def offsets():
            return tuples([self.vec(0.5) for _ in range(0 if self.slip(0.03) else count)])
        if not self.slip(0.06):
            self.put(f"uniform vector3f[] offsets = {offsets()}")
        if self.chance(0.5):
            self.put(f"uniform vector3f[] normalOffsets = {offsets()}")
        for i in range(r.choice([0, 0, 1, 2, 3])):
            weight = r.choice([0.25, 0.5, 0.75, -0.5, 1.5] + ([0.0, 1.0] if self.broken else []))
            meta = "" if self.slip(0.1) else f" (weight = {weight})"
            value = "" if self.slip(0.05) else f" = {offsets()}"
            self.put(f"uniform vector3f[] inbetweens:at{i}{value}{meta}")
            if self.chance(0.4):
                self.put(f"uniform vector3f[] inbetweens:at{i}:normalOffsets = {offsets()}")
        self.close()

    def skinned(self, name, path, joints, shapes, inherits=False):
        kind = self.rng.choice(SHAPES)
        quads = self.rng.randint(1, 3)
        points = 2 * quads + 2
        inactive = ["active = false"] if self.slip(0.03) else []
        self.open(f'def {kind} "{name}"', *self.api(), *inactive)
        self.shape(kind, quads, points)
        if self.chance(0.4):
            self.xform_ops()
        if self.chance(0.1):
            self.attribute("token visibility", lambda: '"invisible"', 0.4)
        if self.chance(0.35 if inherits else 0.85) and (kind != "Xform" or self.chance(0.15)):
            self.binding(joints, points)
        mine = []
        if shapes and kind not in POINTLESS and self.chance(0.7):
            mine = [s for s in shapes if self.chance(0.8)]
            if mine:
                self.blend_shapes(path, mine)
        if kind == "Xform" and self.chance(0.8) or self.chance(0.04):
            self.skinned("inner", f"{path}/inner", joints, shapes, inherits)
        for shape in mine:
            self.blend_shape(shape, points)
        self.close()

    # ------------------------------------------------------------------ characters
    def group(self, path, name, skeleton, joints, shapes):
        """A mesh below a prim that has all or most of its binding."""
        inner = f"{path}/{name}/m"
        self.open(f'def {"SkelRoot" if self.chance(0.08) else "Xform"} "{name}"', *self.api())
        if skeleton:
            self.put(f"rel skel:skeleton = <{skeleton}>")
        if self.chance(0.1):
            self.put(f"rel skel:animationSource = <{path}/Anim>")
        if self.chance(0.3):
            self.xform_ops()
        inherits = self.chance(0.4)
        if inherits:
            self.binding(joints, 2 * self.rng.randint(1, 3) + 2)
        self.skinned("m", inner, joints, shapes, inherits)
        self.close()

    def character(self, path, name, head="def SkelRoot"):
        r = self.rng
        shapes = ["s0", "s1", "s2"][: r.choice([0, 1, 2, 3])]
        bind_at_root = self.chance(0.6)
        animation_at = r.choice(["root", "skeleton", "none", "skeleton"])
        self.open(f'{head} "{name}"', *self.api(), *self.clips(path, 0.3))
        if bind_at_root:
            self.put(f"rel skel:skeleton = {'None' if self.slip(0.04) else f'<{path}/Skel>'}")
        if animation_at == "root":
            self.put(f"rel skel:animationSource = <{path}/Anim>")
        if self.chance(0.15):
            self.put('uniform token primvars:skel:skinningMethod = "dualQuaternion"')
        self.xform_ops()
        joints = self.skeleton("Skel")
        if animation_at == "skeleton":
            self.put(f"rel skel:animationSource = <{path}/{'Nowhere' if self.slip(0.1) else 'Anim'}>")
        self.close()
        self.animation("Anim", joints, shapes)
        for i in range(r.randint(1, 3)):
            if bind_at_root and self.chance(0.7):
                self.skinned(f"m{i}", f"{path}/m{i}", joints, shapes)
            else:
                skeleton = f"{path}/{'Anim' if self.slip(0.06) else 'Skel'}"
                self.group(path, f"g{i}", None if bind_at_root or self.slip(0.08) else skeleton, joints, shapes)
        self.close()

    def crowd(self):
        """Characters that share one asset, most of them instances."""
        self.character("/_Class", "_Class", "class SkelRoot" if self.chance(0.5) else "def SkelRoot")
        self.open('def Xform "Crowd"', API)
        for i in range(2):
            meta = ["references = </_Class>"] + (["instanceable = true"] if self.chance(0.7) else [])
            meta += self.clips(f"/Crowd/c{i}", 0.1)
            own_animation = self.chance(0.2)
            self.open(f'def "c{i}"', *meta, *([API] if own_animation else []))
            if own_animation:
                self.put(f"rel skel:animationSource = </Crowd/c{i}/Anim>")
            self.put(f"double3 xformOp:translate = ({i * 3}, 0, 1)")
            self.put('uniform token[] xformOpOrder = ["xformOp:translate"]')
            self.close()
        self.close()

    def instanced_body(self):
        """Skinned prims in an instance below the SkelRoot that binds them."""
        self.open('class Xform "_Body"', *self.clips("/_Body", 0.3))
        joints = [f"j{i}" for i in range(3)]
        self.skinned("m", "/_Body/m", joints, ["s0"])
        self.close()
        self.open('def SkelRoot "Host"', API)
        self.put("rel skel:skeleton = </Host/Skel>")
        self.skeleton("Skel")
        self.close()
        for i in range(2):
            self.open(f'def "body{i}"', "references = </_Body>", "instanceable = true", *(self.api() if i else []))
            self.xform_ops()
            self.close()
        self.close()

    def text(self):
        r = self.rng
        self.put("#usda 1.0")
        self.put("( endTimeCode = 5; startTimeCode = 0 )")
        self.put("")
        kind = r.random()
        if kind < 0.35:
            self.crowd()
        elif kind < 0.45:
            self.instanced_body()
        else:
            for i in range(r.randint(1, 2)):
                outside = self.chance(0.06)
                self.character(f"/C{i}", f"C{i}", "def Xform" if outside else "def SkelRoot")
        return "\n".join(self.lines) + "\n"
