"""Runs scripts that read with OpenUSD's Python API twice, with usd-core and with stagedoor.pxr, and
compares what they print.

Usage: compare.py DAEMON PYTHON [SCENE…]

DAEMON is the program stagedoord, PYTHON an interpreter with usd-core. This one has the package stagedoor.
The scenes are those of this repository, and those that are given.
"""

from __future__ import annotations

import difflib
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
SCENES = ["tests/data/stage_door/root.usda", *sorted(map(str, (HERE / "scenes").glob("*.usda")))]
SCRIPTS = sorted(path for path in (HERE / "scripts").glob("*.py") if path.name != "report.py")
MAX_LINES = 20  # of a difference that are shown


def start_daemon(program: str, folder: pathlib.Path) -> tuple[subprocess.Popen[bytes], str]:
    file = folder / "address"
    command = [program, "--address=127.0.0.1:0", f"--address-file={file}"]
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    deadline = time.monotonic() + 60
    while not (file.exists() and file.read_text().strip()):
        if process.poll() is not None or time.monotonic() > deadline:
            sys.exit("stagedoord did not start:\n" + (folder / "log").read_text()[-2000:])
        time.sleep(0.02)
    return process, file.read_text().split()[0]


def outputs(command: list[str], environment: dict[str, str]) -> dict[str, list[str]]:
    """What each script prints, by its name; and "errors", the end of what went wrong."""
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=600)
    found: dict[str, list[str]] = {"errors": [f"status {done.returncode}", *done.stderr.splitlines()[-6:]]}
    name = "errors"
    for line in done.stdout.splitlines():
        if line.startswith("== "):
            name = line[3:]
            found[name] = []
        else:
            found[name].append(line)
    return found


def differences(scene: str, oracle: str, environment: dict[str, str]) -> dict[str, list[str]]:
    """For each script, what is different; empty if nothing is."""
    plain = {key: value for key, value in environment.items() if key != "PYTHONPATH"}
    runner = str(HERE / "run_scripts.py")
    expected = outputs([oracle, runner, scene], plain)
    found = outputs([sys.executable, "-m", "stagedoor.pxr", runner, scene], environment)
    result = {}
    for script in SCRIPTS:
        left, right = expected.get(script.name), found.get(script.name)
        if left is None or right is None:
            result[script.name] = ["not run", *(expected if left is None else found)["errors"]]
            continue
        lines = difflib.unified_diff(left, right, "usd-core", "stagedoor.pxr", lineterm="", n=0)
        result[script.name] = list(lines)
        if any(line.startswith("raised") for line in left):
            result[script.name] += ["the script fails with usd-core", *expected["errors"]]
        if any(line.startswith("+raised") for line in result[script.name]):
            result[script.name] += found["errors"]
    return result


def main() -> int:
    daemon, oracle, *scenes = sys.argv[1:]
    os.chdir(HERE.parent.parent)
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        process, address = start_daemon(daemon, pathlib.Path(folder))
        environment = {**os.environ, "STAGEDOOR_ADDRESS": address, "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            for scene in [*SCENES, *scenes]:
                for script, lines in differences(scene, oracle, environment).items():
                    count += 1
                    if lines:
                        failed += 1
                        print(f"pxr-shim: {script} {scene} differs:", *lines[:MAX_LINES], sep="\n  ")
        finally:
            process.kill()
            process.wait()
    print(f"pxr-shim: {count - failed} of {count} outputs of scripts are those of usd-core")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
