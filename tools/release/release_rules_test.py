"""Tests of what keeps a release from being made: versions that differ, an unfinished changelog, a wheel that lacks something."""
import os
import sys
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import changelog
import versions

FILES = {
    "stagedoor/__init__.py": "", "stagedoor/_version.py": '__version__ = "1.2.3"\n', "stagedoor/py.typed": "",
    "stagedoor/_proto/descriptors.binpb": "x",
    "stagedoor-1.2.3.dist-info/METADATA": "Metadata-Version: 2.4\nName: stagedoor\nVersion: 1.2.3\n",
}


class VersionsTest(unittest.TestCase):
    def test_a_file_that_has_to_state_the_version_states_it(self):
        path = "deploy/kubernetes/base/kustomization.yaml"
        self.assertEqual(versions.text_errors(path, "    newTag: 1.2.3\n", "1.2.3"), [])
        self.assertEqual(versions.text_errors(path, "    newTag: 1.2.4\n", "1.2.3"), [f"{path} states the version 1.2.4, not 1.2.3"])
        self.assertIn("states no version", versions.text_errors(path, "    newTag: latest\n", "1.2.3")[0])

    def test_the_extra_names_the_daemon_of_the_same_version(self):
        path = "client/python/pyproject.toml"
        self.assertEqual(versions.text_errors(path, 'daemon = ["stagedoor-daemon==1.2.3"]', "1.2.3"), [])
        self.assertEqual(versions.text_errors(path, 'daemon = ["stagedoor-daemon==1.2.4"]', "1.2.3"),
                         [f"{path} states the version 1.2.4, not 1.2.3"])
        self.assertIn("states no version", versions.text_errors(path, 'daemon = ["stagedoor-daemon"]', "1.2.3")[0])

    def test_two_numbers_are_the_first_two(self):
        self.assertEqual(versions.text_errors("docs/cpp.md", "find_package(Stagedoor 1.2 REQUIRED)", "1.2.3"), [])
        self.assertEqual(versions.text_errors("docs/cpp.md", "find_package(Stagedoor 1.3 REQUIRED)", "1.2.3"),
                         ["docs/cpp.md states the version 1.3, not 1.2.3"])
        self.assertEqual(versions.text_errors("docs/cpp.md", "find_package(Stagedoor 1.2 REQUIRED)", "1.20.3"),
                         ["docs/cpp.md states the version 1.2, not 1.20.3"])

    def test_names_of_other_versions_are_found_in_all_files(self):
        for text in ("docker run stagedoor:1.2.4", "stagedoor-1.2.4-py3-none-any.whl", "stagedoor-cpp-1.2.4-linux-amd64.tar.gz", "stagedoor_daemon-1.2.4-py3-none-any.whl",
                     "stagedoor_openusd-1.2.4.2608-cp311-none-any.whl",
                     "crash: stagedoord 1.2.4", "Stagedoor 1.2.4"):
            self.assertEqual(versions.text_errors("docs/some.md", text, "1.2.3"), ["docs/some.md states the version 1.2.4, not 1.2.3"], text)
        self.assertEqual(versions.text_errors("docs/some.md", "stagedoor:1.2.3, Python 3.9, numpy-1.2.4", "1.2.3"), [])

    def test_history_may_name_other_versions(self):
        with tempfile.TemporaryDirectory() as root:
            for path in ("CHANGELOG.md", "README.md"):
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write("stagedoor 1.2.2")
            stated, versions.STATED = versions.STATED, {}
            try:
                found = versions.tree_errors(root, ["CHANGELOG.md", "README.md"], "1.2.3")
            finally:
                versions.STATED = stated
            self.assertEqual(found, ["README.md states the version 1.2.2, not 1.2.3"])


class WheelTest(unittest.TestCase):
    def errors(self, files, name="stagedoor-1.2.3-py3-none-any.whl", version="1.2.3"):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, name)
            with zipfile.ZipFile(path, "w") as wheel:
                for member, content in files.items():
                    wheel.writestr(member, content)
            return versions.wheel_errors(path, version)

    def test_a_complete_wheel_of_the_version_is_right(self):
        self.assertEqual(self.errors(FILES), [])

    def test_another_version_is_noticed_wherever_it_is_stated(self):
        self.assertEqual(self.errors(FILES, name="stagedoor-1.2.4-py3-none-any.whl"),
                         ["stagedoor-1.2.4-py3-none-any.whl is not the wheel of version 1.2.3; build it again"])
        metadata = "stagedoor-1.2.3.dist-info/METADATA"
        self.assertEqual(self.errors({**FILES, metadata: "Version: 1.2.4\n"}),
                         [f"stagedoor-1.2.3-py3-none-any.whl: {metadata} states 1.2.4, not 1.2.3"])
        self.assertEqual(self.errors({**FILES, "stagedoor/_version.py": '__version__ = "1.2.4"'}),
                         ["stagedoor-1.2.3-py3-none-any.whl: stagedoor/_version.py states 1.2.4, not 1.2.3"])

    def test_missing_files_are_noticed(self):
        for member, wanted in (("stagedoor/_proto/descriptors.binpb", "lacks stagedoor/_proto/descriptors.binpb"),
                               ("stagedoor/py.typed", "lacks stagedoor/py.typed"),
                               ("stagedoor/_version.py", "stagedoor/_version.py states no version"),
                               ("stagedoor-1.2.3.dist-info/METADATA", "METADATA states no version")):
            (error,) = self.errors({name: content for name, content in FILES.items() if name != member})
            self.assertIn(wanted, error)

    def test_wheels_of_the_plug_in_have_the_version_and_that_of_openusd(self):
        self.assertEqual(versions.openusd_errors(["stagedoor_openusd-1.2.3.2608-cp311-none-any.whl"], "1.2.3"), [])
        for name in ("stagedoor_openusd-1.2.4.2608-cp311-none-any.whl", "stagedoor_openusd-1.2.3-cp311-none-any.whl", "usd.whl"):
            self.assertEqual(versions.openusd_errors([name], "1.2.3"), [f"{name} is not a wheel of version 1.2.3; build it again"])


class ChangelogTest(unittest.TestCase):
    READY = "# Changelog\n\nWords.\n\n## Unreleased\n\n## 1.2.3 - 2026-11-26\n\n### Added\n- A.\n\n## 1.2.2 - 2026-10-01\n- B.\n"

    def test_a_dated_section_below_an_empty_one_is_ready(self):
        self.assertEqual(changelog.errors(self.READY, "1.2.3"), [])

    def test_entries_that_are_not_released_yet_are_noticed(self):
        (error,) = changelog.errors(self.READY.replace("## Unreleased\n", "## Unreleased\n- C.\n"), "1.2.3")
        self.assertIn("has entries in '## Unreleased'", error)

    def test_the_section_of_the_version_must_be_there_once_dated_and_on_top(self):
        wanted = "must have one section '## 1.2.3 - YYYY-MM-DD'"
        for old, new in (("1.2.3 - 2026-11-26", "1.2.3"), ("1.2.3 - 2026-11-26", "1.2.3 - soon"), ("2026-11-26", "2026-11-26 or so"),
                         ("1.2.3 -", "1x2.3 -"),
                         ("1.2.2 - 2026-10-01", "1.2.3 - 2026-10-01"), ("## 1.2.3", "## 1.2.4 - 2026-11-27\n- D.\n\n## 1.2.3")):
            (error,) = changelog.errors(self.READY.replace(old, new), "1.2.3")
            self.assertIn(wanted, error, new)

    def test_an_empty_section_is_noticed(self):
        (error,) = changelog.errors("## Unreleased\n\n## 1.2.3 - 2026-11-26\n\n", "1.2.3")
        self.assertEqual(error, "CHANGELOG.md: the section of 1.2.3 is empty")

    def test_the_section_of_what_comes_next_must_be_there(self):
        (error,) = changelog.errors("## 1.2.3 - 2026-11-26\n- A.\n", "1.2.3")
        self.assertEqual(error, "CHANGELOG.md must begin with the section '## Unreleased'")


if __name__ == "__main__":
    unittest.main()
