"""The reference resolver service keeps the rules that `stagedoor check-resolver` checks.

Follows docs/resolver_service.md: makes the stubs with grpcio-tools and starts the service. Needs grpcio and grpcio-tools in
the Python that STAGEDOOR_GRPC_PYTHON names (tools/grpc_python.sh); otherwise it is skipped.
"""
import os
import subprocess
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
PYTHON = os.environ.get("STAGEDOOR_GRPC_PYTHON")
COMMAND = os.path.join(ROOT, "client/cli/stagedoor")
SERVICE = os.path.join(ROOT, "examples/resolver_service/reference_resolver.py")


@unittest.skipUnless(PYTHON, "no grpcio here")
class ReferenceResolverTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(dir="/tmp")  # short, for the socket
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.show = os.path.join(self.folder, "show")
        self.write("outside.usda", b"#usda 1.0\n")
        self.write("show/root.usda", b"#usda 1.0\n")
        self.write("show/empty.usda", b"")
        self.write("show/assets/deep/clip.bin", bytes(i * 31 % 251 for i in range(3 << 20)))
        os.mkdir(os.path.join(self.show, "tmp"))
        self.address = "unix:" + os.path.join(self.folder, "socket")
        stubs = os.path.join(self.folder, "stubs")
        os.mkdir(stubs)
        subprocess.run([PYTHON, "-m", "grpc_tools.protoc", "-I", os.path.join(ROOT, "proto"), "--python_out=.",
                        "--grpc_python_out=.", "stagedoor/resolver/v1/resolver.proto"], cwd=stubs, check=True)
        service = subprocess.Popen([PYTHON, SERVICE, self.show, "asset://show", self.address], stdout=subprocess.PIPE,
                                   text=True, env=dict(os.environ, PYTHONPATH=stubs, PYTHONDONTWRITEBYTECODE="1"))
        self.addCleanup(service.stdout.close)
        self.addCleanup(service.wait)
        self.addCleanup(service.kill)
        self.assertIn("serving", service.stdout.readline())

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)

    def check(self, *arguments):
        ended = subprocess.run([COMMAND, "check-resolver", self.address, "--scheme=asset", *arguments],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return ended.returncode, ended.stdout + ended.stderr

    def test_keeps_every_rule(self):
        code, printed = self.check("--path=asset://show/assets/deep/clip.bin", "--path=asset://show/root.usda",
                                   "--path=asset://show/empty.usda", f"--writable-dir={self.show}/tmp=asset://show/tmp")
        self.assertEqual(code, 0, printed)
        self.assertIn(" ok, 0 failed, 0 skipped\n", printed)
        self.assertEqual(os.listdir(os.path.join(self.show, "tmp")), [])

    def test_serves_nothing_outside_of_its_directory(self):
        os.symlink(os.path.join(self.folder, "outside.usda"), os.path.join(self.show, "link.usda"))
        os.symlink(self.folder, os.path.join(self.show, "up"))
        for path in ("link.usda", "up/outside.usda", "../outside.usda", "assets/../../outside.usda", "%2e%2e/outside.usda",
                     "assets", "", "../show/../outside.usda", "//outside.usda"):
            code, printed = self.check("--path=asset://show/" + path)
            self.assertEqual(code, 1, path)
            self.assertRegex(printed, "FAILED   an asset that exists can be read: '.*': NOT_FOUND", path)
        code, printed = self.check("--path=asset://other/root.usda")
        self.assertRegex(printed, "FAILED   an asset that exists can be read: '.*': NOT_FOUND")


if __name__ == "__main__":
    if not PYTHON:
        print("skipped: STAGEDOOR_GRPC_PYTHON does not name a Python with grpcio and grpcio-tools")
    unittest.main()
