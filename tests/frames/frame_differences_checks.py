"""Tests of frame_differences.py, which random_frames_test.py runs with the Python that has usd-core and NumPy."""
import unittest

import numpy as np
from frame_differences import differences
from frame_geometry import Samples
from plain_values import UNCHECKED, of_usd

POINTS = np.array([[1.0, 2, 3], [4, 5, 6]], np.float32)
NEAR = np.nextafter(POINTS, np.float32(9))
FAR = POINTS + np.float32(0.01)


def found(expected, actual, field="value a"):
    return list(differences({"prim /A": {field: expected}}, {"prim /A": {field: actual}}))


def samples(*values, times=(), exact=True, about=("point3f[]", "vertex", 0), indices=()):
    return Samples(times, list(values), exact, about, indices)


class DifferencesTest(unittest.TestCase):
    def test_equal_facts_do_not_differ(self):
        for value in ("a", 1, 0.5, True, None, ["a", 1], {"a": POINTS}, POINTS, samples(POINTS), samples(POINTS, FAR, times=(1, 2))):
            self.assertEqual(found(value, value), [], value)

    def test_values_of_layers_are_equal_to_the_bit(self):
        self.assertTrue(found(samples(POINTS), samples(NEAR)))

    def test_computed_values_are_near(self):
        self.assertEqual(found(samples(POINTS, exact=False), samples(NEAR)), [])
        self.assertTrue(found(samples(POINTS, exact=False), samples(FAR)))

    def test_transforms_of_single_precision_are_compared_as_such(self):
        matrix, other = np.array([[1.0, 0.06]]), np.array([[1.0, 0.060003]])
        self.assertTrue(found(Samples([], [matrix]), Samples([], [other]), "transform"))
        self.assertEqual(found(Samples([], [matrix], single=True), Samples([], [other]), "transform"), [])

    def test_integers_and_flags_are_equal(self):
        self.assertTrue(found(samples(np.array([[1]]), exact=False), samples(np.array([[2]]))))
        self.assertTrue(found(True, False))
        self.assertTrue(found("a", "b"))
        self.assertTrue(found(["a"], ["a", "b"]))

    def test_shapes_are_equal(self):
        self.assertTrue(found(samples(POINTS, exact=False), samples(POINTS[:1])))
        self.assertTrue(found(samples(POINTS, exact=False), samples(POINTS.reshape(3, 2))))
        self.assertTrue(found(samples(POINTS), samples(None)))

    def test_times_types_and_indices_are_equal(self):
        self.assertTrue(found(samples(POINTS, FAR, times=(1, 2)), samples(POINTS, FAR, times=(1, 3))))
        self.assertTrue(found(samples(POINTS), samples(POINTS, FAR, times=(1, 2))))
        self.assertTrue(found(samples(POINTS), samples(POINTS, about=("float3[]", "vertex", 0))))
        self.assertTrue(found(samples(POINTS, indices=[POINTS]), samples(POINTS)))

    def test_objects_and_fields_are_the_same(self):
        self.assertTrue(list(differences({"prim /A": {}}, {})))
        self.assertTrue(list(differences({}, {"prim /A": {}})))
        self.assertTrue(list(differences({"prim /A": {"a": 1}}, {"prim /A": {}})))

    def test_numbers_have_the_type_that_holds_them(self):
        self.assertEqual(of_usd(0.5, "float").dtype, np.float32)
        self.assertEqual(of_usd(float("nan"), "float").dtype, np.float32)
        self.assertEqual(of_usd(0.1, "float").dtype, np.float64)
        self.assertEqual(of_usd(True, "bool").dtype, np.bool_)

    def test_what_usd_core_does_not_give_is_not_checked(self):
        self.assertEqual(found(UNCHECKED, 1), [])


if __name__ == "__main__":
    unittest.main()
