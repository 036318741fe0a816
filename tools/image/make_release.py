#!/usr/bin/env python3
"""Makes the files of a release in one directory; ./dev release calls it.

An archive with the programs, their documents and manifests; an archive with their debug information; the image in both variants with its
bill of materials; and SHA256SUMS. All names have the version of base/version.h, and everything that states a version must state that one.
"""
import argparse
import gzip
import os
import re
import subprocess
import sys
import tempfile

import file_tree
import make_image

PLACES = {"docs": "docs", "deploy": "deploy", "examples/stagedoord.yaml": "examples/stagedoord.yaml", "README.md": "README.md",
          "CHANGELOG.md": "CHANGELOG.md", "SECURITY.md": "SECURITY.md", "proto/stagedoor": "proto/stagedoor"}
# Files besides base/version.h that state a version, with the pattern of what does.
STATED = {
    "deploy/kubernetes/base/kustomization.yaml": r"newTag: (\S+)",
    "deploy/compose/compose.yaml": r"image: stagedoor:(\S+)",
    "docs/deployment.md": r"stagedoor[:-](\d+\.\d+\.\d+)",
}


def version_errors(daemon, command):
    """Places that state another version than base/version.h."""
    version = make_image.version()
    errors = []
    for program in (daemon, command):
        stated = subprocess.check_output([program, "--version"], text=True).split()[1]
        if stated != version:
            errors.append(f"{program} has the version {stated}, not {version}; build it again")
    for path, pattern in STATED.items():
        stated = set(re.findall(pattern, make_image.read(os.path.join(make_image.ROOT, path)).decode()))
        if stated != {version}:
            errors.append(f"{path} states {', '.join(sorted(stated)) or 'no version'}, not {version}")
    return errors


def release_errors():
    """Why the working tree cannot be released."""
    errors = ["the working tree has changes that are not committed"] if make_image.git("status", "--porcelain") else []
    heading = f"## {make_image.version()}"
    if heading not in make_image.read(os.path.join(make_image.ROOT, "CHANGELOG.md")).decode().splitlines():
        errors.append(f"CHANGELOG.md has no section '{heading}'")
    return errors


def debug_information(path):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "debug")
        subprocess.check_call(["objcopy", "--only-keep-debug", path, output])
        return make_image.read(output)


def programs_archive(name, daemon, command, created):
    tree = file_tree.FileTree()
    for path in (daemon, command):
        tree.file(f"{name}/bin/{os.path.basename(path)}", make_image.stripped(path), 0o755)
    for path in make_image.git("ls-files", *PLACES).splitlines():
        tree.file(f"{name}/share/{path}", make_image.read(os.path.join(make_image.ROOT, path)))
    return gzip.compress(tree.tar(created), 6, mtime=0)


def debug_archive(name, daemon, command, created):
    tree = file_tree.FileTree()
    for path in (daemon, command):
        tree.file(f"{name}/debug/{os.path.basename(path)}.debug", debug_information(path))
    return gzip.compress(tree.tar(created), 6, mtime=0)


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev release", description="Makes the files of a release.")
    parser.add_argument("--daemon", required=True, help="path of stagedoord")
    parser.add_argument("--command", required=True, help="path of stagedoor")
    parser.add_argument("--snapshot", action="store_true", help="allow uncommitted changes, and a changelog without this version")
    parser.add_argument("--output", help="new or empty directory of the results (default dist/VERSION)")
    options = parser.parse_args(arguments)

    errors = version_errors(options.daemon, options.command) + ([] if options.snapshot else release_errors())
    folder = options.output or os.path.join(make_image.ROOT, "dist", make_image.version())
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        errors.append(f"{folder} is not empty")
    if errors:
        for error in errors:
            print(f"release: {error}", file=sys.stderr)
        return 1

    created = make_image.source_date()
    name = f"stagedoor-{make_image.version()}"
    platform = f"{name}-linux-{make_image.architecture()}"
    files = {f"{platform}.tar.gz": programs_archive(name, options.daemon, options.command, created),
             f"{platform}-debug.tar.gz": debug_archive(name, options.daemon, options.command, created)}
    for debug in (False, True):
        files.update(make_image.image_files(options.daemon, options.command, debug))
    make_image.write_outputs(folder, files, "SHA256SUMS")
    print(f"release: {', '.join(sorted(files))} and SHA256SUMS are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
