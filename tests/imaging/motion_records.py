"""When usd-core's attributes have samples within shutters, in the form of imaging_dump.

Joins the samples of all attributes by the rule that motion.proto states, with what usd-core says of each of them.
"""
import math

from pxr import Gf, Usd, UsdGeom

SHUTTERS = [(-0.25, 0.25), (0, 0.5), (-1, 1), (-0.5, -0.25)]
LENS = ["projection", "horizontalAperture", "verticalAperture", "horizontalApertureOffset", "verticalApertureOffset",
        "focalLength", "clippingRange", "clippingPlanes", "fStop", "focusDistance", "exposure", "exposure:time",
        "exposure:iso", "exposure:fStop", "exposure:responsivity"]


def covering(attribute, begin, end):
    """The sample times that determine the values in [begin, end]; none if it has the same value throughout."""
    times = set(attribute.GetTimeSamplesInInterval(Gf.Interval(begin, end)))
    for time, side in ((begin, 0), (end, 1)):
        around = attribute.GetBracketingTimeSamples(time)
        if around:
            times.add(around[side])
    return times if len(times) > 1 else set()


def operations(prim):
    """The effective xformOps, without those that are followed by their inverse, and whether the stack is reset."""
    if not prim.IsA(UsdGeom.Xformable):
        return [], False
    order = list(UsdGeom.Xformable(prim).GetXformOpOrderAttr().Get() or [])
    resets = "!resetXformStack!" in order
    if resets:
        order = order[len(order) - order[::-1].index("!resetXformStack!"):]
    ops, i = [], 0
    while i < len(order):
        name = order[i].removeprefix("!invert!")
        if i + 1 < len(order) and order[i] != order[i + 1] and name == order[i + 1].removeprefix("!invert!"):
            i += 2
            continue
        ops.append(name)
        i += 1
    known = {op.GetAttr().GetName() for op in UsdGeom.Xformable(prim).GetOrderedXformOps()}
    return [prim.GetAttribute(name) for name in ops if name in known], resets


def transform_times(prim, begin, end):
    times = set()
    while prim and not prim.IsPseudoRoot():
        ops, resets = operations(prim)
        for attribute in ops:
            times |= covering(attribute, begin, end)
        if resets:
            break
        prim = prim.GetParent()
    return times


def joined(times, begin, end, frame):
    """The times within the shutter, and the closest before and after it."""
    before = max((t for t in times if t <= begin), default=None)
    after = min((t for t in times if t >= end), default=None)
    found = sorted({t for t in times if begin < t < end} | ({before, after} - {None}))
    return found if len(found) > 1 else [min(max(frame, begin), end)]


def number(x):
    """A number as JSON has it, which has no NaN."""
    return x if math.isfinite(x) else str(x)


def motion_records(prim, times):
    path = str(prim.GetPath())
    for name, time in times:
        if time.IsDefault():
            continue
        frame = time.GetValue()
        for opens, closes in SHUTTERS:
            begin, end = frame + opens, frame + closes
            moving = transform_times(prim, begin, end)
            record = {"path": path, "time": str(name), "key": f"{opens:g} to {closes:g}"}
            record["times"] = joined(moving, begin, end, frame)
            matrices = [UsdGeom.XformCache(Usd.TimeCode(t)).GetLocalToWorldTransform(prim) for t in record["times"]]
            record["world"] = [[[number(x) for x in row] for row in m] for m in matrices]
            if prim.IsA(UsdGeom.Camera):
                lens = [covering(prim.GetAttribute(n), begin, end) for n in LENS if prim.HasAttribute(n)]
                record["camera"] = joined(set().union(moving, *lens), begin, end, frame)
            yield record
