#!/usr/bin/env python3
"""Uses wheels of the OpenUSD plug-in as those who install them do: wheel_checks.py WHEEL…

Each is installed beside the usd-core of PyPI that it requires, in an environment of its own, and opens the demo scene at the daemon of
STAGEDOOR_ADDRESS, with nothing else set. Then it is uninstalled, which must leave no file or folder behind.
"""
import os
import re
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
SCENE = os.path.realpath(os.path.join(HERE, "../data/stage_door/root.usda"))
LIBRARY = re.compile(r".*\.so(\.\d+)*")
# A program of a user: compares all values at a time with those that OpenUSD composes itself, and prints how many there are.
PROGRAM = """
import sys
from pxr import Usd
ours, theirs = (Usd.Stage.Open(root) for root in ("stagedoor:" + sys.argv[1], sys.argv[1]))
count = 0
for prim in theirs.Traverse():
    for attribute in prim.GetAuthoredAttributes():
        value = ours.GetAttributeAtPath(attribute.GetPath()).Get(12.5)
        if "asset" not in str(attribute.GetTypeName()):  # whose paths are absolute here
            assert value == attribute.Get(12.5), attribute.GetPath()
            count += 1
print(count)
"""


def run(*command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def entries(folder):
    """The files and folders below a folder, but for what Python compiles."""
    return {os.path.join(place, name) for place, folders, files in os.walk(folder) for name in (*folders, *files)
            if "__pycache__" not in os.path.join(place, name)}


def metadata(wheel):
    """The version of a wheel, and what it requires."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        text = archive.read(name).decode()
    return re.search(r"(?m)^Version: (\S+)$", text)[1], re.search(r"(?m)^Requires-Dist: (usd-core==\S+)$", text)[1]


def symbols_of(wheel, work):
    """What the libraries of a wheel need, after tests/openusd/symbols.py has checked it."""
    folder = os.path.join(work, "unpacked")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder, [name for name in archive.namelist() if LIBRARY.fullmatch(name)])
    libraries = [os.path.join(place, name) for place, _, files in os.walk(folder) for name in files]
    return run(sys.executable, os.path.join(HERE, "symbols.py"), *sorted(libraries, key=lambda path: "_openusd" not in os.path.basename(path)))


def check(wheel, work):
    """Returns a line about what was done; raises what fails."""
    version, openusd = metadata(wheel)
    needed = [line.split(" needs ")[1] for line in symbols_of(wheel, work).splitlines()]
    venv = os.path.join(work, "venv")
    run(sys.executable, "-m", "venv", venv)
    python = os.path.join(venv, "bin/python")
    run(python, "-m", "pip", "install", "-q", "--retries", "1", openusd)
    before = entries(venv)
    # By its name, as from PyPI; what is installed already must suit it.
    run(python, "-m", "pip", "install", "-q", "--retries", "1", "--find-links", os.path.dirname(os.path.abspath(wheel)), f"stagedoor-openusd=={version}")
    run(python, "-m", "pip", "check")
    assert before < entries(venv), sorted(before - entries(venv))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PXR_", "PYTHON", "LD_"))}
    values = int(run(python, "-c", PROGRAM, SCENE, env=environment))
    assert values > 100, values
    run(python, "-m", "pip", "uninstall", "-q", "-y", "stagedoor-openusd")
    left = entries(venv) ^ before
    assert not left, sorted(left)[:10]
    return f"{openusd}, {values} values; {', '.join(needed)}"


def main(wheels):
    for wheel in wheels:
        with tempfile.TemporaryDirectory() as work:
            print(f"openusd-wheel: {check(wheel, work)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
