"""In OpenUSD, the demo scene shows what its README describes.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names; otherwise it is skipped.
"""
import json
import os
import subprocess
import sys
import unittest

SCENE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stage_door", "root.usda")

# Runs in the oracle's Python and prints what the tests below compare.
PROGRAM = """
import json, sys
from pxr import Usd, UsdSkel
stage = Usd.Stage.Open(sys.argv[1])
def values(path, *times):
    attribute = stage.GetAttributeAtPath(path)
    return [attribute.Get(t) if t is not None else attribute.Get() for t in times]
def samples(path):
    return stage.GetAttributeAtPath(path).GetTimeSamples()
actor = stage.GetPrimAtPath("/Shot/Characters/Actor")
cache = UsdSkel.Cache()
cache.Populate(UsdSkel.Root(actor), Usd.PrimDefaultPredicate)
print(json.dumps({
    "errors": [str(e) for e in stage.GetCompositionErrors()],
    "instances": [str(p.GetPath()) for p in stage.Traverse() if p.IsInstance()],
    "withoutPayload": bool(Usd.Stage.Open(sys.argv[1], load=Usd.Stage.LoadNone).GetPrimAtPath("/Shot/Theatre/Floor")),
    "zoom": values("/Shot/Camera.focalLength", None, 1, 12.5, 48),
    "spot": values("/Shot/Lights/Spot.inputs:intensity", 12, 18, 24),
    "blackout": values("/Shot/Lights.cue:blackout", 4, 34, 43, 44),
    "flicker": samples("/Shot/Props/LampB/Bulb.inputs:intensity"),
    "cord": values("/Shot/Props/LampB.cordLength", None),
    "wind": values("/Shot/Curtain/Cloth.wind", None, 1, 7, 48),
    "windSamples": samples("/Shot/Curtain/Cloth.wind"),
    "bow": samples("/Shot/Characters/Actor/Rig/Bow.rotations"),
    "smile": [list(v) for v in values("/Shot/Characters/Actor/Rig/Bow.blendShapeWeights", 1, 7, 25)],
    "skinned": bool(cache.GetSkinningQuery(stage.GetPrimAtPath("/Shot/Characters/Actor/Body"))),
}))
"""


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON"), "no usd-core here")
class StageDoorTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        out = subprocess.run([os.environ["STAGEDOOR_ORACLE_PYTHON"], "-c", PROGRAM, SCENE], check=True,
                             stdout=subprocess.PIPE).stdout
        cls.seen = json.loads(out)

    def assertNumbers(self, key, expected):
        self.assertEqual(len(self.seen[key]), len(expected), key)
        for actual, number in zip(self.seen[key], expected):
            if number is None:
                self.assertIsNone(actual, key)
            else:
                self.assertAlmostEqual(actual, number, 6, key)

    def test_composes_without_errors(self):
        self.assertEqual(self.seen["errors"], [])

    def test_lamps_with_the_same_variant_are_instances(self):
        self.assertEqual(self.seen["instances"], ["/Shot/Props/LampA", "/Shot/Props/LampC"])

    def test_theatre_is_a_payload(self):
        self.assertFalse(self.seen["withoutPayload"])

    def test_stronger_layer_animates_weaker_default(self):
        self.assertNumbers("zoom", [35, 35, 42.5, 85])

    def test_sublayer_offset_delays_the_lights(self):
        self.assertNumbers("spot", [0, 450, 900])
        self.assertEqual(self.seen["blackout"], [False, True, True, None])

    def test_variant_adds_animation_and_class_adds_a_value(self):
        self.assertNumbers("flicker", [1, 3, 4, 9])
        self.assertNumbers("cord", [1.2])

    def test_clips_interpolate_within_and_across_files(self):
        self.assertNumbers("wind", [None, 2.166, 2.8685, 2.9485])
        self.assertNumbers("windSamples", list(range(1, 50, 4)))

    def test_reference_retimes_the_bow(self):
        self.assertNumbers("bow", [1, 13, 25])
        self.assertEqual(self.seen["smile"], [[0], [0.25], [1]])
        self.assertTrue(self.seen["skinned"])


if __name__ == "__main__":
    if not os.environ.get("STAGEDOOR_ORACLE_PYTHON"):
        print("skipped: STAGEDOOR_ORACLE_PYTHON does not name a Python with usd-core")
    sys.exit(unittest.main())
