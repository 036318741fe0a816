"""Cameras, as the asyncio client has them."""

from __future__ import annotations

from stagedoor._async.camera import CameraCalls


class Camera(CameraCalls):
    """A camera of a stage: as stagedoor.Camera, but its methods are awaited."""
