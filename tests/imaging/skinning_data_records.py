"""What usd-core knows about how prims are deformed, in the form of imaging_dump."""
from pxr import Usd, UsdGeom, UsdSkel, Vt
from skinning_records import PREDICATE, outside


def matrix(m):
    return [[m[i][j] for j in range(4)] for i in range(4)]


def vectors(array):
    return [list(v) for v in array]


def by_point(indices, offsets):
    """The indices ascending, and offsets in the same order if there are as many."""
    order = sorted(range(len(indices)), key=lambda i: indices[i])
    return [indices[i] for i in order], [offsets[i] for i in order] if len(offsets) == len(indices) else offsets


def packed(owners, all_indices, offsets, points):
    """The offsets of sub-shapes by point, and the range of each point."""
    by_number = [[] for _ in range(points)]
    for number, (owner, subs) in enumerate(zip(owners, offsets)):
        indices = all_indices[owner] or range(points)
        if not subs or len(indices) != len(subs) or not all(0 <= i < points for i in indices):
            continue
        for i, offset in zip(indices, subs):
            by_number[i].append([*offset, number])
    ranges, end = [], 0
    for found in by_number:
        ranges.append([end, end + len(found)])
        end += len(found)
    return [offset for found in by_number for offset in found], ranges


def normal_offsets(query, number, full):
    inbetween = query.GetInbetween(number)
    if inbetween:
        return inbetween.GetNormalOffsets() or []
    shape = query.GetBlendShape(query.GetBlendShapeIndex(number))
    return (full and shape.GetNormalOffsetsAttr().Get()) or []


def shapes_of(skinning, first):
    prim = skinning.GetPrim()
    query = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(prim))
    numbers = range(query.GetNumSubShapes())
    owners = [query.GetBlendShapeIndex(i) for i in numbers]
    all_indices = [list(i) for i in query.ComputeBlendShapePointIndices()]
    offsets = [vectors(o) for o in query.ComputeSubShapePointOffsets()]
    inbetweens = [query.GetInbetween(i).GetAttr().GetName() if query.GetInbetween(i) else "" for i in numbers]
    full = full_shapes(query)
    normals = [vectors(normal_offsets(query, i, i in full)) for i in numbers]
    found = {
        "owners": owners,
        "inbetweens": inbetweens,
        "pointIndices": [sorted(i) for i in all_indices],
        "offsets": [by_point(all_indices[owner], o)[1] for owner, o in zip(owners, offsets)],
        "normalOffsets": [by_point(all_indices[owner], o)[1] for owner, o in zip(owners, normals)],
    }
    points = UsdGeom.PointBased(prim).GetPointsAttr().Get(first) if prim.IsA(UsdGeom.PointBased) else None
    if points is not None:
        found["packed"], found["ranges"] = packed(owners, all_indices, offsets, len(points))
    return query, found


def full_shapes(query):
    """The numbers of full shapes: those that a weight of 1 puts into effect."""
    found = set()
    weights, _, numbers = query.ComputeSubShapeWeights([1.0] * query.GetNumBlendShapes()) or ((), (), ())
    for weight, number in zip(weights, numbers):
        if abs(weight - 1) < 1e-6 and not query.GetInbetween(number):
            found.add(number)
    return found


def binding_record(skel_query, skinning, first):
    prim = skinning.GetPrim()
    skeleton = skel_query.GetSkeleton()
    joints = list(skel_query.GetJointOrder())
    own = skinning.GetJointOrder()
    record = {
        "path": str(prim.GetPath()),
        "skeleton": str(outside(skeleton.GetPath(), prim)),
        "method": skinning.GetSkinningMethod(),
        "joints": list(own) if own is not None else joints,
        "rigid": skinning.HasJointInfluences() and skinning.IsRigidlyDeformed(),
    }
    if own is not None:
        mapper = UsdSkel.AnimMapper(joints, list(own))
        record["mapping"] = list(mapper.Remap(Vt.IntArray(list(range(len(joints)))), defaultValue=-1) or [-1] * len(own))
    if skinning.HasJointInfluences():
        record["size"] = skinning.GetNumInfluencesPerComponent()
        record["interpolation"] = skinning.GetInterpolation()
    binds = skeleton.GetBindTransformsAttr().Get()
    if len(binds or ()) == len(joints):
        record["inverseBind"] = [matrix(m.GetInverse()) for m in binds or ()]
    query = None
    if skinning.HasBlendShapes() and skinning.GetBlendShapeOrder() is not None:
        record["shapes"] = list(skinning.GetBlendShapeOrder())
        query, found = shapes_of(skinning, first)
        record.update(found)
    return query, record


def weights_of(skel_query, skinning, query, time):
    """The weights of shapes in the order of the prim; None if nothing has weights."""
    animation = skel_query.GetAnimQuery()
    if query is None or not animation or not query.GetNumBlendShapes():
        return None
    attribute = UsdSkel.Animation(animation.GetPrim()).GetBlendShapeWeightsAttr()
    if not attribute.HasAuthoredValue():
        return None
    weights = animation.ComputeBlendShapeWeights(time) or Vt.FloatArray()
    order = skinning.GetBlendShapeOrder()
    mapper = UsdSkel.AnimMapper(list(animation.GetBlendShapeOrder() or []), list(order))
    return list(mapper.Remap(weights) or [0.0] * len(order))


def time_record(skel_query, skinning, query, time):
    record = {"geomBind": matrix(skinning.GetGeomBindTransform(time))}
    if skinning.HasJointInfluences():
        found = skinning.ComputeJointInfluences(time)
        if found:
            record["indices"], record["weights"] = map(list, found)
    # Python is given what a call that fails has computed.
    joints = skel_query.ComputeSkinningTransforms(time) if skel_query.HasBindPose() else None
    if joints:
        record["transforms"] = [matrix(m) for m in joints]
    weights = weights_of(skel_query, skinning, query, time)
    if weights is None:
        return record
    record["shapeWeights"] = weights
    found = query.ComputeSubShapeWeights(weights) if len(weights) == query.GetNumBlendShapes() else None
    if found:
        record["subWeights"], record["weightedShapes"], record["weightedSubs"] = map(list, found)
    return record


def is_in_root(prim):
    """Whether the prim is below a SkelRoot, whose bindings include those that a nested root would have."""
    while prim := prim.GetParent():
        if prim.IsA(UsdSkel.Root):
            return True
    return False


def skinning_data_records(prim, times):
    root = UsdSkel.Root(prim) if prim.IsA(UsdSkel.Root) and not is_in_root(prim) else None
    cache = UsdSkel.Cache()
    if not root or not cache.Populate(root, PREDICATE):
        return
    for binding in cache.ComputeSkelBindings(root, PREDICATE):
        skel_query = cache.GetSkelQuery(binding.GetSkeleton())
        for skinning in binding.GetSkinningTargets() if skel_query else ():
            query, record = binding_record(skel_query, skinning, times[0][1])
            yield record
            for name, time in times:
                yield {"path": record["path"], "time": str(name), **time_record(skel_query, skinning, query, time)}
