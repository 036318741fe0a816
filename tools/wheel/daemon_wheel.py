#!/usr/bin/env python3
"""Makes the wheel with the daemon and the command; ./dev release does it as well (docs/decisions/daemon-wheel.md).

The programs, the loader, the libraries and the other files are those of the container image, with the same paths below libexec/stagedoor
of an environment. In its folder of programs are two launchers. The same binaries, packages and commit give the same bytes.
"""
import argparse
import os
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "../image")]

import make_image
import wheel_file

NAME = "stagedoor_daemon"
HOME = "libexec/stagedoor"  # the launcher looks for it
# By Debian's name of the architecture: that of wheels. The C library is in the wheel, so the tags only say which installers take it: those
# of systems with any glibc or musl that a Python of today runs on. The kernel must be 3.2 or newer.
PROCESSORS = {"amd64": "x86_64", "arm64": "aarch64"}
PLATFORMS = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")


def tags(architecture):
    if architecture not in PROCESSORS:
        raise ValueError(f"unknown architecture '{architecture}'; wheels are made for {', '.join(PROCESSORS)}")
    return "py3", "none", [f"{platform}_{PROCESSORS[architecture]}" for platform in PLATFORMS]


def metadata(version, description):
    return (f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {version}\n"
            "Summary: The Stagedoor daemon and command, with every library that they need\n"
            "Classifier: Operating System :: POSIX :: Linux\nDescription-Content-Type: text/markdown\n\n" + description)


def wheel(tree, programs, launcher, architecture, version, created):
    """The name and the bytes of the wheel of a tree (make_image.programs_tree()) and a launcher for each of the names `programs`."""
    made = wheel_file.WheelFile(NAME, version, tags(architecture), created)
    for name in programs:
        made.add("scripts", name, launcher, 0o755)
    for path, content, mode in tree.files():
        made.add("data", f"{HOME}/{path}", content, mode)
    return made.file_name, made.bytes(metadata(version, make_image.read(os.path.join(FOLDER, "description.md")).decode()))


def make(daemon, command, launcher):
    """The name and the bytes of the wheel of two programs; `launcher` is the path of //tools/wheel:launcher."""
    created = make_image.source_date()
    tree, _ = make_image.programs_tree(daemon, command, created, debug=False)
    programs = [os.path.basename(path) for path in (daemon, command)]
    name, content = wheel(tree, programs, make_image.stripped(launcher), make_image.architecture(), make_image.version(), created)
    print(f"wheel: {name}: {tree.size() / 2**20:.1f} MiB, {len(content) / 2**20:.1f} MiB compressed")
    return name, content


def main(arguments):
    parser = argparse.ArgumentParser(description="Makes the wheel with the daemon and the command.")
    parser.add_argument("--daemon", required=True, help="path of stagedoord")
    parser.add_argument("--command", required=True, help="path of stagedoor")
    parser.add_argument("--launcher", required=True, help="path of the launcher, as Bazel built it")
    parser.add_argument("--output", default=os.path.join(make_image.ROOT, "dist"), help="directory of the result (default dist)")
    options = parser.parse_args(arguments)
    name, content = make(options.daemon, options.command, options.launcher)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, name), "wb") as file:
        file.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
