"""Cameras and what they see."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import stagedoor

CAMERAS = """#usda 1.0
over "World"
{
    def Camera "Cam"
    {
        float focalLength.timeSamples = { 0: 40, 10: 80 }
        float horizontalAperture = 36
        float verticalAperture = 24
        float horizontalApertureOffset = 2
        float2 clippingRange = (1, 3)
        float4[] clippingPlanes = [(1, 0, 0, 5), (0, 1, 0, 6)]
        float fStop = 2.5
        float exposure = 1
        double shutter:close = 0.5
        uniform token stereoRole = "left"
        double3 xformOp:translate = (1, 2, 3)
        float xformOp:rotateY = 90
        uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateY"]
    }
    def Camera "Top"
    {
        token projection = "orthographic"
    }
}
"""


@pytest.fixture
def shot(stage):
    stage.set_session_layer(CAMERAS)
    return stage


def test_a_camera_has_a_lens_and_a_transform(shot):
    camera = shot.camera("/World/Cam").get(0)
    assert camera.projection == "perspective"
    assert camera.focal_length == 40
    assert (camera.horizontal_aperture, camera.vertical_aperture) == (36, 24)
    assert (camera.horizontal_aperture_offset, camera.vertical_aperture_offset) == (2, 0)
    assert camera.clipping_planes.tolist() == [[1, 0, 0, 5], [0, 1, 0, 6]]
    assert (camera.f_stop, camera.focus_distance) == (2.5, 0)
    assert (camera.shutter_open, camera.shutter_close) == (0, 0.5)
    assert (camera.exposure, camera.linear_exposure_scale) == (1, 2)
    assert camera.stereo_role == "left"
    assert camera.transform.shape == (4, 4)
    assert camera.transform[3, :3].tolist() == shot["/World/Cam"].transform(0)[3, :3].tolist()


def test_a_frustum_follows_the_lens(shot):
    frustum = shot.camera("/World/Cam").frustum(0)
    assert not frustum.orthographic
    assert np.allclose(frustum.window, [[-0.4, -0.3], [0.5, 0.3]])
    assert (frustum.near, frustum.far) == (1, 3)
    assert np.allclose(frustum.field_of_view, [48.45549, 33.398487])
    assert np.allclose(frustum.view_direction, [-1, 0, 0], atol=1e-7)
    assert np.allclose(frustum.position, shot["/World/Cam"].transform(0)[3, :3])
    near_corner = frustum.position + np.array([-1, 0.3, -0.5])
    corner = np.append(near_corner, 1) @ frustum.view_projection
    assert np.allclose(corner / corner[3], [1, 1, -1, 1], atol=1e-6)
    assert np.allclose(shot.camera("/World/Cam").frustum(10).window, [[-0.2, -0.15], [0.25, 0.15]])


def test_windows_are_fitted_to_the_image(shot):
    camera = shot.camera("/World/Cam")
    for conform, width, height in [
        ("fit", 1.8, 0.6),
        ("crop", 0.9, 0.3),
        ("match_vertically", 1.8, 0.6),
        ("match_horizontally", 0.9, 0.3),
        ("dont_conform", 0.9, 0.6),
    ]:
        window = camera.frustum(0, aspect_ratio=3, conform=conform).window
        assert np.allclose(window[1] - window[0], [width, height]), conform
    with pytest.raises(ValueError, match="unknown policy 'best'"):
        camera.frustum(0, conform="best")
    with pytest.raises(stagedoor.InvalidArgumentError):
        camera.frustum(0, aspect_ratio=-1)


def test_cameras_are_computed_in_batches(shot):
    found = shot.cameras(["/World/Cam", "/World/Top", "/World", "/None"], [0, 5])
    assert [sample.focal_length for sample in found["/World/Cam"]] == [40, 60]
    assert found["/World/Top"][1].frustum.orthographic
    assert found["/World/Top"][1].stereo_role == "mono"
    assert len(found["/World/Top"][1].clipping_planes) == 0
    with pytest.raises(stagedoor.InvalidArgumentError, match="is not a Camera"):
        found["/World"]
    with pytest.raises(stagedoor.NotFoundError):
        found["/None"]


def test_handles_name_cameras(shot):
    camera = shot.camera("/World/Cam")
    assert camera.path == "/World/Cam"
    assert camera.prim.type_name == "Camera"
    assert repr(camera) == "<Camera /World/Cam>"
    with pytest.raises(TypeError, match=r"\.camera\('/World/Cam'\)"):
        camera.__reduce__()


def test_asyncio_cameras(daemon, folder):
    async def ask():
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            await stage.set_session_layer(CAMERAS)
            camera = stage.camera("/World/Cam")
            assert await camera.prim.type_name == "Camera"
            return await camera.frustum(0), (await camera.get(10)).focal_length

    frustum, focal_length = asyncio.run(ask())
    assert np.allclose(frustum.window, [[-0.4, -0.3], [0.5, 0.3]])
    assert focal_length == 80
