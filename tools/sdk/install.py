#!/usr/bin/env python3
"""Installs the C and C++ library for programs outside of this repository: ./dev install PREFIX.

Below PREFIX: lib/libstagedoor.so.1 (stripped) and its link, the headers in include/, files for pkg-config
(stagedoor, and stagedoor-c for C programs) and for CMake (find_package(Stagedoor)). The folder may be moved
afterwards. What was installed there before is replaced file by file.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
FOLDER = os.path.dirname(os.path.abspath(__file__))

# The public headers, installed in include/stagedoor.
CLIENT_HEADERS = ("call_options", "cancellation", "client", "client_options", "error_reason", "futures", "item_error",
                  "packed_numbers", "sample_assembler", "security_options", "value_batch")
SDK_HEADERS = ("array", "asset", "attribute", "c_frames", "c_types", "change_subscription", "connection", "connection_options", "error",
               "frame", "frame_contents", "frame_objects", "frame_options", "geometry", "imaging", "outcome", "prim", "samples", "skinning",
               "stage", "stage_changes", "stage_options", "stage_view", "times", "value", "value_getter", "value_types", "values", "watch",
               "watch_options")

INCLUDE = re.compile(r'^#include "(?P<path>[^"]+)"', re.M)


def version():
    with open(os.path.join(ROOT, "base", "version.h"), encoding="utf-8") as file:
        return re.search(r'kVersion\[\] = "([^"]+)"', file.read())[1]


def public_text(text, name):
    """A header with the paths of its includes as they are installed. Exits if it includes a header that is not."""
    installed = {f"client/cc/{stem}.h" for stem in CLIENT_HEADERS} | {f"client/sdk/{stem}.h" for stem in SDK_HEADERS}

    def rewrite(include):
        path = include["path"]
        if path in installed:
            return f'#include "stagedoor/{os.path.basename(path)}"'
        if path.startswith(("absl/", "google/", "stagedoor/v1/")):
            return include[0]
        sys.exit(f"install: {name} includes {path}, which is not installed: keep it out of public headers")

    return INCLUDE.sub(rewrite, text)


class Prefix:
    """The folder to install in."""

    def __init__(self, folder):
        self.folder = os.path.abspath(folder)

    def path(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), 0o644)


def install_headers(prefix):
    for folder, stems in (("client/cc", CLIENT_HEADERS), ("client/sdk", SDK_HEADERS)):
        for stem in stems:
            with open(os.path.join(ROOT, folder, f"{stem}.h"), encoding="utf-8") as file:
                prefix.write(f"include/stagedoor/{stem}.h", public_text(file.read(), f"{folder}/{stem}.h"))
    with open(os.path.join(ROOT, "client", "sdk", "stagedoor.h"), encoding="utf-8") as file:
        prefix.write("include/stagedoor.h", public_text(file.read(), "client/sdk/stagedoor.h"))


def install_generated_headers(prefix):
    proto = os.path.join(ROOT, "proto")
    names = sorted(os.listdir(os.path.join(proto, "stagedoor", "v1")))
    with tempfile.TemporaryDirectory() as work:
        subprocess.run(["protoc", f"-I{proto}", f"--cpp_out={work}", f"--grpc_out={work}",
                        f"--plugin=protoc-gen-grpc={shutil.which('grpc_cpp_plugin')}",
                        *(f"stagedoor/v1/{name}" for name in names)], cwd=proto, check=True)
        for name in sorted(os.listdir(os.path.join(work, "stagedoor", "v1"))):
            if not name.endswith(".h") or (name.endswith(".grpc.pb.h") and not has_service(proto, name)):
                continue
            with open(os.path.join(work, "stagedoor", "v1", name), encoding="utf-8") as file:
                prefix.write(f"include/stagedoor/v1/{name}", file.read())


def has_service(proto, header):
    path = os.path.join(proto, "stagedoor", "v1", header.removesuffix(".grpc.pb.h") + ".proto")
    with open(path, encoding="utf-8") as file:
        return re.search(r"^service ", file.read(), re.M) is not None


def install_library(prefix, library):
    target = prefix.path("lib/libstagedoor.so.1")
    new = target + ".new"  # a program that uses the old one keeps it
    subprocess.run(["strip", "--strip-unneeded", "-o", new, library], check=True)
    os.chmod(new, 0o755)
    os.replace(new, target)
    link = prefix.path("lib/libstagedoor.so")
    if os.path.lexists(link):
        os.remove(link)
    os.symlink("libstagedoor.so.1", link)


def install_package_files(prefix):
    for source, target in (("stagedoor.pc.in", "lib/pkgconfig/stagedoor.pc"),
                           ("stagedoor-c.pc.in", "lib/pkgconfig/stagedoor-c.pc"),
                           ("StagedoorConfig.cmake.in", "lib/cmake/Stagedoor/StagedoorConfig.cmake"),
                           ("StagedoorConfigVersion.cmake.in", "lib/cmake/Stagedoor/StagedoorConfigVersion.cmake")):
        with open(os.path.join(FOLDER, source), encoding="utf-8") as file:
            prefix.write(target, file.read().replace("@VERSION@", version()))


def install(folder, library):
    """Installs in a folder, which need not exist. `library` is as Bazel built it."""
    prefix = Prefix(folder)
    install_headers(prefix)
    install_generated_headers(prefix)
    install_library(prefix, library)
    install_package_files(prefix)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", required=True, help="the library as Bazel built it")
    parser.add_argument("prefix", metavar="PREFIX", help="the folder to install in, for example /opt/stagedoor")
    options = parser.parse_args()
    install(options.prefix, options.library)
    print(f"installed libstagedoor {version()} in {os.path.abspath(options.prefix)}")


if __name__ == "__main__":
    main()
