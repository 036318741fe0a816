"""What usd-core computes of cameras, in the form of imaging_dump."""
import math

from pxr import Gf, UsdGeom

# Policies and aspect ratios. usd-core's Python has no CameraUtil: `conformed` states its rule.
CONFORMED = [("fit", 2.0), ("fit", 0.5), ("crop", 2.0), ("crop", 0.5), ("vertically", 1.25), ("horizontally", 1.25)]


def conformed(window, policy, aspect_ratio):
    size = window.GetSize()
    own = size[0] / size[1] if size[1] else 1.0
    if policy in ("fit", "crop"):
        # To fit the window in, a wider one keeps its width; to crop it, a wider one keeps its height.
        keep_width = (own > aspect_ratio) == (policy == "fit")
        policy = "horizontally" if keep_width else "vertically"
    if policy == "horizontally":
        size = Gf.Vec2d(size[0], size[0] / aspect_ratio)
    else:
        size = Gf.Vec2d(size[1] * aspect_ratio, size[1])
    center = (window.min + window.max) / 2
    return Gf.Range2d(center - size / 2, center + size / 2)


def plain(value):
    """As JSON has it."""
    if isinstance(value, (float, int)):
        return value if math.isfinite(value) else str(float(value))
    return [plain(v) for v in value]


def corners(window):
    return plain([*window.min, *window.max])


def camera_record(prim, name, time):
    schema = UsdGeom.Camera(prim)
    camera = schema.GetCamera(time)
    frustum = camera.frustum
    record = {
        "record": "camera", "path": str(prim.GetPath()), "time": str(name),
        "orthographic": camera.projection == Gf.Camera.Orthographic,
        "lens": plain([camera.horizontalAperture, camera.verticalAperture, camera.horizontalApertureOffset,
                       camera.verticalApertureOffset, camera.focalLength, camera.fStop, camera.focusDistance]),
        "clippingRange": plain([camera.clippingRange.min, camera.clippingRange.max]),
        "clippingPlanes": plain(camera.clippingPlanes),
        "shutter": plain([schema.GetShutterOpenAttr().Get(time) or 0.0, schema.GetShutterCloseAttr().Get(time) or 0.0]),
        "exposure": plain([schema.GetExposureAttr().Get(time) or 0.0, schema.ComputeLinearExposureScale(time)]),
        "stereoRole": schema.GetStereoRoleAttr().Get() or "",
        "fieldOfView": plain([camera.horizontalFieldOfView, camera.verticalFieldOfView]),
        "window": corners(frustum.window),
        "projection": plain(frustum.ComputeProjectionMatrix()),
        "view": plain(frustum.ComputeViewMatrix()),
        "singular": abs(camera.transform.GetDeterminant3()) < 1e-9,
    }
    for policy, aspect_ratio in CONFORMED:
        record[f"{policy} {aspect_ratio:g}"] = corners(conformed(frustum.window, policy, aspect_ratio))
    return record


def camera_records(prim, times):
    return [camera_record(prim, name, time) for name, time in times] if prim.IsA(UsdGeom.Camera) else []
