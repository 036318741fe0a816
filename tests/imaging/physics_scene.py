"""Random scenes of rigid bodies and collision groups as usda text; see random_imaging.py."""
from random_geom import GeomScene
from scene_text import f, numbers, tokens, tuples, vector

SHAPES = ["Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh", "Capsule_1", "Cylinder_1", "Xform"]
FACES = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
BINDINGS = ["material:binding", "material:binding:physics", "material:binding:physics", "material:binding:full"]


class PhysicsScene(GeomScene):
    """Bodies with colliders and masses, materials of physics, collision groups, and an asset that is instanced."""

    def __init__(self, seed):
        super().__init__(seed)
        self.paths = []

    def units(self):
        metadata = []
        if self.chance(0.5):
            metadata.append(f"metersPerUnit = {self.rng.choice([1, 0.1, 0.5])}")
        if self.chance(0.5):
            metadata.append(f"kilogramsPerUnit = {self.rng.choice([1, 0.001, 2])}")
        if metadata:
            self.lines += ["(", *metadata, ")"]

    def density(self, likely):
        if self.chance(likely):
            kind = "double" if self.slip() else "float"
            self.attribute(f"{kind} physics:density", lambda: f(self.rng.choice([0, -1, 10, self.rng.uniform(1, 3000)])), 0.1)

    def materials(self):
        self.open('def Scope "Looks"')
        for i in range(4):
            schemas = [f"prepend apiSchemas = {tokens(['PhysicsMaterialAPI'])}"] * self.chance(0.75)
            self.open(f'def {"Scope" if self.slip() else "Material"} "m{i}"', *schemas)
            self.density(0.8)
            self.close()
        self.close()

    def mass(self):
        """Without blocked values, for which usd-core reads memory that is not initialized."""
        r = self.rng
        self.density(0.6)
        if self.chance(0.4):
            self.put(f"float physics:mass = {f(r.choice([0, -2, r.uniform(0.5, 50)]))}")
        # Authored moments without axes get those of the shape, which rounding turns at will if two of its moments are close.
        has_moments = self.chance(0.3)
        if has_moments:
            kind = "double3" if self.slip(0.1) else "float3"
            self.put(f"{kind} physics:diagonalInertia = {vector([r.uniform(0.1, 9) for _ in range(3)])}")
        if self.chance(0.3):
            self.put(f"point3f physics:centerOfMass = {r.choice([vector(self.vec(2)), '(0, 0, 0)', '(1, inf, 0)'])}")
        if has_moments:
            self.put(f"quatf physics:principalAxes = {vector(self.unit_quat())}")
        elif self.chance(0.3):
            self.put(f"quatf physics:principalAxes = {r.choice([vector(self.unit_quat()), '(0, 0, 0, 0)'])}")

    def mesh(self):
        """A tetrahedron, or something with an error."""
        self.put(f"point3f[] points = {tuples([self.vec(3) for _ in range(4)])}")
        faces = FACES + [[0, 1, 2, 3]] * self.slip()
        indices = [i for face in faces for i in face] + [9] * self.slip()
        self.put(f"int[] faceVertexCounts = {numbers([len(face) for face in faces] + [7] * self.slip())}")
        self.put(f"int[] faceVertexIndices = {numbers(indices)}")

    def placement(self):
        """Mostly transforms without shear, whose scales do not depend on the order of eigenvalues."""
        r = self.rng
        if self.chance(0.15):
            return self.transform()
        order = []
        if self.chance(0.6):
            self.put(f"double3 xformOp:translate = {vector(self.vec(4))}")
            order.append("xformOp:translate")
        if self.chance(0.4):
            self.put(f"float3 xformOp:rotateXYZ = {vector(self.vec(90))}")
            order.append("xformOp:rotateXYZ")
        if self.chance(0.4):
            scale = [r.uniform(0.4, 2)] * 3 if self.chance(0.5) else [r.uniform(0.4, 2) for _ in range(3)]
            self.put(f"float3 xformOp:scale = {vector([-x for x in scale] if self.chance(0.1) else scale)}")
            order.append("xformOp:scale")
        self.put(f"uniform token[] xformOpOrder = {tokens(order)}")

    def tree(self, name, depth):
        r = self.rng
        asset = (self.names + [name])[0] == "Asset"
        body, collider, mass = self.chance(0.3), self.chance(0.6), self.chance(0.4)
        pairs = self.chance(0.1)
        schemas = (["PhysicsRigidBodyAPI"] * body + ["PhysicsCollisionAPI"] * collider + ["PhysicsMassAPI"] * mass
                   + ["PhysicsFilteredPairsAPI"] * pairs)
        if self.chance(0.5):
            schemas.append("MaterialBindingAPI")
        metadata = [f"prepend apiSchemas = {tokens(schemas)}"] if schemas else []
        if not asset and self.chance(0.15):
            metadata += ["references = </Asset>"] + ["instanceable = true"] * self.chance(0.5)
        if self.chance(0.03):
            metadata.append("active = false")
        kind = r.choice(SHAPES)
        word = "class" if name == "Asset" or self.chance(0.03) else r.choice(["def"] * 12 + ["over"])
        self.open(f'{word} {kind} "{name}"', *metadata)
        self.paths.append("/" + "/".join(self.names))
        self.placement()
        if kind == "Mesh":
            self.mesh()
        else:
            self.shape(kind)
        if mass:
            self.mass()
        if "MaterialBindingAPI" in schemas:
            for binding in dict.fromkeys(r.choices(BINDINGS, k=2)):
                self.put(f"rel {binding} = </Looks/m{r.randint(0, 4 if self.slip() else 3)}>")
        if pairs or self.chance(0.03):
            self.put(f"rel physics:filteredPairs = [{', '.join(f'<{p}>' for p in dict.fromkeys(r.choices(self.paths, k=2)))}]")
        for name, applied in (("rigidBodyEnabled", body), ("collisionEnabled", collider)):
            if applied and self.chance(0.25):
                self.put(f"{'int' if self.slip(0.1) else 'bool'} physics:{name} = {r.choice([0, 0, 1])}")
        for i in range(r.randint(0, 3) if depth else 0):
            self.tree(f"p{i}", depth - 1)
        self.close()

    def group(self, number):
        r = self.rng
        word = r.choice(["def"] * 15 + ["class", "over"])
        self.open(f'{word} {"Scope" if self.slip(0.05) else "PhysicsCollisionGroup"} "g{number}"')
        targets = [f"/Groups/g{r.randint(0, 7)}" for _ in range(r.choice([0, 0, 1, 2, 3]))]
        targets += ["/Gone", "/World0"] * self.slip()
        if targets or self.chance(0.1):
            self.put(f"rel physics:filteredGroups = [{', '.join(f'<{t}>' for t in dict.fromkeys(targets))}]")
        if self.chance(0.3):
            self.put(f"bool physics:invertFilteredGroups = {r.choice([0, 1, 1])}")
        if self.chance(0.4):
            kind = "token" if self.slip() else "string"
            self.put(f'{kind} physics:mergeGroup = "{r.choice("abc") * self.chance(0.8)}"')
        members = r.choices(self.paths, k=r.randint(0, 4))
        if members:
            self.put(f"rel collection:colliders:includes = [{', '.join(f'<{m}>' for m in dict.fromkeys(members))}]")
        if self.chance(0.3):
            self.put(f"rel collection:colliders:excludes = <{r.choice(self.paths)}>")
        if self.chance(0.2):
            self.put(f'uniform token collection:colliders:expansionRule = "{r.choice(["explicitOnly", "expandPrims"])}"')
        if self.chance(0.1):
            self.put("uniform bool collection:colliders:includeRoot = 1")
        self.close()

    def text(self):
        self.put("#usda 1.0")
        self.units()
        self.materials()
        self.tree("Asset", 2)
        for i in range(2):
            self.tree(f"World{i}", 3)
        self.open('def Scope "Groups"')
        for i in range(self.rng.randint(0, 8)):
            self.group(i)
        self.close()
        return "\n".join(self.lines) + "\n"
