"""Compiles the protos of the repository into the descriptors that the package loads."""

import pathlib
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = pathlib.Path(__file__).resolve().parent
PROTO = HERE.parent.parent / "proto"
PACKAGE = HERE / "stagedoor" / "_proto"
DESCRIPTORS = PACKAGE / "descriptors.binpb"


def compile_protos(target: pathlib.Path) -> None:
    """Writes the descriptors of the API; in a source distribution they are there already."""
    if not PROTO.is_dir():
        return
    import grpc_tools
    from grpc_tools import protoc

    sources = sorted(str(path) for path in (PROTO / "stagedoor" / "v1").glob("*.proto"))
    includes = [PROTO, PACKAGE, pathlib.Path(grpc_tools.__file__).parent / "_proto"]
    arguments = [f"-I{folder}" for folder in includes]
    arguments += ["--include_imports", f"--descriptor_set_out={target}"]
    target.parent.mkdir(parents=True, exist_ok=True)
    if protoc.main(["protoc", *arguments, *sources, str(PACKAGE / "error_details.proto")]) != 0:
        sys.exit("cannot compile the protos of Stagedoor; protoc has printed why")


class BuildPy(build_py):
    def run(self) -> None:
        compile_protos(DESCRIPTORS)
        super().run()


class SourceDistribution(sdist):
    def run(self) -> None:
        compile_protos(DESCRIPTORS)
        super().run()


setup(cmdclass={"build_py": BuildPy, "sdist": SourceDistribution})
