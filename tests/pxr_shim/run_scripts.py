"""Runs all scripts on a scene, one after the other: run_scripts.py SCENE."""

import pathlib
import runpy
import sys
import traceback

FOLDER = pathlib.Path(__file__).resolve().parent / "scripts"
sys.path.insert(0, str(FOLDER))
for script in sorted(FOLDER.glob("*.py")):
    if script.name == "report.py":
        continue
    print("==", script.name, flush=True)
    sys.argv[0] = str(script)
    try:
        runpy.run_path(str(script), run_name="__main__")
    except Exception as error:
        print("raised", type(error).__name__)
        traceback.print_exc()
    sys.stdout.flush()
