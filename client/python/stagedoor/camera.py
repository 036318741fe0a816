"""Cameras, as the synchronous client has them."""

from __future__ import annotations

from stagedoor._sync.camera import CameraCalls


class Camera(CameraCalls):
    """A camera of a stage. Corresponds to UsdGeom.Camera.

    stage.camera("/World/Cam").frustum(12, aspect_ratio=16 / 9).projection
    """
