"""When usd-core's attributes that deform skinned prims have samples within shutters, in the form of imaging_dump."""
from motion_records import SHUTTERS, covering, joined, operations
from pxr import Usd, UsdSkel

PREDICATE = Usd.TraverseInstanceProxies()
MOVING = ["translations", "rotations", "scales", "blendShapeWeights"]


def outside(path, prim):
    """A path inside of a prototype as the path of the instance proxy that prim sees."""
    while not prim.IsPseudoRoot():
        if prim.IsInstance():
            path = path.ReplacePrefix(prim.GetPrototype().GetPath(), prim.GetPath())
        prim = prim.GetParent()
    return path


def chain(prim):
    """The prim and its ancestors, up to one that resets the transform stack."""
    prims = []
    while prim and not prim.IsPseudoRoot():
        prims.append(prim)
        if operations(prim)[1]:
            break
        prim = prim.GetParent()
    return prims


def deformation_attributes(skel_query, skinning):
    """The attributes that deform a prim, but for those of transforms."""
    prim = skinning.GetPrim()
    found = [prim.GetAttribute(name) for name in ("points", "normals") if prim.HasAttribute(name)]
    found += [p.GetAttr() for p in (skinning.GetJointIndicesPrimvar(), skinning.GetJointWeightsPrimvar()) if p]
    if skinning.GetGeomBindTransformAttr():
        found.append(skinning.GetGeomBindTransformAttr())
    if skel_query.GetAnimQuery():
        animation = skel_query.GetAnimQuery().GetPrim()
        found += [animation.GetAttribute(name) for name in MOVING if animation.HasAttribute(name)]
    return found


def skinned_records(skel_query, skinning, times):
    prim = skinning.GetPrim()
    skeleton = prim.GetStage().GetPrimAtPath(outside(skel_query.GetSkeleton().GetPath(), prim))
    own, other = chain(prim), chain(skeleton)
    everything = [op for p in own + other for op in operations(p)[0]]
    while own and other and own[-1] == other[-1]:
        own.pop()
        other.pop()
    relative = [op for p in own + other for op in operations(p)[0]]
    deforming = deformation_attributes(skel_query, skinning)
    for name, time in times:
        if time.IsDefault():
            continue
        frame = time.GetValue()
        for opens, closes in SHUTTERS:
            begin, end = frame + opens, frame + closes
            record = {"path": str(prim.GetPath()), "time": str(name), "key": f"{opens:g} to {closes:g}"}
            for field, moving in (("own", relative), ("world", everything)):
                found = set().union(*(covering(attribute, begin, end) for attribute in deforming + moving))
                record[field] = joined(found, begin, end, frame)
            yield record


def skinning_records(prim, times):
    root = UsdSkel.Root(prim) if prim.IsA(UsdSkel.Root) else None
    cache = UsdSkel.Cache()
    if not root or not cache.Populate(root, PREDICATE):
        return
    for binding in cache.ComputeSkelBindings(root, PREDICATE):
        skel_query = cache.GetSkelQuery(binding.GetSkeleton())
        for skinning in binding.GetSkinningTargets() if skel_query else ():
            yield from skinned_records(skel_query, skinning, times)
