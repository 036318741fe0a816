"""What usd-core computes of moving points, in the form of imaging_dump."""
from pxr import UsdGeom


def points_records(prim, times):
    path = str(prim.GetPath())
    motion = UsdGeom.MotionAPI(prim)
    for i, (name, time) in enumerate(times):
        yield {"path": path, "time": str(name), "blurScale": motion.ComputeMotionBlurScale(time),
               "sampleCount": motion.ComputeNonlinearSampleCount(time), "velocityScale": motion.ComputeVelocityScale(time)}
        # Also advanced from the time before; numeric times come after the default time.
        bases = {str(name): time} if i < 2 else {str(name): time, str(times[i - 1][0]): times[i - 1][1]}
        for base, base_time in bases.items() if prim.IsA(UsdGeom.PointBased) else ():
            points = UsdGeom.PointBased(prim).ComputePointsAtTime(time, base_time)
            yield {"path": path, "time": str(name), "key": base, "points": [list(point) for point in points or []]}
