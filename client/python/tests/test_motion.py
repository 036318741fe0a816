"""Motion within a shutter."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

import stagedoor
from stagedoor.types import TimeCode

MOVING = """#usda 1.0
def Xform "Fan"
{
    double xformOp:translateX.timeSamples = { 0: 0, 1: 10, 2: 30 }
    uniform token[] xformOpOrder = ["xformOp:translateX"]
    def Camera "Eye"
    {
        float focalLength.timeSamples = { 0.75: 40, 3: 80 }
        uniform token stereoRole = "left"
    }
    def Points "Dust"
    {
        point3f[] points.timeSamples = { 0: [(0, 0, 0)], 1: [(1, 0, 0)] }
        float[] primvars:heat.timeSamples = { 0: [1], 1: [3] }
    }
    def PointInstancer "Many"
    {
        int[] protoIndices = [0, 0]
        int64[] ids.timeSamples = { 0: [7, 8], 1: [8, 7] }
        point3f[] positions.timeSamples = { 0: [(7, 0, 0), (8, 0, 0)], 1: [(80, 0, 0), (70, 0, 0)] }
        rel prototypes = </Fan/Many/P>
        def Cube "P"
        {
        }
    }
}
def Cube "Still"
{
}
"""


@pytest.fixture
def shot(stage):
    stage.set_session_layer(MOVING)
    return stage


def test_transforms_have_the_samples_of_ancestors(shot):
    table = shot.transforms(["/Fan/Dust", "/Still", "/None"], 1, shutter=(-0.25, 0.25))
    motion = table["/Fan/Dust"]
    assert motion.times.tolist() == [0, 1, 2]
    assert motion.values[:, 3, 0].tolist() == [0, 10, 30]
    assert motion.varies and not motion.thinned
    assert motion.sources == ()
    still = table["/Still"]
    assert still.times.tolist() == [1]
    assert not still.varies
    assert still.values.shape == (1, 4, 4)
    assert "/None" in table.errors


def test_each_time_has_a_shutter_of_its_own(shot):
    found = shot.transforms("/Fan", [0, 1.5], shutter=(0, 0.25))["/Fan"]
    assert [motion.times.tolist() for motion in found] == [[0, 1], [1, 2]]
    local = shot.transforms("/Fan", 0, local=True, shutter=(0, 0.25))["/Fan"]
    assert local.values[1, 3, 0] == 10


def test_a_shutter_says_how_to_sample(shot):
    def of(**options):
        return shot.transforms("/Fan", 1, shutter=stagedoor.Shutter(-0.5, 0.5, **options))["/Fan"]

    assert of(segments=2).times.tolist() == [0.5, 1, 1.5]
    ends = of(at_ends=True, sources=True)
    assert ends.times.tolist() == [0.5, 1, 1.5]
    assert ends.values[:, 3, 0].tolist() == [5, 10, 20]
    assert ends.sources == ("", "/Fan.xformOp:translateX", "")
    few = of(max_samples=2)
    assert few.times.tolist() == [0, 2]
    assert few.thinned
    with pytest.raises(stagedoor.InvalidArgumentError, match="at least shutter_open"):
        shot.transforms("/Fan", 1, shutter=(1, 0))
    with pytest.raises(stagedoor.InvalidArgumentError, match="numeric"):
        shot.transforms("/Fan", shutter=(0, 1))


def test_cameras_have_the_samples_of_their_lenses(shot):
    motion = shot.cameras("/Fan/Eye", 0.5, shutter=(0, 0.5))["/Fan/Eye"]
    assert motion.times.tolist() == [0, 0.75, 1]
    assert [sample.focal_length for sample in motion.values][:2] == [40, 40]
    assert [sample.transform[3, 0] for sample in motion.values] == [0, 7.5, 10]
    assert motion.values[2].stereo_role == "left"


def test_primvars_have_samples(shot):
    motion = shot.primvars("/Fan/Dust", 0.5, shutter=(0, 0.25))["/Fan/Dust"]
    assert motion.times.tolist() == [0, 1]
    assert [found["heat"].value.tolist() for found in motion.values] == [[1], [3]]


def test_points_and_instances_have_an_item_for_each_sample(shot):
    points = shot.moving_points("/Fan/Dust", 0.5, shutter=(0, 0.25))
    assert [item.time for item in points] == [TimeCode(0), TimeCode(1)]
    assert points[1].points.tolist() == [[1, 0, 0]]
    sample = points[1].sample
    assert (sample.frame, sample.index, sample.count) == (TimeCode(0.5), 1, 2)
    instances = shot.instances("/Fan/Many", 0, shutter=(0, 0.25), ids=True)
    assert [item.ids.tolist() for item in instances] == [[7, 8], [7, 8]]
    assert instances[1].transforms[:, 3, 0].tolist() == [70, 80]
    assert shot.moving_points("/Fan/Dust", 0.5)[0].sample is None


def test_skinned_points_have_an_item_for_each_sample(stage):
    found = list(stage.skinned_points(times=[1.5], shutter=(0, 0.25)))
    for item in found:
        assert item.error is not None or item.sample.frame == TimeCode(1.5)


def test_asynchronous_clients_can_ask_too(daemon, folder):
    async def ask():
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            await stage.set_session_layer(MOVING)
            return await stage.transforms("/Fan", 1, shutter=(-0.25, 0.25))

    assert np.array_equal(asyncio.run(ask())["/Fan"].times, [0, 1, 2])
