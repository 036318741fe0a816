"""Tests of check_layers.py with the arrows of arrows.bzl."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_layers


class ArrowsTest(unittest.TestCase):
    def assertArrow(self, user, used, expected):
        self.assertEqual(check_layers.allowed(user, used, check_layers.load_arrows()), expected,
                         "%s -> %s" % (user, used))

    def test_the_engine_depends_on_lower_packages_only(self):
        self.assertArrow("scene/stage", "scene/paths", True)
        self.assertArrow("scene/paths", "scene/stage", False)
        self.assertArrow("resolver/file", "scene/values", False)

    def test_siblings_may_not_depend_on_each_other(self):
        self.assertArrow("scene/usda", "scene/usdc", False)
        self.assertArrow("scene/schema", "scene/composition", False)
        self.assertArrow("scene/skel", "scene/usdc", True)

    def test_the_engine_may_not_use_protobuf(self):
        self.assertArrow("scene/skel", "proto", False)
        self.assertArrow("server", "proto", True)

    def test_only_the_remote_backend_of_the_resolver_uses_protobuf(self):
        self.assertArrow("resolver/remote", "proto", True)
        self.assertArrow("resolver/remote", "resolver/store", True)
        self.assertArrow("resolver/http", "proto", False)
        self.assertArrow("resolver", "resolver/remote", False)
        self.assertArrow("scene/layer", "resolver/remote", False)
        self.assertArrow("scene/engine", "resolver/remote", True)
        self.assertArrow("client/cli", "resolver/remote", True)
        self.assertArrow("client/cc", "resolver/remote", False)

    def test_clients_reach_the_engine_through_the_server_only(self):
        self.assertArrow("client", "scene/stage", False)
        self.assertArrow("client", "server", False)
        self.assertArrow("client/cli", "server", True)

    def test_everything_may_use_base_but_base_uses_nothing_above(self):
        self.assertArrow("client/cli", "base", True)
        self.assertArrow("base", "resolver", False)

    def test_packages_without_an_entry_are_not_restricted(self):
        self.assertArrow("scene/paths", "bazel", True)


class FailedAllocationsTest(unittest.TestCase):
    def test_hash_tables_of_abseil_are_for_clients_only(self):
        for name, safe in (("flat_hash_map", False), ("node_hash_set", False), ("inlined_vector", True)):
            label = "@com_google_absl//absl/container:" + name
            self.assertEqual(check_layers.survives_failed_allocations("scene/values", label), safe, name)
            self.assertTrue(check_layers.survives_failed_allocations("client/cli", label), name)


if __name__ == "__main__":
    unittest.main()
