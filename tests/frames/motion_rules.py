"""The times at which a frame has what moves, by the rule of motion.proto, from what usd-core says of samples."""
from motion_records import covering, joined, operations
from pxr import Usd, UsdGeom

RATE_TOLERANCE = 1e-9


def times_of(question, attributes, even=0):
    """The samples of a result that depends on the attributes; `even` ones are spaced evenly in the shutter as well."""
    if not question.shutter:
        return [question.time]
    begin, end = question.interval
    times = set().union(*(covering(attribute, begin, end) for attribute in attributes))
    times |= {begin + (end - begin) * i / (even - 1) for i in range(even)}
    return joined(times, begin, end, question.time)


def codes(question, times):
    """Times of usd-core: the time of the question for a single sample."""
    return [question.code if time is None else Usd.TimeCode(time) for time in times]


def ops_between(prim, root):
    """The attributes that move a prim against an ancestor, or in the world if there is none: of the prim and those between them."""
    found = []
    while prim and not prim.IsPseudoRoot() and prim != root:
        ops, resets = operations(prim)
        found += ops
        if resets:
            break
        prim = prim.GetParent()
    return found


def around(prim, name, base):
    """The sample times around a moment just after a time, of an attribute; None without samples."""
    attribute = prim.GetAttribute(name)
    if not attribute or base is None:
        return None
    return attribute.GetBracketingTimeSamples(base + RATE_TOLERANCE * max(1.0, abs(base))) or None


def moves(prim, name, rate, base, count=None):
    """Whether an array is advanced by its rate of change: both have samples at the same times, and as many elements there."""
    at, rate_at = around(prim, name, base), around(prim, rate, base)
    if not at or at != rate_at:
        return None
    values, rates = (prim.GetAttribute(n).Get(at[0]) for n in (name, rate))
    if not is_array(values) or not is_array(rates):
        return None
    if len(values) != len(rates) or (count is not None and len(values) != count):
        return None
    return at, len(values)


def is_array(value):
    return type(value).__name__.endswith("Array")


def accelerates(prim, moving, base):
    """Whether there are accelerations for an array that `moves`, which has none without elements."""
    at, count = moving
    if count == 0 or around(prim, "accelerations", base) != at:
        return False
    values = prim.GetAttribute("accelerations").Get(at[0])
    return is_array(values) and len(values) == count


def rate_samples(prim, time, along_lines):
    """The number of samples of what is advanced by rates of change."""
    if along_lines:
        return 2
    return min(max(UsdGeom.MotionAPI(prim).ComputeNonlinearSampleCount(Usd.TimeCode(time)), 2), 4096)


def point_times(question, prim):
    """The samples of the points of a PointBased prim that has no skin."""
    if not question.shutter:
        return [question.time]
    moving = moves(prim, "points", "velocities", question.time)
    if not moving:
        return times_of(question, [prim.GetAttribute("points")])
    return times_of(question, [], rate_samples(prim, question.time, not accelerates(prim, moving, question.time)))


def uses_full_orientations(prim):
    attribute = UsdGeom.PointInstancer(prim).GetOrientationsfAttr()
    return bool(attribute and attribute.HasAuthoredValue() and attribute.Get(Usd.TimeCode.EarliestTime()))


def instance_rates(question, prim):
    """What the instances of the frame are advanced by, positions and orientations: see `moves`."""
    count = len(prim.GetAttribute("protoIndices").Get(question.code) or [])
    if not count:
        return None, None
    orientations = "orientationsf" if uses_full_orientations(prim) else "orientations"
    return (moves(prim, "positions", "velocities", question.time, count),
            moves(prim, orientations, "angularVelocities", question.time, count))


def has_rates(question, prim):
    return any(instance_rates(question, prim))


def prototype_ops(prim):
    """The attributes that move the prototypes of a point instancer."""
    stage = prim.GetStage()
    targets = [stage.GetPrimAtPath(path) for path in UsdGeom.PointInstancer(prim).GetPrototypesRel().GetTargets()]
    return [op for root in targets if root for op in operations(root)[0]]


def instance_times(question, prim):
    """The samples of the transforms of a point instancer's instances."""
    if not question.shutter:
        return [question.time]
    attributes = prototype_ops(prim)
    moving, turning = instance_rates(question, prim)
    if moving or turning:
        along_lines = not turning and not (moving and accelerates(prim, moving, question.time))
        return times_of(question, attributes, rate_samples(prim, question.time, along_lines))
    orientations = "orientationsf" if uses_full_orientations(prim) else "orientations"
    return times_of(question, attributes + [prim.GetAttribute(name) for name in ("positions", orientations, "scales")])
