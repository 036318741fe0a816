"""The arrows, as check_layers.py reads them from arrows.bzl."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_layers


class ArrowsTest(unittest.TestCase):
    def assertArrow(self, user, used, expected):
        self.assertEqual(check_layers.allowed(user, used, check_layers.load_arrows()), expected,
                         "%s -> %s" % (user, used))

    def test_upwards_only_within_the_engine(self):
        self.assertArrow("scene/stage", "scene/paths", True)
        self.assertArrow("scene/paths", "scene/stage", False)
        self.assertArrow("resolver/file", "scene/values", False)

    def test_what_builds_on_the_same_stands_side_by_side(self):
        self.assertArrow("scene/usdc", "scene/usda", False)
        self.assertArrow("scene/schema", "scene/composition", False)
        self.assertArrow("scene/skel", "scene/usdc", True)

    def test_engine_knows_no_protobuf(self):
        self.assertArrow("scene/skel", "proto", False)
        self.assertArrow("server", "proto", True)

    def test_clients_reach_the_engine_through_the_server_only(self):
        self.assertArrow("client", "scene/stage", False)
        self.assertArrow("client", "server", False)
        self.assertArrow("client/cli", "server", True)

    def test_everything_may_use_base_and_base_nothing_above(self):
        self.assertArrow("client/cli", "base", True)
        self.assertArrow("base", "resolver", False)

    def test_packages_without_an_entry_are_free(self):
        self.assertArrow("scene/paths", "bazel", True)


if __name__ == "__main__":
    unittest.main()
