"""Tests of module_graph.py."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import module_graph


class ModuleGraphTest(unittest.TestCase):
    def test_packages_are_drawn_as_modules(self):
        packages = [("server/rpc", "scene/stage"), ("server/stages", "scene/stage"), ("server/rpc", "server/stages"),
                    ("scene/stage", "base"), ("scene/testing", "scene/stage"), ("tests/time", "scene/clips"),
                    ("client/cli", "proto")]
        self.assertEqual(module_graph.edges(packages), {("server", "scene/stage"), ("client/cli", "proto")})

    def test_arrows_that_follow_from_others_are_left_out(self):
        graph = {("a", "b"), ("b", "c"), ("c", "d"), ("a", "c"), ("a", "d"), ("e", "d")}
        self.assertEqual(module_graph.reduced(graph), {("a", "b"), ("b", "c"), ("c", "d"), ("e", "d")})

    def test_the_server_is_drawn_by_packages_and_the_targets_of_its_root(self):
        targets = [("//server:server", "//server/rpc:rpc"), ("//server:server", "//server:server.cc"), ("//server/rpc:rpc", "//server:limits"),
                   ("//server/rpc:rpc", "//server/rpc:queue"), ("//server/rpc:rpc", "//scene/stage:stage"),
                   ("//server/testing:replies", "//server/rpc:rpc")]
        self.assertEqual(module_graph.server_edges(targets),
                         {("server", "server/rpc"), ("server/rpc", "limits")})

    def test_a_circle_is_found(self):
        self.assertEqual(module_graph.cycle({("a", "b"), ("b", "c"), ("c", "d"), ("d", "b")}), ["b", "c", "d"])
        self.assertEqual(module_graph.cycle({("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")}), [])

    def test_the_picture_is_mermaid_in_a_stable_order(self):
        text = module_graph.picture({("b", "c"), ("a", "b")})
        self.assertTrue(text.endswith("```mermaid\ngraph TD\n  a --> b\n  b --> c\n```\n"), text)


if __name__ == "__main__":
    unittest.main()
