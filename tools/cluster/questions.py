"""Questions about the scenes of the cluster with known answers: those of a daemon that nothing disturbs."""
import hashlib
import os
import subprocess

import numpy
from sdk_client import SdkClient

FRAMES = (1, 6, 12.5, 24, 40, 48)
POINTS = "/Shot/Curtain/Cloth.points"
SHOT = "/Shot.cluster:shot"
CAMERA = "/Shot/Camera.focalLength"


def digest(value):
    """A text that is equal for equal answers."""
    if isinstance(value, numpy.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(digest(item) for item in value) + "]"
    return repr(value)


# Queries of Python programs: name, and a function of a stage and a frame.
PYTHON = (
    ("value", lambda stage, frame: stage[SHOT].get(frame)),
    ("camera", lambda stage, frame: stage[CAMERA].get(frame)),
    ("clips", lambda stage, frame: stage[POINTS].get(frame)),
    ("transform", lambda stage, frame: stage.prim("/Shot/Props/LampB").transform(frame)),
    ("bounds", lambda stage, frame: stage.prim("/Shot/Props/LampB").bounds(frame)),
    ("meshes", lambda stage, frame: [prim.path for prim in stage.traverse(type="Mesh")]),
    ("flatten", lambda stage, frame: hashlib.sha256(stage.flatten()).hexdigest()),
    ("batch", lambda stage, frame: sorted(stage.values([SHOT, CAMERA], [frame, 1]).items())),
)

# Queries of programs with the C++ library: name, and the words of an order to tests/cluster/sdk_client.
SDK = (
    ("sdk value", lambda shot, frame: ("value", shot, CAMERA, f"{frame:g}")),
    ("sdk points", lambda shot, frame: ("value", shot, POINTS, f"{frame:g}")),
    ("sdk explain", lambda shot, frame: ("explain", shot, CAMERA, f"{frame:g}")),
    ("sdk prims", lambda shot, frame: ("prims", shot, "Mesh")),
)

# The command is started for each answer, so fewer answers are recorded.
COMMAND_SHOTS = 3
COMMAND_FRAMES = FRAMES[::2]

# Queries with the command: name, and its arguments.
COMMAND = (
    ("get", lambda shot, frame: ["get", shot, SHOT, "--times", f"{frame:g}"]),
    ("points", lambda shot, frame: ["get", shot, POINTS, "--times", f"{frame:g}"]),
    ("samples", lambda shot, frame: ["samples", shot, "/Shot/Characters/Actor/Rig/Bow.rotations", "--interval", f"1:{frame:g}"]),
    ("explain", lambda shot, frame: ["explain", shot, CAMERA, "--time", f"{frame:g}"]),
    ("find", lambda shot, frame: ["find", shot, "--type", "Mesh"]),
    ("command flatten", lambda shot, frame: ["flatten", shot, "-o", "-"]),
)


def ask_command(address, arguments, timeout=60):
    """The output of the command; RuntimeError if it fails."""
    done = subprocess.run([os.environ["STAGEDOOR"], "--address", address, "--timeout", str(timeout), "--connect-timeout", str(timeout), *arguments],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"stagedoor {' '.join(arguments)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def record(client, address, shots):
    """The answers of a daemon: {(shot, name, frame): answer}."""
    answers = {}
    for shot in shots:
        with client.open(shot) as stage:
            for name, question in PYTHON:
                for frame in FRAMES:
                    answers[shot, name, frame] = digest(question(stage, frame))
    sdk = SdkClient(address, "record")
    for shot in shots:
        for name, order in SDK:
            for frame in FRAMES:
                answers[shot, name, frame] = sdk.ask(*order(shot, frame))
    sdk.close()
    for shot in shots[:COMMAND_SHOTS]:
        for name, arguments in COMMAND:
            for frame in COMMAND_FRAMES:
                answers[shot, name, frame] = ask_command(address, arguments(shot, frame))
    return answers
