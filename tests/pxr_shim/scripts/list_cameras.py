"""Cameras with their lens, and what they see."""

import sys

from pxr import Gf, Usd, UsdGeom
from report import matrix, number, row

stage = Usd.Stage.Open(sys.argv[1])
print(UsdGeom.GetStageUpAxis(stage), number(UsdGeom.GetStageMetersPerUnit(stage)))
for prim in stage.Traverse():
    if prim.GetTypeName() != "Camera":
        continue
    schema = UsdGeom.Camera(prim)
    for time in (1, 12.5, 24):
        camera = schema.GetCamera(time)
        print(prim.GetPath(), time, number(camera.focalLength), number(camera.horizontalAperture),
              number(camera.verticalAperture), number(camera.fStop), number(camera.focusDistance))
        print("  fov", number(camera.GetFieldOfView(Gf.Camera.FOVHorizontal)),
              number(camera.GetFieldOfView(Gf.Camera.FOVVertical)), number(camera.aspectRatio))
        print("  clip", number(camera.clippingRange.min), number(camera.clippingRange.max))
        frustum = camera.frustum
        print("  at", row(frustum.position), row(frustum.ComputeViewDirection()))
        print("  projection", matrix(frustum.ComputeProjectionMatrix()))
        print("  view", matrix(frustum.ComputeViewMatrix()))
        print("  corners", *(row(corner) for corner in frustum.ComputeCorners()))
    print("  shutter", schema.GetShutterOpenAttr().Get(), schema.GetShutterCloseAttr().Get(),
          schema.GetProjectionAttr().Get())
