#!/usr/bin/env python3
"""Makes the files of a release in one directory; tools/release/release.sh calls it, which ./dev release does.

An archive with the programs, their documents and manifests; the C++ package; the Python wheel; the wheel with the programs; the wheels of
the OpenUSD plug-in; an archive with debug information; a bill of materials of these; the image in both variants with its bill of
materials; and SHA256SUMS. All names have the version of base/version.h, and everything that states a version must state that one.
"""
import argparse
import io
import json
import os
import re
import sys
import zipfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, *(os.path.join(FOLDER, "..", folder) for folder in ("image", "sdk", "wheel"))]

import archives
import changelog
import daemon_wheel
import debian
import make_image
import materials
import openusd_wheel
import versions

# The package of which the launcher of the daemon's wheel has code.
LAUNCHER_LINKS = ["libc6-dev"]
# Where names of versions are looked for, besides the files that have to state one.
STATING = ("*.md", "deploy", "examples", "client/python", ":!*.ipynb")


def tree_text(path):
    return make_image.read(os.path.join(make_image.ROOT, path)).decode()


def version_errors(daemon, command):
    """Places of the working tree, and programs, that state another version than base/version.h."""
    version = make_image.version()
    errors = [error for program in (daemon, command) for error in versions.program_errors(program, version)]
    return errors + versions.tree_errors(make_image.ROOT, make_image.git("ls-files", *STATING).splitlines(), version)


def release_errors():
    """Why the working tree cannot be released."""
    changed = make_image.git("status", "--porcelain").splitlines()
    errors = ["the working tree has changes that are not committed: " + ", ".join(line.split(maxsplit=1)[1] for line in changed)
              ] if changed else []
    return errors + changelog.errors(tree_text("CHANGELOG.md"), make_image.version())


def errors_of(options, folder):
    version = make_image.version()
    errors = version_errors(options.daemon, options.command)
    errors += versions.library_errors(options.library, tree_text("client/sdk/stagedoor.h"))
    errors += versions.wheel_errors(options.wheel, version)
    errors += versions.openusd_errors(openusd_wheels(options), version)
    errors += [] if options.snapshot else release_errors()
    if os.path.isdir(folder) and os.listdir(folder):
        errors.append(f"{folder} is not empty; remove it, or name another one with --output")
    return errors


def wheel_metadata(content):
    with zipfile.ZipFile(io.BytesIO(content)) as wheel:
        name = next(name for name in wheel.namelist() if re.fullmatch(r"[^/]+\.dist-info/METADATA", name))
        return wheel.read(name).decode()


def openusd_wheels(options):
    """The names of the wheels of the OpenUSD plug-in, which snapshots may be made without."""
    return sorted(os.listdir(options.openusd_wheels)) if os.path.isdir(options.openusd_wheels) else []


def page_packages(path):
    """The packages of npm in the inspector's page of a wheel, which snapshots may be made without."""
    name = "stagedoor/inspect/web/packages.json"
    with zipfile.ZipFile(path) as wheel:
        return json.loads(wheel.read(name)) if name in wheel.namelist() else []


def bill_of_materials(name, created, options, files, trees):
    """The text for `files`, of which `trees` are the unpacked ones: (kind, file name, names of binaries, their sources)."""
    document = materials.Document(make_image.version())
    compiled_in = debian.details(make_image.COMPILED_IN)
    for kind, file_name, tree, sources in trees:
        archive = document.archive(kind, file_name, files[file_name])
        for path, entry in tree.entries.items():
            if os.path.basename(path) in map(os.path.basename, sources) and entry.content is not None:
                document.binary(path, entry.content)
        libraries = {library for source in sources for library in debian.libraries(source)}
        document.debian(archive, "DYNAMIC_LINK", debian.details(sorted(debian.owners(libraries))))
        document.debian(archive, "STATIC_LINK", compiled_in)
    (bundle,) = [file_name for file_name in files if file_name.startswith(daemon_wheel.NAME)]
    archive = document.archive("daemon", bundle, files[bundle])
    document.debian(archive, "CONTAINS", debian.details(make_image.packages((options.daemon, options.command))))
    document.debian(archive, "STATIC_LINK", compiled_in + debian.details(LAUNCHER_LINKS))
    for name in files:
        if name.startswith(openusd_wheel.NAME):
            archive = document.archive(f"openusd-{openusd_wheel.usd_of(name)}", name, files[name])
            document.debian(archive, "CONTAINS", debian.details(openusd_wheel.packages(options.library)))
            document.requirements(archive, wheel_metadata(files[name]))
    wheel = os.path.basename(options.wheel)
    archive = document.archive("python", wheel, files[wheel])
    document.requirements(archive, wheel_metadata(files[wheel]))
    document.npm(archive, page_packages(options.wheel))
    return document.text(name, created)


def release_files(options):
    """The files of the release, by name."""
    version, created = make_image.version(), make_image.source_date()
    platform = f"linux-{make_image.architecture()}"
    name, cpp_name = f"stagedoor-{version}-{platform}", f"stagedoor-cpp-{version}-{platform}"
    programs = [options.daemon, options.command]
    trees = [("programs", f"{name}.tar.gz", archives.programs(name, programs), programs),
             ("cpp", f"{cpp_name}.tar.gz", archives.cpp_package(cpp_name, options.library), [options.library])]
    files = {file_name: archives.compressed(tree, created) for _, file_name, tree, _ in trees}
    files[os.path.basename(options.wheel)] = make_image.read(options.wheel)
    files.update([daemon_wheel.make(*programs, options.launcher)])
    files.update({name: make_image.read(os.path.join(options.openusd_wheels, name)) for name in openusd_wheels(options)})
    files[f"{name}.spdx.json"] = bill_of_materials(name, created, options, files, trees).encode()
    files[f"{name}-debug.tar.gz"] = archives.compressed(archives.debug(f"{name}-debug", [*programs, options.library]), created)
    for debug in (False, True):
        files.update(make_image.image_files(options.daemon, options.command, debug))
    return files


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev release", description="Makes the files of a release.")
    parser.add_argument("--daemon", required=True, help="path of stagedoord")
    parser.add_argument("--command", required=True, help="path of stagedoor")
    parser.add_argument("--library", required=True, help="path of libstagedoor.so.1, as Bazel built it")
    parser.add_argument("--wheel", required=True, help="path of the Python package")
    parser.add_argument("--openusd-wheels", required=True, help="folder of tools/openusd_wheels.sh; a snapshot needs none")
    parser.add_argument("--launcher", required=True, help="path of //tools/wheel:launcher")
    parser.add_argument("--snapshot", action="store_true", help="allow uncommitted changes, and a changelog without this version")
    parser.add_argument("--output", help="new or empty directory of the results (default dist/VERSION)")
    options = parser.parse_args(arguments)

    folder = options.output or os.path.join(make_image.ROOT, "dist", make_image.version())
    errors = errors_of(options, folder)
    if errors:
        for error in errors:
            print(f"release: {error}", file=sys.stderr)
        return 1
    files = release_files(options)
    try:
        make_image.write_outputs(folder, files, "SHA256SUMS")
    except OSError as error:
        print(f"release: cannot write to {folder}: {error.strerror}; what was written is removed", file=sys.stderr)
        return 1
    print(f"release: {', '.join(sorted(files))} and SHA256SUMS are in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
