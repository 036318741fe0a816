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
    sources = sorted(str(path) for path in (PROTO / "stagedoor" / "v1").glob("*.proto"))
    if not sources:
        if target.is_file():
            return
        sys.exit(
            f"cannot build the package: it needs the protos of Stagedoor, and {HERE} is a copy "
            f"without them. {PROTO / 'stagedoor' / 'v1'} has no .proto files, and {target} does "
            "not exist. Run 'pip install ./client/python' in the whole repository, or install the "
            "wheel of a release"
        )
    import grpc_tools
    from grpc_tools import protoc

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
