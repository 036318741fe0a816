"""What message_fields.py writes for messages and enums."""
import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "message_fields.py")

PROTO = '''syntax = "proto3";
// message Commented { string no = 1; }
package p;
option java_package = "a;b";
service S { rpc Call(A) returns (stream B) {} }
message A {
  enum Kind { KIND_NONE = 0; KIND_SOME = 3; }
  message Inner { string key = 1; }
  reserved 4;
  optional double start_time = 2 [deprecated = true];  // message X {}
  oneof source { Inner inner_value = 7; map<string, int32> by_name = 8; }
}
enum Top { TOP_ONE = 1; }
message B {}
'''


def write(text):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.proto")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return subprocess.run([sys.executable, SCRIPT, path], stdout=subprocess.PIPE, check=True, text=True).stdout


class MessageFieldsTest(unittest.TestCase):
    def test_fields_and_values(self):
        lines = [line.strip() for line in write(PROTO).splitlines()]
        a = lines[lines.index("struct A {"):lines.index("struct AInner {")]
        self.assertEqual(a[1:-2], [f"static constexpr uint32_t {name};" for name in
                                   ("KIND_NONE = 0", "KIND_SOME = 3", "kStartTime = 2", "kInnerValue = 7", "kByName = 8")])
        self.assertIn("static constexpr uint32_t kKey = 1;", lines[lines.index("struct AInner {"):])
        self.assertIn("inline constexpr uint32_t TOP_ONE = 1;", lines)
        self.assertIn("struct B {", lines)
        self.assertNotIn("struct Commented {", lines)

    def test_unbalanced_files_are_refused(self):
        with self.assertRaises(subprocess.CalledProcessError):
            write("message A {")


if __name__ == "__main__":
    unittest.main()
