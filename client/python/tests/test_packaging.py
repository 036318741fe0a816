"""How the package is built and installed, and what is installed beside it."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys

import pytest
from conftest import REPOSITORY

GUIDE = REPOSITORY / "docs" / "resolver_service.md"
PACKAGE = REPOSITORY / "client" / "python"


def copy_package(target: pathlib.Path) -> pathlib.Path:
    """A copy of the sources without what the build makes."""
    made = shutil.ignore_patterns("descriptors.binpb", "build", "dist", "*.egg-info", "tests")
    shutil.copytree(PACKAGE, target, ignore=made)
    return target


def build(source: pathlib.Path, wheels: pathlib.Path) -> subprocess.CompletedProcess[str]:
    pytest.importorskip("grpc_tools")
    flags = ["--no-deps", "--no-build-isolation", "--no-index", "-w", str(wheels)]
    command = [sys.executable, "-m", "pip", "wheel", *flags, str(source)]
    return subprocess.run(command, capture_output=True, text=True)


def test_copy_without_the_protos_cannot_be_built(tmp_path):
    (tmp_path / "proto").mkdir()  # of something else
    done = build(copy_package(tmp_path / "client" / "python"), tmp_path)
    output = done.stdout + done.stderr
    assert done.returncode != 0
    assert "a copy without them" in output and "pip install ./client/python" in output
    assert list(tmp_path.glob("*.whl")) == []


def test_copy_with_the_protos_can_be_built(tmp_path):
    source = copy_package(tmp_path / "client" / "python")
    shutil.copytree(REPOSITORY / "proto", tmp_path / "proto")
    done = build(source, tmp_path)
    assert done.returncode == 0, done.stderr
    assert (source / "stagedoor/_proto/descriptors.binpb").stat().st_size > 10_000
    # So can a source distribution, which has the descriptors instead.
    alone = shutil.copytree(source, tmp_path / "alone")
    done = build(alone, tmp_path / "wheels")
    assert done.returncode == 0, done.stderr


def environment(folder: pathlib.Path) -> dict[str, str]:
    """An environment that has this Python as `python`, as a virtual environment has."""
    programs = folder / "bin"
    if not programs.exists():  # a program that runs must not be written
        programs.mkdir()
        (programs / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
        (programs / "python").chmod(0o755)
    return {**os.environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def run(command: str, folder: pathlib.Path) -> subprocess.CompletedProcess[str]:
    shell = ["sh", "-c", command]
    return subprocess.run(
        shell, cwd=folder, env=environment(folder), capture_output=True, text=True
    )


def commands_of_the_guide() -> list[str]:
    lines = re.findall(r"^    (.*python .*)$", GUIDE.read_text(encoding="utf-8"), flags=re.M)
    assert len(lines) == 2 and "protoc" in lines[0] and "reference_resolver" in lines[1]
    return lines


@pytest.fixture
def generated(tmp_path: pathlib.Path) -> pathlib.Path:
    """A folder with the code that the commands of the guide generate."""
    pytest.importorskip("grpc_tools")
    for name in ("proto", "examples"):
        (tmp_path / name).symlink_to(REPOSITORY / name)
    done = run(commands_of_the_guide()[0], tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "stagedoor/resolver/v1/resolver_pb2_grpc.py").exists()
    return tmp_path


def test_commands_of_the_guide_work_beside_the_package(generated):
    (generated / "show").mkdir()
    (generated / "show" / "shot.usda").write_text("#usda 1.0\n")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = commands_of_the_guide()[1]
    assert command.startswith("PYTHONPATH=. ") and command.endswith(" localhost:50061")
    command = command.replace(" /show ", f" {generated}/show ").replace(":50061", f":{port}")
    # The command replaces PYTHONPATH: what the tests have on it is found all the same.
    site = os.environ.get("PYTHONPATH", "")
    command = command.replace("PYTHONPATH=. ", f"PYTHONPATH=.:{site} exec ")
    client = f"""
import stagedoor, grpc
from stagedoor.resolver.v1 import resolver_pb2, resolver_pb2_grpc
with grpc.insecure_channel("localhost:{port}") as channel:
    stub = resolver_pb2_grpc.ResolverServiceStub(channel)
    request = resolver_pb2.ResolveRequest(identifiers=["asset://show/shot.usda"])
    reply = stub.Resolve(request, wait_for_ready=True, timeout=30)
    print(stagedoor.Stage.__name__, reply.results[0].resolved_path)
"""
    (generated / "client.py").write_text(client)
    log = generated / "log"
    with open(log, "w") as file:
        server = subprocess.Popen(
            ["sh", "-c", command],
            cwd=generated,
            env=environment(generated),
            stdout=file,
            stderr=file,
        )
    try:
        done = run(f"PYTHONPATH=.:{site} python client.py", generated)
        assert done.stdout == "Stage asset://show/shot.usda\n", done.stderr + log.read_text()
    finally:
        server.kill()
        server.wait()


def test_generated_code_is_found_on_a_path_added_later(generated):
    protoc = "python -m grpc_tools.protoc -I proto --python_out=later --grpc_python_out=later"
    (generated / "later").mkdir()
    done = run(f"{protoc} proto/stagedoor/v1/*.proto", generated)
    assert done.returncode == 0, done.stderr
    program = f"""
import sys, stagedoor
sys.path.append({str(generated / "later")!r})
import stagedoor.v1.stages_pb2_grpc
from stagedoor.v1 import stages_pb2
assert stagedoor.Stage and stages_pb2.OpenStageRequest(root_layer="/a").root_layer == "/a"
import stagedoor.prim
assert stagedoor.prim.__file__.startswith(list.__getitem__(stagedoor.__path__, 0))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
