"""Cameras and what they see: Gf.Camera and Gf.Frustum."""

from __future__ import annotations

import math
from typing import Any

from stagedoor.pxr._enum import Enum
from stagedoor.pxr._gf.matrices import Matrix4d
from stagedoor.pxr._gf.numbers import to_float
from stagedoor.pxr._gf.ranges import Range, Range1d, Range1f, Range2d
from stagedoor.pxr._gf.rotation import Rotation
from stagedoor.pxr._gf.vectors import Vec, Vec2d, Vec3d

# A focal length is in tenths of the unit of the scene.
UNIT = 0.1


class Frustum:
    """The space that a camera sees. The camera looks along its -z axis."""

    Orthographic = Enum("Gf.Frustum.Orthographic")
    Perspective = Enum("Gf.Frustum.Perspective")

    def __init__(
        self,
        position: Any = (0, 0, 0),
        rotation: Rotation | None = None,
        window: Range | None = None,
        nearFar: Range | None = None,
        projectionType: Enum = Perspective,
        viewDistance: float = 5.0,
    ) -> None:
        self.position: Vec = Vec3d(position)
        self.rotation = Rotation(rotation) if rotation is not None else Rotation()
        self.window: Range = window or Range2d(Vec2d(-1, -1), Vec2d(1, 1))
        self.nearFar: Range = nearFar or Range1d(1, 10)
        self.projectionType = projectionType
        self.viewDistance = viewDistance

    def GetPosition(self) -> Vec:
        return self.position

    def GetRotation(self) -> Rotation:
        return self.rotation

    def GetWindow(self) -> Range:
        return self.window

    def GetNearFar(self) -> Range:
        return self.nearFar

    def GetProjectionType(self) -> Enum:
        return self.projectionType

    def GetViewDistance(self) -> float:
        return self.viewDistance

    def ComputeViewDirection(self) -> Vec:
        return self.rotation.TransformDir(Vec3d(0, 0, -1))

    def ComputeUpVector(self) -> Vec:
        return self.rotation.TransformDir(Vec3d(0, 1, 0))

    def ComputeViewInverse(self) -> Any:
        return Matrix4d().SetRotate(self.rotation).SetTranslateOnly(self.position)

    def ComputeViewMatrix(self) -> Any:
        return Matrix4d().SetLookAt(self.position, self.rotation)

    def ComputeAspectRatio(self) -> float:
        size = self.window.GetSize()
        return float(size[0] / size[1]) if size[1] else 0.0

    def ComputeProjectionMatrix(self) -> Any:
        """To the cube from -1 to 1."""
        (left, bottom), (right, top) = self.window.min, self.window.max
        near, far = self.nearFar.min, self.nearFar.max
        across, up, deep = right - left, top - bottom, far - near
        made = Matrix4d(0)
        if self.projectionType == Frustum.Orthographic:
            made[0, 0], made[1, 1], made[2, 2], made[3, 3] = 2 / across, 2 / up, -2 / deep, 1
            made[3, 0], made[3, 1] = -(right + left) / across, -(top + bottom) / up
            made[3, 2] = -(far + near) / deep
            return made
        made[0, 0], made[1, 1] = 2 / across, 2 / up
        made[2, 0], made[2, 1] = (right + left) / across, (top + bottom) / up
        made[2, 2], made[2, 3] = -(far + near) / deep, -1
        made[3, 2] = -2 * near * far / deep
        return made

    def ComputeCorners(self) -> tuple[Vec, ...]:
        """The corners: of the near plane, then of the far one."""
        to_world = self.ComputeViewInverse()
        corners = []
        for depth in (self.nearFar.min, self.nearFar.max):
            scale = depth if self.projectionType == Frustum.Perspective else 1.0
            for y in (self.window.min[1], self.window.max[1]):
                corners += [
                    to_world.Transform(Vec3d(x * scale, y * scale, -depth))
                    for x in (self.window.min[0], self.window.max[0])
                ]
        return tuple(corners)

    def __repr__(self) -> str:
        parts = (self.position, self.rotation, self.window, self.nearFar)
        return f"Gf.Frustum({', '.join(map(repr, parts))}, {self.projectionType})"


class Camera:
    """A lens: what UsdGeom.Camera.GetCamera returns."""

    APERTURE_UNIT = UNIT
    FOCAL_LENGTH_UNIT = UNIT
    DEFAULT_HORIZONTAL_APERTURE = 20.955
    DEFAULT_VERTICAL_APERTURE = 15.2908
    Perspective = Enum("Gf.Camera.Perspective")
    Orthographic = Enum("Gf.Camera.Orthographic")
    FOVHorizontal = Enum("Gf.Camera.FOVHorizontal")
    FOVVertical = Enum("Gf.Camera.FOVVertical")

    def __init__(
        self,
        transform: Any = None,
        projection: Enum = Perspective,
        horizontalAperture: float = DEFAULT_HORIZONTAL_APERTURE,
        verticalAperture: float = DEFAULT_VERTICAL_APERTURE,
        horizontalApertureOffset: float = 0.0,
        verticalApertureOffset: float = 0.0,
        focalLength: float = 50.0,
        clippingRange: Range | None = None,
        clippingPlanes: Any = (),
        fStop: float = 0.0,
        focusDistance: float = 0.0,
    ) -> None:
        self.transform = Matrix4d(transform) if transform is not None else Matrix4d(1)
        self.projection = projection
        self.horizontalAperture = to_float(horizontalAperture)
        self.verticalAperture = to_float(verticalAperture)
        self.horizontalApertureOffset = to_float(horizontalApertureOffset)
        self.verticalApertureOffset = to_float(verticalApertureOffset)
        self.focalLength = to_float(focalLength)
        self.clippingRange: Range = clippingRange or Range1f(1, 1000000)
        self.clippingPlanes = list(clippingPlanes)
        self.fStop = to_float(fStop)
        self.focusDistance = to_float(focusDistance)

    @property
    def aspectRatio(self) -> float:
        return self.horizontalAperture / self.verticalAperture if self.verticalAperture else 0.0

    @property
    def horizontalFieldOfView(self) -> float:
        return self.GetFieldOfView(Camera.FOVHorizontal)

    @property
    def verticalFieldOfView(self) -> float:
        return self.GetFieldOfView(Camera.FOVVertical)

    def GetFieldOfView(self, direction: Enum) -> float:
        horizontal = direction == Camera.FOVHorizontal
        aperture = self.horizontalAperture if horizontal else self.verticalAperture
        return to_float(2 * math.degrees(math.atan(aperture * 0.5 / self.focalLength)))

    @property
    def frustum(self) -> Frustum:
        rotation = self.transform.GetOrthonormalized().ExtractRotation()
        half = Vec2d(self.horizontalAperture, self.verticalAperture) / 2
        offset = Vec2d(self.horizontalApertureOffset, self.verticalApertureOffset)
        perspective = self.projection == Camera.Perspective
        scale = 1.0 / self.focalLength if perspective and self.focalLength else UNIT
        window = Range2d((offset - half) * scale, (offset + half) * scale)
        kind = Frustum.Perspective if perspective else Frustum.Orthographic
        near_far = Range1d(self.clippingRange.min, self.clippingRange.max)
        return Frustum(self.transform.ExtractTranslation(), rotation, window, near_far, kind)

    def _key(self) -> tuple[Any, ...]:
        return tuple(vars(self).values())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Camera) and self._key() == other._key()

    __hash__ = None  # type: ignore[assignment]


def getters() -> None:
    """Adds GetFocalLength and so on, which return what the properties of the name do."""
    names = [
        *("transform", "projection", "horizontalAperture", "verticalAperture", "focalLength"),
        *("horizontalApertureOffset", "verticalApertureOffset", "clippingRange", "frustum"),
        *("clippingPlanes", "fStop", "focusDistance", "aspectRatio"),
    ]
    for name in names:
        method = f"Get{name[0].upper()}{name[1:]}"
        setattr(Camera, method, lambda self, _name=name: getattr(self, _name))


getters()
