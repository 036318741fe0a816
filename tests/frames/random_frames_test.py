"""Compares the frames of a hundred random scenes and of the demo scene with what usd-core gives for the same questions.

Needs usd-core in the Python that STAGEDOOR_ORACLE_PYTHON names, and the corpus in STAGEDOOR_CONFORMANCE; otherwise it is skipped. The
scenes are the same in every run; random_frames.py generates and compares others.
"""
import os
import subprocess
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAM = os.path.join(HERE, "../tools/frame_dump")
DEMO = os.path.join(HERE, "../data/stage_door/root.usda")
SCENES = 120


@unittest.skipUnless(os.environ.get("STAGEDOOR_ORACLE_PYTHON") and os.environ.get("STAGEDOOR_CONFORMANCE"),
                     "no usd-core or no corpus here")
class RandomFramesTest(unittest.TestCase):
    def compare(self, *options):
        """The number of scenes that were compared, without differences."""
        command = [os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "random_frames.py"), PROGRAM, *options]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)
        return int(done.stdout.split()[-2])

    def test_differences_are_noticed(self):
        path = os.pathsep.join(os.path.join(HERE, name) for name in (".", "../imaging", "../random", "../geometry", "../shade"))
        environment = {**os.environ, "PYTHONPATH": path + os.pathsep + os.environ["STAGEDOOR_CONFORMANCE"]}
        done = subprocess.run([os.environ["STAGEDOOR_ORACLE_PYTHON"], os.path.join(HERE, "frame_differences_checks.py")], env=environment)
        self.assertEqual(done.returncode, 0)

    def test_random_scenes_agree_with_usd_core(self):
        # Scenes for which usd-core reports an error are skipped.
        self.assertGreater(self.compare("--seed", "1", "--count", str(SCENES)), 0.7 * SCENES)

    def test_demo_scene_agrees_with_usd_core(self):
        for shutter in ([], ["--shutter=-0.25,0.25"]):
            self.assertEqual(self.compare("--files", DEMO, "--times", "1,7,24.5,24.5,default" if not shutter else "1,13,13", *shutter), 1)


if __name__ == "__main__":
    unittest.main()
