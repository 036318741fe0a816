"""Tests of the OpenUSD plug-in's wheel: its version and tags, its files, and which systems can load it."""
import io
import os
import subprocess
import sys
import unittest
import zipfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../image")]

import openusd_wheel
import symbol_versions

TAGS = "cp311", "none", ["manylinux_2_34_x86_64"]
SYMBOLS = """
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.2.5) memcmp
0000000000000000      DF *UND*\t0000000000000000 (GLIBC_2.34) pthread_once
0000000000000000      DF *UND*\t0000000000000000 (GLIBCXX_3.4.9) _ZNSo9_M_insertImEERSoT_
0000000000001120 g    DF .text\t0000000000000010 (GLIBC_2.99) defined
0000000000000000      DF *UND*\t0000000000000000 (OPENSSL_3.0.0) SSL_new
0000000000000000  w   D  *UND*\t0000000000000000  Base        __gmon_start__
"""


def make(files=None):
    files = files or {"libstagedoor_openusd.so": b"plug-in", "libz-01.so.1": b"zlib"}
    metadata = openusd_wheel.metadata("1.2.3.2608", "26.8", "3.11", "# Words\n")
    return openusd_wheel.wheel(files, {"resources/plugInfo.json": b"{}"}, TAGS, "1.2.3.2608", metadata, 1_700_000_001)


class OpenusdWheelTest(unittest.TestCase):
    def test_versions_end_with_that_of_openusd_so_that_newer_ones_are_greater(self):
        numbers = [openusd_wheel.version("1.2.3", usd) for usd in ("25.8", "25.11", "26.3.1", "26.11")]
        self.assertEqual(numbers, ["1.2.3.2508", "1.2.3.2511", "1.2.3.2603", "1.2.3.2611"])
        self.assertEqual([openusd_wheel.usd_of(f"stagedoor_openusd-{number}-cp311-none-any.whl") for number in numbers],
                         ["25.8", "25.11", "26.3", "26.11"])

    def test_libraries_of_every_system_are_left_out(self):
        loaded = ["/lib/libc.so.6", "/lib/libstdc++.so.6", "/lib64/ld-linux-x86-64.so.2", "/lib/libgcc_s.so.1", "/lib/libgrpc++.so.1.51",
                  "/lib/libz.so.1", "/lib/libcares.so.2", "/lib/libm.so.6"]
        with mock.patch.object(openusd_wheel.debian, "libraries", lambda path: loaded):
            self.assertEqual(openusd_wheel.bundled("any"), {name: f"/lib/{name}" for name in ("libcares.so.2", "libgrpc++.so.1.51", "libz.so.1")})

    def test_names_of_libraries_are_their_own_for_each_content(self):
        names = [openusd_wheel.own_name("libgrpc++.so.1.51", content) for content in (b"a", b"b", b"a")]
        self.assertRegex(names[0], r"^libgrpc\+\+-[0-9a-f]{8}\.so\.1\.51$")
        self.assertEqual(names[0], names[2])
        self.assertNotEqual(names[0], names[1])

    def test_files_are_where_usd_core_looks_for_plug_ins(self):
        name, content = make()
        self.assertEqual(name, "stagedoor_openusd-1.2.3.2608-cp311-none-manylinux_2_34_x86_64.whl")
        archive = zipfile.ZipFile(io.BytesIO(content))
        home = "stagedoor_openusd-1.2.3.2608.data/platlib/pxr/pluginfo/stagedoor"
        self.assertEqual({info.filename: oct(info.external_attr >> 16) for info in archive.infolist() if ".dist-info/" not in info.filename}, {
            f"{home}/libstagedoor_openusd.so": "0o100755", f"{home}/libz-01.so.1": "0o100755", f"{home}/resources/plugInfo.json": "0o100644"})

    def test_the_metadata_require_one_usd_core_and_one_python(self):
        archive = zipfile.ZipFile(io.BytesIO(make()[1]))
        head, _, description = archive.read("stagedoor_openusd-1.2.3.2608.dist-info/METADATA").decode().partition("\n\n")
        lines = head.splitlines()
        self.assertEqual(lines[1:3], ["Name: stagedoor-openusd", "Version: 1.2.3.2608"])
        self.assertLessEqual({"Requires-Python: ==3.11.*", "Requires-Dist: usd-core==26.8"}, set(lines))
        self.assertEqual(description, "# Words\n")

    def test_equal_files_give_equal_bytes(self):
        files = {"libz-01.so.1": b"zlib", "libstagedoor_openusd.so": b"plug-in"}
        self.assertEqual(make(files), make())


class SymbolVersionsTest(unittest.TestCase):
    def needed(self, text):
        with mock.patch.object(subprocess, "run", lambda *words, **options: mock.Mock(stdout=text)):
            return symbol_versions.needed(["some.so"])

    def test_the_newest_version_counts_of_what_a_library_does_not_define_itself(self):
        found = self.needed(SYMBOLS)
        self.assertEqual(found, {"GLIBC": ((2, 34), "some.so", "pthread_once"), "GLIBCXX": ((3, 4, 9), "some.so", "_ZNSo9_M_insertImEERSoT_")})
        self.assertEqual(symbol_versions.platform(found, "x86_64"), "manylinux_2_34_x86_64")
        self.assertEqual(symbol_versions.problems(found), [])

    def test_what_older_systems_lack_is_named(self):
        self.assertEqual(symbol_versions.problems(self.needed(SYMBOLS.replace("GLIBCXX_3.4.9", "GLIBCXX_3.4.30"))), [
            "some.so needs GLIBCXX_3.4.30 for _ZNSo9_M_insertImEERSoT_, and systems with glibc 2.34 have 3.4.29"])


if __name__ == "__main__":
    unittest.main()
