#!/usr/bin/env python3
"""Makes the container image without a container daemon; ./dev image calls it.

The image has the two programs, the shared libraries that they load, certificates of public authorities and time zones, all from the
distribution of the build machine, and nothing else. The same binaries, packages and commit give the same bytes.
"""
import argparse
import hashlib
import os
import re
import subprocess
import sys
import tempfile

import debian
import file_tree
import oci
import sbom

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
USER = 65532  # as other images without a distribution use it
ZONES = "/usr/share/zoneinfo"
CERTIFICATES = "etc/ssl/certs/ca-certificates.crt"
# Packages of which headers are compiled in and no shared library is loaded.
COMPILED_IN = ["nlohmann-json3-dev"]


def version():
    with open(os.path.join(ROOT, "base/version.h"), encoding="utf-8") as file:
        return re.search(r'kVersion\[\] = "([^"]+)"', file.read())[1]


def git(*arguments):
    """The output of git; empty outside of a repository."""
    result = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, text=True, check=False)
    return result.stdout.strip() if result.returncode == 0 else ""


def source_date():
    """The time that all files get: SOURCE_DATE_EPOCH, or else that of the commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct") or 0)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def stripped(path):
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "program")
        subprocess.check_call(["strip", "-o", output, path])
        return read(output)


def add_time_zones(tree):
    for folder, folders, files in sorted(os.walk(ZONES)):
        folders[:] = sorted(set(folders) - {"posix", "right"})  # the same zones again, and with leap seconds
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name == "localtime" or name.endswith((".tab", ".zi", ".list")):
                continue
            if os.path.islink(path):
                tree.link(path[1:], os.readlink(path))
            elif read(path)[:4] == b"TZif":
                tree.file(path[1:], read(path))


def add_system_files(tree):
    tree.link("lib", "usr/lib")
    tree.link("lib64", "usr/lib64")
    tree.file("etc/passwd", b"root:x:0:0:root:/:/nonexistent\n"
              b"stagedoor:x:%d:%d:Stagedoor:/nonexistent:/nonexistent\n" % (USER, USER))
    tree.file("etc/group", b"root:x:0:\nstagedoor:x:%d:\n" % USER)
    tree.file("etc/nsswitch.conf", b"passwd: files\ngroup: files\nhosts: files dns\n")
    tree.file("etc/stagedoor/stagedoord.yaml", read(os.path.join(ROOT, "deploy/image/stagedoord.yaml")))
    for place in ("scenes", "proc", "sys", "dev"):  # for mounts
        tree.directory(place)
    # Root and the group of other container platforms need no right to these.
    tree.directory("run/stagedoor", 0o750, USER)
    tree.directory("var/cache/stagedoor", 0o750, USER)


def libraries(programs):
    return {library for path in programs for library in debian.libraries(path)}


def packages(programs):
    """The packages of which programs_tree() has files."""
    return sorted({"ca-certificates", "tzdata"} | debian.owners(libraries(programs)))


def programs_tree(daemon, command, created, debug):
    """What the programs need wherever they run, by its paths in the image, and a bill of materials: also what the daemon's wheel has."""
    tree = file_tree.FileTree()
    tree.file(CERTIFICATES, debian.certificates())
    add_time_zones(tree)
    programs = {"usr/bin/" + os.path.basename(path): read(path) if debug else stripped(path) for path in (daemon, command)}
    for path, content in programs.items():
        tree.file(path, content, 0o755)
    for library in libraries((daemon, command)):
        tree.file(debian.canonical(library)[1:], read(library), 0o755)
    used = packages((daemon, command))
    for package in used + COMPILED_IN:
        tree.file(f"usr/share/doc/{package.split(':')[0]}/copyright", debian.copyright_file(package))
    materials = sbom.document(version(), created, programs, debian.details(used), debian.details(COMPILED_IN))
    tree.file("usr/share/doc/stagedoor/sbom.spdx.json", materials.encode())
    return tree, materials


def make_tree(daemon, command, created, debug):
    """The tree of the image, and its bill of materials."""
    tree, materials = programs_tree(daemon, command, created, debug)
    add_system_files(tree)
    return tree, materials


def labels():
    return {
        "org.opencontainers.image.title": "Stagedoor",
        "org.opencontainers.image.description": "Serves USD scenes over gRPC",
        "org.opencontainers.image.version": version(),
        "org.opencontainers.image.revision": git("rev-parse", "HEAD") or "unknown",
        "org.opencontainers.image.base.name": "scratch",
    }


def config():
    return {
        "User": f"{USER}:{USER}",
        "Entrypoint": ["/usr/bin/stagedoord"],
        "Cmd": ["--config=/etc/stagedoor/stagedoord.yaml"],
        # For `stagedoor` in the container; the daemon does not read it.
        "Env": ["PATH=/usr/bin", "STAGEDOOR_ADDRESS=127.0.0.1:50051"],
        "ExposedPorts": {"50051/tcp": {}, "9464/tcp": {}},
        "Labels": labels(),
        "StopSignal": "SIGTERM",
        # Docker's format has health checks, OCI's does not; tools that do not know the field ignore it.
        "Healthcheck": {"Test": ["CMD", "/usr/bin/stagedoor", "health"], "Interval": 10 * 10**9,
                        "Timeout": 6 * 10**9, "StartPeriod": 70 * 10**9, "Retries": 3},
    }


def write_outputs(folder, files, checksums):
    """Writes files by name, and the file `checksums` for `sha256sum --check`: all of them, or none if the disk is full."""
    os.makedirs(folder, exist_ok=True)
    sums = "".join(f"{hashlib.sha256(content).hexdigest()}  {name}\n" for name, content in sorted(files.items()))
    with tempfile.TemporaryDirectory(prefix=".new-", dir=folder) as new:
        written = [*sorted(files.items()), (checksums, sums.encode())]
        for name, content in written:
            with open(os.path.join(new, name), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for name, _ in written:
            os.replace(os.path.join(new, name), os.path.join(folder, name))


def architecture():
    return subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()


def image_files(daemon, command, debug):
    """The archive of the image and its bill of materials, by file name."""
    created = source_date()
    tree, materials = make_tree(daemon, command, created, debug)
    image = oci.Image(tree, config(), architecture(), created)
    name = f"stagedoor-{version()}{'-debug' if debug else ''}"
    print(f"image: {name}: {tree.size() / 2**20:.1f} MiB, {image.layer_bytes / 2**20:.1f} MiB compressed, {image.digest}")
    return {f"{name}.oci.tar": image.archive(f"stagedoor:{version()}{'-debug' if debug else ''}"), f"{name}.spdx.json": materials.encode()}


def main(arguments):
    parser = argparse.ArgumentParser(prog="./dev image", description="Makes the container image.")
    parser.add_argument("--daemon", required=True, help="path of stagedoord")
    parser.add_argument("--command", required=True, help="path of stagedoor")
    parser.add_argument("--debug", action="store_true", help="keep the symbols of the programs")
    parser.add_argument("--root", help="only write the files of the image to this new directory")
    parser.add_argument("--output", default=os.path.join(ROOT, "dist"), help="directory of the results (default dist)")
    options = parser.parse_args(arguments)

    if options.root:
        tree, _ = make_tree(options.daemon, options.command, source_date(), options.debug)
        tree.write_to(options.root)
        print(f"image: {options.root}: {tree.size() / 2**20:.1f} MiB in {len(tree.entries)} entries")
        return 0
    files = image_files(options.daemon, options.command, options.debug)
    try:
        write_outputs(options.output, files, sorted(files)[0].replace(".oci.tar", ".sha256"))
    except OSError as error:
        print(f"image: cannot write to {options.output}: {error.strerror}; what was written is removed", file=sys.stderr)
        return 1
    print(f"image: {', '.join(sorted(files))} are in {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
