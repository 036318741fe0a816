"""Compares the files of frames of random scenes and of the demo scene, as usd-core reads them, with what it finds in the stages themselves.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names, and the corpus in STAGEDOOR_CONFORMANCE; otherwise it is skipped.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../../client/cli/stagedoor")
DEMO = os.path.join(HERE, "../data/stage_door/root.usda")
SCENES = 45  # of all kinds in turn


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON") and os.environ.get("STAGEDOOR_CONFORMANCE"),
                     "no usd-core or no corpus here")
class FrameFileTest(unittest.TestCase):
    def compare(self, *options):
        """The number of scenes that were compared, without differences."""
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "frame_file.py"), PROGRAM, *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return int(done.stdout.split()[-2])

    def test_demo_scene_has_the_same_frames_in_files(self):
        for options in (["--times", "1,7,24.5,default"], ["--times", "1,13", "--shutter=-0.25,0.25"]):
            self.assertEqual(self.compare("--files", DEMO, *options), 1)

    def test_random_scenes_have_the_same_frames_in_files(self):
        # Scenes for which usd-core reports an error are skipped.
        self.assertGreater(self.compare("--count", str(SCENES)), 0.7 * SCENES)


if __name__ == "__main__":
    unittest.main()
