"""Random scenes of skinned characters as usda text: see random_geometry.py."""
import random

IDENTITY = "( (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1) )"


def f(x):
    return repr(round(x, 4))


def tuples(rows):
    return "[" + ", ".join("(" + ", ".join(f(x) for x in row) + ")" for row in rows) + "]"


def numbers(items):
    return "[" + ", ".join(str(x) if isinstance(x, int) else f(x) for x in items) + "]"


def tokens(items):
    return "[" + ", ".join(f'"{x}"' for x in items) + "]"


class SkelScene:
    """One or more SkelRoots with skeletons, animations and everything that can be skinned."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        r = self.rng
        self.broken = r.random() < 0.35  # some things do not fit
        self.lines = []
        self.depth = 0

    # ------------------------------------------------------------------ helpers
    def chance(self, p):
        return self.rng.random() < p

    def slip(self, p=0.12):
        """Whether to get something wrong."""
        return self.broken and self.chance(p)

    def put(self, text):
        self.lines.append("    " * self.depth + text)

    def open(self, head, *metadata):
        self.put(head + (" (" if metadata else ""))
        for m in metadata:
            self.put("    " + m)
        if metadata:
            self.put(")")
        self.put("{")
        self.depth += 1

    def close(self):
        self.depth -= 1
        self.put("}")

    def vec(self, scale=2.0, n=3):
        return [self.rng.uniform(-scale, scale) for _ in range(n)]

    def matrix(self):
        r = self.rng
        kind = r.choice("itrrss")
        if kind == "i":
            return IDENTITY
        rows = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], self.vec() + [1]]
        if kind != "t":
            for i in range(3):
                rows[i][:3] = self.vec(1.0) if kind == "s" else rows[i][:3]
            if kind == "r":
                a = [self.rng.uniform(-1, 1) for _ in range(4)]
                n = sum(x * x for x in a) ** 0.5 or 1
                x, y, z, w = (q / n for q in a)
                rows[0][:3] = [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (z * x - y * w)]
                rows[1][:3] = [2 * (x * y - z * w), 1 - 2 * (z * z + x * x), 2 * (y * z + x * w)]
                rows[2][:3] = [2 * (z * x + y * w), 2 * (y * z - x * w), 1 - 2 * (y * y + x * x)]
            else:
                for i in range(3):  # well away from singular
                    rows[i][i] += 2
        return "( " + ", ".join("(" + ", ".join(repr(round(x, 6)) for x in row) + ")" for row in rows) + " )"

    def matrices(self, n):
        return "[" + ", ".join(self.matrix() for _ in range(n)) + "]"

    def quats(self, n):
        out = []
        for _ in range(n):
            q = [self.rng.uniform(-1, 1) for _ in range(4)]
            length = sum(x * x for x in q) ** 0.5 or 1
            out.append([x / length for x in q])
        return tuples(out)

    def attribute(self, declaration, make, animated=0.3, metadata=""):
        """A default, samples, or both; make() gives a value's text."""
        r = self.rng
        sampled = self.chance(animated)
        if not sampled or self.chance(0.2):
            self.put(f"{declaration} = {make()}" + (f" ({metadata})" if metadata else ""))
        elif metadata:
            self.put(f"{declaration} ({metadata})")
        if sampled:
            times = sorted(r.sample([0, 1, 2, 3.5, 5], r.randint(1, 3)))
            self.put(f"{declaration}.timeSamples = {{")
            for t in times:
                self.put(f"    {t}: {make()},")
            self.put("}")

    # ------------------------------------------------------------------ skeletons
    def joint_paths(self, n):
        paths = []
        for i in range(n):
            parent = self.rng.choice([None] + paths) if paths else None
            paths.append((parent + "/" if parent else "") + f"j{i}")
        if self.slip(0.1):
            paths.reverse()
        return paths

    def skeleton(self, name):
        n = self.rng.randint(1, 6)
        joints = self.joint_paths(n)
        self.open(f'def Skeleton "{name}"', *(['prepend apiSchemas = ["SkelBindingAPI"]']))
        self.put(f"uniform token[] joints = {tokens(joints)}")
        if not self.slip():
            self.put(f"uniform matrix4d[] bindTransforms = {self.matrices(n - self.slip())}")
        if self.chance(0.75):
            self.put(f"uniform matrix4d[] restTransforms = {self.matrices(n + self.slip())}")
        if self.chance(0.3):
            self.xform_ops()
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
        self.open(f'def SkelAnimation "{name}"')
        self.put(f"uniform token[] joints = {tokens(own)}")
        if not self.slip(0.08):
            count = n + self.slip(0.08)
            self.attribute("float3[] translations", lambda: tuples([self.vec() for _ in range(count)]), 0.7)
            self.attribute("quatf[] rotations", lambda: self.quats(n), 0.7)
            self.attribute("half3[] scales",
                           lambda: tuples([[r.choice([0.5, 1, 1.25, 2]) for _ in range(3)] for _ in range(n)]), 0.3)
        if shapes:
            mine = [s for s in shapes if self.chance(0.85)] + (["other"] if self.chance(0.2) else [])
            r.shuffle(mine)
            self.put(f"uniform token[] blendShapes = {tokens(mine)}")
            if not self.slip():
                count = len(mine) + self.slip(0.1)
                self.attribute("float[] blendShapeWeights",
                               lambda: numbers([r.choice([0.0, 0.25, 0.5, 1.0, -0.3, 1.4]) for _ in range(count)]),
                               0.7)
        self.close()

    def xform_ops(self):
        r = self.rng
        order = []
        if self.chance(0.8):
            self.attribute("double3 xformOp:translate", lambda: f"({', '.join(f(x) for x in self.vec(4))})", 0.3)
            order.append("xformOp:translate")
        if self.chance(0.5):
            self.attribute("float3 xformOp:rotateXYZ", lambda: f"({', '.join(f(x) for x in self.vec(90))})", 0.3)
            order.append("xformOp:rotateXYZ")
        if self.chance(0.3):
            self.put(f"float3 xformOp:scale = ({f(r.uniform(0.5, 2))}, {f(r.uniform(0.5, 2))}, 1)")
            order.append("xformOp:scale")
        if self.chance(0.08):
            order.insert(0, "!resetXformStack!")
        self.put(f"uniform token[] xformOpOrder = {tokens(order)}")

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
        top = len(joints) - 1 + (2 if self.slip(0.1) else 0)

        def weights():
            return numbers([r.choice([0.0, 0.25, 0.5, 0.75, 1.0, r.random()]) for _ in range(n)])
        meta = f'elementSize = {size} interpolation = "{interpolation}"'
        other = meta if not self.slip(0.06) else f'elementSize = {size + 1} interpolation = "{interpolation}"'
        self.attribute("int[] primvars:skel:jointIndices", lambda: numbers([r.randint(0, top) for _ in range(n)]),
                       0.08, meta.replace(" interp", "; interp"))
        self.attribute("float[] primvars:skel:jointWeights", weights, 0.08, other.replace(" interp", "; interp"))

    def blend_shapes(self, path, names, points, prims):
        self.put(f"uniform token[] skel:blendShapes = {tokens(names)}")
        if not self.slip(0.06):
            targets = ", ".join(f"<{path}/{s}>" for s in names)
            self.put(f"rel skel:blendShapeTargets = [{targets}]")
        for name in names:
            prims.append((name, points))

    def blend_shape(self, name, points):
        r = self.rng
        self.open(f'def BlendShape "{name}"')
        sparse = self.chance(0.5) and points
        count = r.randint(1, points) if sparse else points
        if sparse:
            picked = r.sample(range(points), count)
            if self.slip(0.1):
                picked[0] = points + 3
            self.put(f"uniform int[] pointIndices = {numbers(picked)}")
        if self.slip(0.08):
            count += 1

        def offsets():
            return tuples([self.vec(0.5) for _ in range(count)])
        if not self.slip(0.06):
            self.put(f"uniform vector3f[] offsets = {offsets()}")
        if self.chance(0.5):
            self.put(f"uniform vector3f[] normalOffsets = {offsets()}")
        for i in range(r.choice([0, 0, 1, 2])):
            weight = r.choice([0.25, 0.5, 0.75, -0.5, 1.5] + ([0.0, 1.0] if self.broken else []))
            meta = "" if self.slip(0.1) else f" (weight = {weight})"
            self.put(f"uniform vector3f[] inbetweens:at{i} = {offsets()}{meta}")
            if self.chance(0.4):
                self.put(f"uniform vector3f[] inbetweens:at{i}:normalOffsets = {offsets()}")
        self.close()

    def skinned(self, name, path, joints, shapes):
        r = self.rng
        kind = r.choice(["Mesh"] * 5 + ["Points", "BasisCurves", "Cube", "Xform"])
        quads = r.randint(1, 3)
        points = 2 * quads + 2
        self.open(f'def {kind} "{name}"', 'prepend apiSchemas = ["SkelBindingAPI"]')
        if kind not in ("Cube", "Xform"):
            self.attribute("point3f[] points", lambda: tuples([self.vec() for _ in range(points)]), 0.2)
        corners = []
        for i in range(quads):
            corners += [2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2]
        if kind == "Mesh":
            self.put(f"int[] faceVertexCounts = {numbers([4] * quads)}")
            self.put(f"int[] faceVertexIndices = {numbers(corners)}")
        if kind == "BasisCurves":
            self.put(f"int[] curveVertexCounts = [{points}]")
        if kind not in ("Cube", "Xform") and self.chance(0.6):
            interpolation = r.choice(["vertex", "varying", "faceVarying", "uniform", None])
            count = len(corners) if interpolation == "faceVarying" else points
            count += self.slip(0.08)
            meta = f'interpolation = "{interpolation}"' if interpolation else ""
            self.attribute("normal3f[] normals", lambda: tuples([self.vec(1) for _ in range(count)]), 0.15, meta)
        if self.chance(0.4):
            self.xform_ops()
        if self.chance(0.85) and kind != "Xform":
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
            method = r.choice(["dualQuaternion", "dualQuaternion", "classicLinear"])
            self.put(f'uniform token primvars:skel:skinningMethod = "{method}"')
        prims = []
        if shapes and kind not in ("Cube", "Xform") and self.chance(0.7):
            names = [s for s in shapes if self.chance(0.8)]
            if names:
                self.blend_shapes(path, names, points, prims)
        if kind == "Xform" and self.chance(0.8):
            self.depth_child(path, joints, shapes)
        for shape, count in prims:
            self.blend_shape(shape, count)
        self.close()

    def depth_child(self, path, joints, shapes):
        self.skinned("inner", f"{path}/inner", joints, shapes)

    # ------------------------------------------------------------------ characters
    def character(self, path, name, indent_type="def SkelRoot"):
        r = self.rng
        shapes = ["s0", "s1", "s2"][: r.choice([0, 1, 2, 3])]
        bind_at_root = self.chance(0.6)
        animation_at = r.choice(["root", "skeleton", "none", "skeleton"])
        self.open(f'{indent_type} "{name}"', 'prepend apiSchemas = ["SkelBindingAPI"]')
        if bind_at_root:
            self.put(f"rel skel:skeleton = <{path}/Skel>")
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
            mesh = f"m{i}"
            if not bind_at_root:
                self.open(f'def Xform "g{i}"', 'prepend apiSchemas = ["SkelBindingAPI"]')
                if not self.slip(0.08):
                    self.put(f"rel skel:skeleton = <{path}/{'Anim' if self.slip(0.06) else 'Skel'}>")
                self.skinned(mesh, f"{path}/g{i}/{mesh}", joints, shapes)
                self.close()
            else:
                self.skinned(mesh, f"{path}/{mesh}", joints, shapes)
        self.close()

    def text(self):
        r = self.rng
        self.put("#usda 1.0")
        self.put("( endTimeCode = 5 startTimeCode = 0 )".replace(" s", "; s", 1))
        self.put("")
        shared = self.chance(0.4)
        if shared:
            self.character("/_Class", "_Class", "class SkelRoot" if self.chance(0.5) else "def SkelRoot")
            self.open('def Xform "Crowd"')
            for i in range(2):
                meta = ["references = </_Class>"]
                if self.chance(0.7):
                    meta.append("instanceable = true")
                self.open(f'def "c{i}"', *meta)
                self.put(f"double3 xformOp:translate = ({i * 3}, 0, 1)")
                self.put('uniform token[] xformOpOrder = ["xformOp:translate"]')
                self.close()
            self.close()
        else:
            for i in range(r.randint(1, 2)):
                self.character(f"/C{i}", f"C{i}")
        return "\n".join(self.lines) + "\n"
