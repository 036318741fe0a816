"""Tests of client_methods.py: the methods read from protos, and the declarations written."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import client_methods

PROTO = """
service QueryService {
  // One prim.
  // NOT_FOUND if there is none.
  rpc GetPrim(GetPrimRequest) returns (GetPrimResponse);
  rpc Traverse(TraverseRequest)
      returns (stream TraverseResponse);
}
"""


class ClientMethodsTest(unittest.TestCase):
    def setUp(self):
        self.found = list(client_methods.methods(PROTO))

    def test_methods_come_with_their_comments(self):
        self.assertEqual([(m.service, m.name, m.stream, m.comment) for m in self.found],
                         [("Query", "GetPrim", False, ["// One prim.", "// NOT_FOUND if there is none."]),
                          ("Query", "Traverse", True, [])])

    def test_each_method_has_a_blocking_and_an_asynchronous_form(self):
        text = client_methods.declarations(self.found)
        self.assertIn("  // One prim.\n  // NOT_FOUND if there is none.\n"
                      "  absl::StatusOr<v1::GetPrimResponse> GetPrim(const v1::GetPrimRequest& request, "
                      "const CallOptions& call = {});\n"
                      "  void GetPrimAsync(const v1::GetPrimRequest& request, Callback<v1::GetPrimResponse> callback, "
                      "const CallOptions& call = {});\n", text)
        self.assertIn("  absl::Status Traverse(const v1::TraverseRequest& request, const Sink<v1::TraverseResponse>& sink);\n"
                      "  absl::Status Traverse(const v1::TraverseRequest& request, const Sink<v1::TraverseResponse>& sink, const CallOptions& call);\n"
                      "  void TraverseAsync(const v1::TraverseRequest& request, Sink<v1::TraverseResponse> sink, Done done, const CallOptions& call = {});\n", text)

    def test_the_list_distinguishes_streams(self):
        self.assertTrue(client_methods.listed(self.found).endswith("\nUNARY(Query, GetPrim)\nSTREAM(Query, Traverse)\n"))


if __name__ == "__main__":
    unittest.main()
