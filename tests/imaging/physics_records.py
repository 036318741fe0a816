"""What usd-core computes of rigid bodies and collision groups, in the form of imaging_dump.

OpenUSD asks its caller for the shapes of colliders; scene/physics/collider_shape.h has the formulas.
"""
import math

from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade
from typed_values import typed_value

AXES = {"Y": 1, "Z": 2}


def scale_of(prim):
    return Gf.Transform(UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())).GetScale()


def value(prim, name, kind, default):
    return typed_value(prim.GetAttribute(name), kind, Usd.TimeCode.Default(), default)


def revolved(parts, axis, up):
    """Parts are (volume, centroid, axial inertia, transverse inertia)."""
    volume = sum(part[0] for part in parts)
    if not volume > 0:
        return 0, [[0] * 3] * 3, [0] * 3
    centroid = sum(part[0] * part[1] for part in parts) / volume
    axial = sum(part[2] for part in parts)
    across = sum(part[3] + part[0] * (part[1] - centroid) ** 2 for part in parts)
    inertia = [[0 if i != j else axial if i == axis else across for j in range(3)] for i in range(3)]
    return volume, inertia, [up * centroid if i == axis else 0 for i in range(3)]


def frustum(h, a, b):
    """Integrates over t from base to top with Simpson's rule on pieces, which is exact for these polynomials."""
    steps = 64
    total = [0.0] * 4
    for i in range(steps + 1):
        t = i / steps
        weight = (1 if i in (0, steps) else 4 if i % 2 else 2) * h / steps / 3
        r, z = a + (b - a) * t, (t - 0.5) * h
        area = math.pi * r * r
        for k, part in enumerate([area, area * z, area * r * r / 2, area * (r * r / 4 + z * z)]):
            total[k] += weight * part
    volume, moment, axial, across = total
    if not volume > 0:
        return 0, 0, 0, 0
    return volume, moment / volume, axial, across - moment * moment / volume


def hemisphere(at, r, up):
    volume = 2 / 3 * math.pi * r ** 3
    return volume, at + up * 3 / 8 * r, 0.4 * volume * r * r, 83 / 320 * volume * r * r


def axial(prim, scale, bottom, top, capped):
    axis = AXES.get(value(prim, "axis", str, ""), 0)
    across = max(abs(scale[(axis + 1) % 3]), abs(scale[(axis + 2) % 3]))
    h = abs(value(prim, "height", float, 0) * scale[axis])
    a, b = (abs(value(prim, name, float, 0)) * across if name else 0 for name in (bottom, top))
    parts = [frustum(h, a, b)]
    if capped:
        parts += [hemisphere(-h / 2, a, -1), hemisphere(h / 2, b, 1)]
    return revolved(parts, axis, -1 if scale[axis] < 0 else 1)


def mesh(prim, scale):
    nothing = 0, [[0] * 3] * 3, [0] * 3
    points, counts, indices = (prim.GetAttribute(name).Get() or []
                               for name in ("points", "faceVertexCounts", "faceVertexIndices"))
    if not all(0 <= i < len(points) for i in indices) or sum(counts) > len(indices):
        return nothing
    volume, moment, products, first = 0.0, Gf.Vec3d(), [[0.0] * 3 for _ in range(3)], 0
    for count in counts:
        corners = [Gf.CompMult(Gf.Vec3d(points[i]), scale) for i in indices[first:first + count]]
        first += count
        for b, c in zip(corners[1:], corners[2:]):
            a = corners[0]
            part = a * Gf.Cross(b, c) / 6
            total = a + b + c
            volume += part
            moment += total * part / 4
            for i in range(3):
                for j in range(3):
                    products[i][j] += part / 20 * (total[i] * total[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j])
    if volume == 0:
        return nothing
    center = moment / volume
    about = [[(products[i][j] - volume * center[i] * center[j]) * math.copysign(1, volume) for j in range(3)] for i in range(3)]
    trace = sum(about[i][i] for i in range(3))
    return abs(volume), [[(trace if i == j else 0) - about[i][j] for j in range(3)] for i in range(3)], center


def measure(prim, scale):
    """Volume, inertia and center of mass."""
    if prim.IsA(UsdGeom.Mesh):
        return mesh(prim, scale)
    if prim.IsA(UsdGeom.Cube):
        x, y, z = (abs(value(prim, "size", float, 0) * s) for s in scale)
        v = x * y * z
        return v, Gf.Matrix3d(Gf.Vec3d(y * y + z * z, x * x + z * z, x * x + y * y) * v / 12), [0] * 3
    if prim.IsA(UsdGeom.Sphere):
        r = abs(value(prim, "radius", float, 0)) * max(abs(s) for s in scale)
        v = 4 / 3 * math.pi * r ** 3
        return v, Gf.Matrix3d(0.4 * v * r * r), [0] * 3
    for kind, bottom, top, capped in ((UsdGeom.Capsule, "radius", "radius", True), (UsdGeom.Cylinder, "radius", "radius", False),
                                      (UsdGeom.Cone, "radius", None, False), (UsdGeom.Capsule_1, "radiusBottom", "radiusTop", True),
                                      (UsdGeom.Cylinder_1, "radiusBottom", "radiusTop", False)):
        if prim.IsA(kind):
            return axial(prim, scale, bottom, top, capped)
    return 0, [[0] * 3] * 3, [0] * 3


def information(body, prim):
    info = UsdPhysics.RigidBodyAPI.MassInformation()
    volume, inertia, center = measure(prim, scale_of(prim))
    info.volume = volume
    info.inertia = Gf.Matrix3f(*[inertia[i][j] for i in range(3) for j in range(3)])
    info.centerOfMass = Gf.Vec3f(*center)
    info.localPos, info.localRot = Gf.Vec3f(0), Gf.Quatf(1)
    if prim != body:
        world = [UsdGeom.Xformable(p).ComputeLocalToWorldTransform(Usd.TimeCode.Default()) for p in (prim, body)]
        local = Gf.Transform(world[0] * world[1].GetInverse())
        info.localPos = Gf.Vec3f(Gf.CompMult(local.GetTranslation(), scale_of(body)))
        info.localRot = Gf.Quatf(local.GetRotation().GetQuat())
    return info


def finite(items):
    return [x if math.isfinite(x) else None for x in items]


def is_singular(prim):
    world = UsdGeom.Xformable(prim).ComputeLocalToWorldTransform(Usd.TimeCode.Default())
    return abs(world.GetDeterminant3()) < 1e-9


def mass_record(path, body):
    asked = []

    def callback(prim):
        asked.append(prim)
        return information(body, prim)

    mass, moments, center, axes = UsdPhysics.RigidBodyAPI(body).ComputeMassProperties(callback)
    record = {"path": path, "key": "mass", "mass": finite([mass])[0], "center": finite(center), "moments": finite(sorted(moments)),
              "colliders": [str(prim.GetPath()) for prim in asked], "singular": any(map(is_singular, [body, *asked]))}
    if asked:  # otherwise usd-core may leave the axes undefined
        rotation = Gf.Matrix3d(Gf.Quatd(axes))
        tensor = rotation.GetTranspose() * Gf.Matrix3d(Gf.Vec3d(moments)) * rotation
        record["tensor"] = finite([tensor[i][j] for i in range(3) for j in range(3)])
    return record


def firsts_of_merged(stage, groups):
    """For each group the first one that it is merged with: for others, usd-core reads entries of other groups where an earlier
    row belongs to a later group (it looks up row and column in the order of the groups)."""
    firsts = {}
    for group in groups:
        attribute = UsdPhysics.CollisionGroup(stage.GetPrimAtPath(group)).GetMergeGroupNameAttr()
        names = [spec.default for spec in attribute.GetPropertyStack() if spec.HasDefaultValue() and spec.typeName == "string"]
        yield firsts.setdefault(names[0] if names else "", group) if attribute.IsAuthored() else group


def table_record(path, stage):
    table = UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage)
    groups = table.GetGroups()
    firsts = list(firsts_of_merged(stage, groups))
    return {"path": path, "key": "table", "groups": [str(group) for group in groups],
            "enabled": [[table.IsCollisionEnabled(a, b) for b in firsts] for a in firsts]}


def collider_record(path, prim):
    stage = prim.GetStage()
    groups = [UsdPhysics.CollisionGroup(stage.GetPrimAtPath(group))
              for group in UsdPhysics.CollisionGroup.ComputeCollisionGroupTable(stage).GetGroups()]
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial("physics")
    pairs = prim.HasAPI(UsdPhysics.FilteredPairsAPI) and UsdPhysics.FilteredPairsAPI(prim).GetFilteredPairsRel().GetTargets()
    return {"path": path, "key": "collider", "material": str(material.GetPath()) if material else "",
            "groups": [i for i, group in enumerate(groups)
                       if group.GetCollidersCollectionAPI().ComputeMembershipQuery().IsPathIncluded(Sdf.Path(path))],
            "pairs": [str(target) for target in pairs or []]}


def physics_records(prim, times):
    path = str(prim.GetPath())
    if path == "/Looks":
        yield table_record(path, prim.GetStage())
    if prim.HasAPI(UsdPhysics.CollisionAPI):
        yield collider_record(path, prim)
    if prim.HasAPI(UsdPhysics.RigidBodyAPI):
        yield mass_record(path, prim)
