"""The archives of a release as trees of files: the programs, the C++ package, and the debug information of both."""
import gzip
import os
import subprocess
import tempfile

import file_tree
import install
import make_image

# Documents and manifests that go with the programs.
SHARED = ("docs", "deploy", "examples/stagedoord.yaml", "README.md", "CHANGELOG.md", "SECURITY.md", "proto/stagedoor")


def debug_information(path):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "debug")
        subprocess.check_call(["objcopy", "--only-keep-debug", path, output])
        return make_image.read(output)


def programs(name, paths):
    """`paths` are those of the programs, `name` is the folder that the archive has everything in."""
    tree = file_tree.FileTree()
    for path in paths:
        tree.file(f"{name}/bin/{os.path.basename(path)}", make_image.stripped(path), 0o755)
    for path in make_image.git("ls-files", *SHARED).splitlines():
        tree.file(f"{name}/share/{path}", make_image.read(os.path.join(make_image.ROOT, path)))
    return tree


def cpp_package(name, library):
    """What ./dev install installs."""
    tree = file_tree.FileTree()
    with tempfile.TemporaryDirectory() as prefix:
        install.install(prefix, library)
        for folder, _, files in os.walk(prefix):
            for file in files:
                path = os.path.join(folder, file)
                target = os.path.join(name, os.path.relpath(path, prefix))
                if os.path.islink(path):
                    tree.link(target, os.readlink(path))
                else:
                    tree.file(target, make_image.read(path), 0o755 if os.access(path, os.X_OK) else 0o644)
    return tree


def debug(name, paths):
    """The debug information of programs and libraries: the files that were stripped, without their code."""
    tree = file_tree.FileTree()
    for path in paths:
        tree.file(f"{name}/debug/{os.path.basename(path)}.debug", debug_information(path))
    return tree


def compressed(tree, created):
    return gzip.compress(tree.tar(created), 6, mtime=0)
