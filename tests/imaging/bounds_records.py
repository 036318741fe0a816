"""What usd-core computes of bounds, in the form of imaging_dump."""
from pxr import Tf, Usd, UsdGeom

PURPOSES = [UsdGeom.Tokens.default_, UsdGeom.Tokens.render, UsdGeom.Tokens.proxy]


def corners(box):
    found = box.ComputeAlignedRange()
    return None if found.IsEmpty() else [list(found.GetMin()), list(found.GetMax())]


def whole(box):
    if box.GetRange().IsEmpty():
        return None
    return [list(box.GetRange().GetMin()), list(box.GetRange().GetMax()), [list(row) for row in box.GetMatrix()]]


def reads_past_the_end(prim, time):
    """Whether usd-core reads beyond the arrays of an instancer: some have fewer elements than there are instances."""
    def count(name):
        return len(prim.GetAttribute(name).Get(time) or [])

    return prim.IsA(UsdGeom.PointInstancer) and any(
        0 < count(name) < count("protoIndices") for name in ("scales", "orientations", "orientationsf"))


def is_noisy(prim, time):
    """Whether bounds depend on rounding errors, as a prim of the stage has a matrix that is nearly singular, or on foreign memory."""
    cache = UsdGeom.XformCache(time)
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    return any(abs(cache.GetLocalToWorldTransform(at).GetDeterminant3()) < 1e-9 or reads_past_the_end(at, time)
               for at in Usd.PrimRange(prim.GetStage().GetPseudoRoot(), predicate))


def bounds_of(prim, time):
    plain = lambda: UsdGeom.BBoxCache(time, PURPOSES)  # noqa: E731
    above = prim.GetParent().GetParent() or prim.GetParent()
    hidden = UsdGeom.BBoxCache(time, PURPOSES, True, True)
    model = UsdGeom.ModelAPI(prim)
    return {"relative": corners(plain().ComputeRelativeBound(prim, above)),
            "box": whole(plain().ComputeWorldBound(prim)),
            "all": corners(hidden.ComputeLocalBound(prim)),
            "hint": [list(corner) for corner in model.ComputeExtentsHint(plain())],
            "hinted": [list(corner) for corner in model.ComputeExtentsHint(UsdGeom.BBoxCache(time, [], True, False))]}


def instances_of(prim, time, base):
    instancer = UsdGeom.PointInstancer(prim)
    indices = instancer.GetProtoIndicesAttr().Get(base) or []
    cache = UsdGeom.BBoxCache(time, PURPOSES)
    cache.SetBaseTime(base)
    boxes = cache.ComputePointInstanceLocalBounds(instancer, list(range(len(indices))))
    if boxes is None:  # they cannot be computed
        return {"instances": [None] * len(indices)}
    return {"instances": [corners(box) for box in boxes]}


def bounds_records(prim, times):
    shown = prim.IsActive() and prim.IsDefined() and not prim.IsAbstract()
    if not shown or not prim.IsA(UsdGeom.Imageable):
        return
    path = str(prim.GetPath())
    for i, (name, time) in enumerate(times):
        yield record(path, name, "", prim, time, lambda: bounds_of(prim, time))
        if prim.IsA(UsdGeom.PointInstancer):
            for base in {name} | ({times[i - 1][0]} if i >= 2 else set()):
                yield record(path, name, base, prim, time, lambda: instances_of(prim, time, dict(times)[base]))


def record(path, time_name, key, prim, time, compute):
    found = {"path": path, "time": str(time_name), **({"key": str(key)} if key != "" else {})}
    if is_noisy(prim, time):
        return {**found, "skip": True}
    try:
        return {**found, **compute()}
    except Tf.ErrorException:
        return {**found, "skip": True}
