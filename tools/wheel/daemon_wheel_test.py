"""Tests of the daemon's wheel: its name, its files and their modes, RECORD, and that it can be made again."""
import base64
import csv
import hashlib
import io
import os
import sys
import unittest
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../image")]

import daemon_wheel
import file_tree
import wheel_file

LAUNCHER = b"launcher"


def small_tree(reverse=False):
    files = [("usr/bin/program", b"code", 0o755), ("usr/share/zone", b"zone", 0o644), ("etc/a,b", b"", 0o644)]
    tree = file_tree.FileTree()
    for path, content, mode in reversed(files) if reverse else files:
        tree.file(path, content, mode)
    tree.link("usr/share/alias", "zone")
    return tree


def make(tree, created=1_700_000_001):
    return daemon_wheel.wheel(tree, ["program"], LAUNCHER, "amd64", "1.2.3", created)


class DaemonWheelTest(unittest.TestCase):
    def setUp(self):
        self.name, self.content = make(small_tree())
        self.archive = zipfile.ZipFile(io.BytesIO(self.content))

    def read(self, name):
        return self.archive.read(f"stagedoor_daemon-1.2.3.dist-info/{name}").decode()

    def test_the_name_has_a_tag_for_each_libc(self):
        self.assertEqual(self.name, "stagedoor_daemon-1.2.3-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64.whl")
        tags = [line for line in self.read("WHEEL").splitlines() if line.startswith("Tag: ")]
        self.assertEqual(tags, [f"Tag: py3-none-{platform}" for platform in self.name[:-4].split("-")[4].split(".")])
        self.assertIn("Root-Is-Purelib: false\n", self.read("WHEEL"))
        self.assertEqual(daemon_wheel.tags("arm64")[2][0], "manylinux_2_17_aarch64")
        with self.assertRaisesRegex(ValueError, "unknown architecture 'mips'; wheels are made for amd64, arm64"):
            daemon_wheel.tags("mips")

    def test_a_launcher_is_a_script_and_the_rest_is_below_its_home(self):
        found = {info.filename: (self.archive.read(info), oct(info.external_attr >> 16)) for info in self.archive.infolist()}
        home = "stagedoor_daemon-1.2.3.data/data/libexec/stagedoor"
        self.assertEqual({path: entry for path, entry in found.items() if ".dist-info/" not in path}, {
            "stagedoor_daemon-1.2.3.data/scripts/program": (LAUNCHER, "0o100755"), f"{home}/usr/bin/program": (b"code", "0o100755"),
            f"{home}/usr/share/zone": (b"zone", "0o100644"), f"{home}/usr/share/alias": (b"zone", "0o100644"),
            f"{home}/etc/a,b": (b"", "0o100644")})

    def test_the_record_has_every_file_with_its_digest_and_itself_without(self):
        rows = list(csv.reader(io.StringIO(self.read("RECORD"))))
        self.assertEqual([row[0] for row in rows], self.archive.namelist())
        self.assertEqual(rows.pop(), ["stagedoor_daemon-1.2.3.dist-info/RECORD", "", ""])
        for path, digest, size in rows:
            content = self.archive.read(path)
            wanted = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            self.assertEqual((digest, size), (f"sha256={wanted}", str(len(content))), path)

    def test_the_metadata_name_the_distribution_and_end_with_its_description(self):
        head, _, description = self.read("METADATA").partition("\n\n")
        self.assertEqual(head.splitlines()[:3], ["Metadata-Version: 2.1", "Name: stagedoor-daemon", "Version: 1.2.3"])
        self.assertTrue(description.startswith("# The Stagedoor daemon\n"), description)

    def test_equal_files_give_equal_bytes_and_all_have_the_time_of_the_commit(self):
        self.assertEqual(make(small_tree(reverse=True)), (self.name, self.content))
        self.assertEqual({info.date_time for info in self.archive.infolist()}, {(2023, 11, 14, 22, 13, 20)})

    def test_times_before_those_of_archives_are_the_first_of_these(self):
        self.assertEqual(zipfile.ZipFile(io.BytesIO(make(small_tree(), 0)[1])).infolist()[0].date_time, wheel_file.EARLIEST)


if __name__ == "__main__":
    unittest.main()
