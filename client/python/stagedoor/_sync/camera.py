# Generated from ../_async/camera.py by tools/python_client.py: ./dev python_client.
"""The calls of cameras."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stagedoor._handles import CameraHandle
from stagedoor.results import CameraSample, Frustum
from stagedoor.types import Time

if TYPE_CHECKING:
    from stagedoor.prim import Prim


class CameraCalls(CameraHandle):
    """The calls of a camera."""

    @property
    def prim(self) -> Prim:
        prim: Prim = self._stage.prim(self._path)
        return prim

    def get(
        self, time: Time = None, *, aspect_ratio: float = 0.0, conform: str = "fit"
    ) -> CameraSample:
        """The lens, exposure, transform and frustum: see Stage.cameras."""
        table = self._stage.cameras(self._path, time, aspect_ratio=aspect_ratio, conform=conform)
        found: CameraSample = table[self._path]
        return found

    def frustum(
        self, time: Time = None, *, aspect_ratio: float = 0.0, conform: str = "fit"
    ) -> Frustum:
        """The camera at a time: its window, view matrix and projection matrix."""
        return self.get(time, aspect_ratio=aspect_ratio, conform=conform).frustum
