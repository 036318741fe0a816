#!/usr/bin/env python3
"""Uses the files of a release as those who download them do: release_test.py FOLDER WHEEL

FOLDER has the files, as tools/release/release.sh made them from the working tree. WHEEL is the Python package as it was built another
time. STAGEDOOR_LIBRARY is the library that they were made of, and SPDX_PYTHON a Python with spdx-tools, which validates the bills of
materials; without it they are only compared with the files. Prints a line for each check, and exits with 0 if all passed.
"""
import argparse
import filecmp
import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "../.."))
sys.path[:0] = [HERE, *(os.path.join(ROOT, "tools", folder) for folder in ("image", "sdk", "release", "wheel"))]

import archives
import daemon_wheel
import debian
import exercise
import make_image
import make_release
import openusd_wheel
import wheel_checks

SCENE = os.path.join(ROOT, "tests/data/stage_door/root.usda")
ATTRIBUTE, TIME, VALUE = "/Shot/Camera.focalLength", "12.5", "42.5"
# A program of a user of the Python package: prints both versions and a value.
PROGRAM = """
import sys, stagedoor
with stagedoor.connect(sys.argv[1]) as client, client.open(sys.argv[2]) as stage:
    print(stagedoor.__version__, client.server_version, stage[sys.argv[3]].get(float(sys.argv[4])))
"""
# A program in two lines, for users whose environment has the daemon, too.
TWO_LINES = f"""import stagedoor
print(stagedoor.open({SCENE!r})[{ATTRIBUTE!r}].get({TIME}))"""

VALIDATE = """
import sys
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document
sys.exit("\\n".join(message.validation_message for message in validate_full_spdx_document(parse_file(sys.argv[1]))) or 0)
"""


def run(*command, **options):
    """The output of a command; raises with what it printed if it fails."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **options)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def sums_are_right(folder):
    return subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"], cwd=folder, capture_output=True,
                          check=False).returncode == 0


class ReleaseTest:
    def __init__(self, release, other_wheel, work):
        self.release = release
        self.other_wheel = other_wheel
        self.work = work
        self.version = make_image.version()
        self.platform = f"linux-{make_image.architecture()}"
        self.programs = f"stagedoor-{self.version}-{self.platform}"
        self.cpp = f"stagedoor-cpp-{self.version}-{self.platform}"
        self.wheel = f"stagedoor-{self.version}-py3-none-any.whl"
        platforms = ".".join(daemon_wheel.tags(make_image.architecture())[2])
        self.daemon_wheel = f"stagedoor_daemon-{self.version}-py3-none-{platforms}.whl"
        self.openusd_wheels = sorted(name for name in os.listdir(release) if name.startswith(openusd_wheel.NAME))
        self.venv = os.path.join(work, "venv")

    def path(self, name):
        return os.path.join(self.release, name)

    def unpack(self, name):
        """The folder in which an archive has been unpacked; it has one folder of its own name."""
        target = os.path.join(self.work, "unpacked")
        os.makedirs(target, exist_ok=True)
        run("tar", "-xzf", self.path(f"{name}.tar.gz"), "-C", target)
        return os.path.join(target, name)

    def files(self):
        image = f"stagedoor-{self.version}"
        wanted = {"SHA256SUMS", self.wheel, self.daemon_wheel, *self.openusd_wheels, f"{self.cpp}.tar.gz", f"{self.programs}.tar.gz", f"{self.programs}-debug.tar.gz",
                  f"{self.programs}.spdx.json", f"{image}.oci.tar", f"{image}.spdx.json", f"{image}-debug.oci.tar",
                  f"{image}-debug.spdx.json"}
        assert set(os.listdir(self.release)) == wanted, set(os.listdir(self.release)) ^ wanted
        with open(self.path("SHA256SUMS"), encoding="utf-8") as file:
            assert {line.split()[1] for line in file} == wanted - {"SHA256SUMS"}
        assert sums_are_right(self.release)
        return f"{len(wanted)} files"

    def sums_notice(self):
        """A byte that was changed, and a file that is missing."""
        copy = os.path.join(self.work, "copy")
        os.makedirs(copy)
        for name in os.listdir(self.release):
            os.symlink(self.path(name), os.path.join(copy, name))
        assert sums_are_right(copy)
        changed = os.path.join(copy, self.wheel)
        os.remove(changed)
        assert not sums_are_right(copy), "a missing file is not noticed"
        content = bytearray(make_image.read(self.path(self.wheel)))
        content[len(content) // 2] ^= 1
        with open(changed, "wb") as file:
            file.write(content)
        assert not sums_are_right(copy), "a changed byte is not noticed"

    def repeatable(self):
        """The Python and the C++ package have the same bytes when they are made again."""
        assert filecmp.cmp(self.path(self.wheel), self.other_wheel, shallow=False), "a second wheel differs"
        tree = archives.cpp_package(self.cpp, os.environ["STAGEDOOR_LIBRARY"])
        again = archives.compressed(tree, make_image.source_date())
        assert again == make_image.read(self.path(f"{self.cpp}.tar.gz")), "a second C++ package differs"

    def start(self):
        """The daemon of the archive, which the checks below ask."""
        folder = self.unpack(self.programs)
        flags = ["--address=127.0.0.1:0", f"--address-file={self.work}/address"]
        self.daemon = exercise.Daemon([os.path.join(folder, "bin/stagedoord")], flags, os.path.join(self.work, "log"),
                                      [os.path.join(folder, "bin/stagedoor")])
        self.address = self.daemon.wait_for_file(f"{self.work}/address")[0]
        for program in ("stagedoord", "stagedoor"):
            assert run(os.path.join(folder, "bin", program), "--version") == f"{program} {self.version}\n"
        assert self.daemon.ask(self.address, "get", SCENE, ATTRIBUTE, "--times", TIME) == f"{TIME}\t{VALUE}\n"
        for page in ("README.md", "CHANGELOG.md", "docs/deployment.md", "deploy/systemd/stagedoord.service", "proto/stagedoor/v1/server.proto"):
            assert filecmp.cmp(os.path.join(folder, "share", page), os.path.join(ROOT, page), shallow=False), page
        return self.address

    def documented_packages(self):
        """With the packages that docs/deployment.md names, all libraries that the programs need are there."""
        with open(os.path.join(ROOT, "docs/deployment.md"), encoding="utf-8") as file:
            (named,) = re.findall(r"(?m)^    apt-get install ((?:lib\S+ ?)+)$", file.read())
        depends = {}
        for line in run("dpkg-query", "-W", "-f", "${Package}\t${Pre-Depends}, ${Depends}\n").splitlines():
            package, needed = line.split("\t")
            depends.setdefault(package, set()).update(re.findall(r"(?:^|[,|])\s*([a-z0-9.+-]+)", needed))
        there, new = set(), {*named.split(), "libstdc++6"}
        while new:
            there |= new
            new = set().union(*(depends.get(package, ()) for package in new)) - there
        libraries = {library for name in ("stagedoord", "stagedoor")
                     for library in debian.libraries(os.path.join(self.work, "unpacked", self.programs, "bin", name))}
        missing = {owner.split(":")[0] for owner in debian.owners(libraries)} - there
        assert not missing, f"docs/deployment.md does not name {', '.join(sorted(missing))}"
        superfluous = [package for package in named.split() if package not in {owner.split(":")[0] for owner in debian.owners(libraries)}]
        assert not superfluous, superfluous
        return f"{len(named.split())} packages"

    def refuses(self):
        """All that keeps a release from being made is asked about: each of the rules has a test of its own in tools/release."""
        wrong = os.path.join(self.work, "stagedoord-9.9.9")
        with open(wrong, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho stagedoord 9.9.9\n")
        os.chmod(wrong, 0o755)
        wheel = shutil.copy(self.path(self.wheel), os.path.join(self.work, "stagedoor-9.9.9-py3-none-any.whl"))
        openusd = os.path.join(self.work, "openusd")
        os.makedirs(os.path.join(openusd, "stagedoor_openusd-9.9.9.2608-cp311-none-any.whl"))
        options = argparse.Namespace(daemon=wrong, command=os.path.join(self.work, "unpacked", self.programs, "bin/stagedoor"),
                                     library=os.environ["STAGEDOOR_LIBRARY"], wheel=wheel, openusd_wheels=openusd, snapshot=False)
        texts = {"client/sdk/stagedoor.h": "#define SD_ABI_VERSION 99", "CHANGELOG.md": "# Changelog\n"}
        git = make_image.git
        with mock.patch.object(make_release, "tree_text", texts.get), mock.patch.object(
                make_image, "git", lambda *arguments: " M docs/a.md\n?? b" if arguments[0] == "status" else git(*arguments)):
            errors = make_release.errors_of(options, self.release)
            options.snapshot = True
            snapshot = make_release.errors_of(options, os.path.join(self.work, "new"))
        parts = ("has the version 9.9.9", "stagedoor.h 99", "9.9.9-py3-none-any.whl is not", "9.9.9.2608-cp311-none-any.whl is not", "not committed: docs/a.md, b",
                 "CHANGELOG.md must begin", f"{self.release} is not empty")
        assert len(errors) == len(parts) and all(part in error for part, error in zip(parts, errors)), errors
        assert snapshot == errors[:4], snapshot
        return f"{len(errors)} reasons"

    def python(self):
        run(sys.executable, "-m", "venv", self.venv)
        python = os.path.join(self.venv, "bin/python")
        run(python, "-m", "pip", "install", "-q", "--retries", "1", "--find-links", self.release, f"{self.path(self.wheel)}[daemon]")
        run(python, "-m", "pip", "check")
        printed = run(python, "-c", PROGRAM, self.address, SCENE, ATTRIBUTE, TIME, cwd=self.work)
        assert printed == f"{self.version} {self.version} {VALUE}\n", printed
        assert f"Version: {self.version}\n" in run(python, "-m", "pip", "show", "stagedoor")
        return printed.strip()

    def python_daemon(self):
        """The extra `daemon` has put the programs of the same version beside the Python of the environment, which starts a private daemon."""
        programs, runtime = os.path.join(self.venv, "bin"), os.path.join(self.work, "runtime")
        os.mkdir(runtime, 0o700)
        environment = {**os.environ, "STAGEDOOR_ADDRESS": "", "XDG_RUNTIME_DIR": runtime}
        printed = run(f"{programs}/python", "-c", TWO_LINES, cwd=self.work, env=environment)
        assert printed == f"{VALUE}\n", printed
        printed = run(f"{programs}/stagedoor", "get", SCENE, ATTRIBUTE, "--times", TIME, env=environment)
        assert printed == f"{TIME}\t{VALUE}\n", printed
        printed = run(f"{programs}/stagedoor", "daemon", "stop", env=environment)
        assert printed.startswith("stopped process "), printed
        for program in ("stagedoord", "stagedoor"):
            assert run(f"{programs}/{program}", "--version") == f"{program} {self.version}\n"

    def empty_root(self):
        return wheel_checks.check(self.path(self.daemon_wheel), self.work)

    def openusd(self):
        """The wheels of the OpenUSD plug-in, of which there are none if PyPI does not have what they are made of."""
        environment = {**os.environ, "STAGEDOOR_ADDRESS": self.address}
        checks = os.path.join(ROOT, "tests/openusd/wheel_checks.py")
        printed = run(sys.executable, checks, *map(self.path, self.openusd_wheels), env=environment)
        print(printed, end="", flush=True)
        return ", ".join(map(openusd_wheel.usd_of, self.openusd_wheels)) or "skipped: there are none"

    def cpp_program(self):
        package, build = self.unpack(self.cpp), os.path.join(self.work, "build")
        moved = shutil.move(package, os.path.join(self.work, "elsewhere"))
        run("cmake", "-S", os.path.join(HERE, "release_program"), "-B", build, f"-DCMAKE_PREFIX_PATH={moved}", f"-DVERSION={self.version}")
        run("cmake", "--build", build)
        printed = run(os.path.join(build, "shot"), SCENE, ATTRIBUTE, TIME, env={**os.environ, "STAGEDOOR_ADDRESS": self.address})
        assert printed == f"{VALUE}\n", printed
        for name in ("stagedoor", "stagedoor-c"):
            stated = run("pkg-config", "--modversion", name, env={**os.environ, "PKG_CONFIG_PATH": f"{moved}/lib/pkgconfig"})
            assert stated == f"{self.version}\n", stated
        headers = [f"{moved}/include/{name}.h" for name in ("stagedoor", "stagedoor/c_types", "stagedoor/c_frames")]
        run(os.path.join(ROOT, "tests/sdk/symbols.py"), f"{moved}/lib/libstagedoor.so.1", *headers)

    def stop(self):
        status = self.daemon.stop()
        assert status == 0, f"exit status {status}:\n{self.daemon.text()}"

    def debug_information(self):
        """That of exactly the binaries in the archives, by their build IDs."""
        folder = self.unpack(f"{self.programs}-debug")
        stripped = {"stagedoord": f"{self.work}/unpacked/{self.programs}/bin", "stagedoor": f"{self.work}/unpacked/{self.programs}/bin",
                    "libstagedoor.so.1": f"{self.work}/elsewhere/lib"}
        for name, place in stripped.items():
            ids = [next(line for line in run("readelf", "-n", path).splitlines() if "Build ID" in line)
                   for path in (os.path.join(place, name), os.path.join(folder, "debug", f"{name}.debug"))]
            assert ids[0] == ids[1], f"{name}: {ids}"
            sections = run("readelf", "-S", "--wide", os.path.join(folder, "debug", f"{name}.debug"))
            assert ".debug_info" in sections, f"{name} has no debug information"

    def images(self):
        """Both images state the version, and have the programs of the archive, or those with symbols."""
        for variant in ("", "-debug"):
            with tarfile.open(self.path(f"stagedoor-{self.version}{variant}.oci.tar")) as archive:
                def blob(digest, archive=archive):
                    return archive.extractfile("blobs/" + digest.replace(":", "/")).read()
                (entry,) = json.load(archive.extractfile("index.json"))["manifests"]
                manifest = json.loads(blob(entry["digest"]))
                config = json.loads(blob(manifest["config"]["digest"]))
                layer = gzip.decompress(blob(manifest["layers"][0]["digest"]))
            label = "org.opencontainers.image.version"
            stated = (config["config"]["Labels"][label], manifest["annotations"][label])
            assert stated == (self.version,) * 2, stated
            assert entry["annotations"]["org.opencontainers.image.ref.name"] == f"stagedoor:{self.version}{variant}", entry
            with tarfile.open(fileobj=io.BytesIO(layer)) as files:
                for name in ("stagedoord", "stagedoor"):
                    inside = files.extractfile(f"usr/bin/{name}").read()
                    beside = make_image.read(os.path.join(self.work, "unpacked", self.programs, "bin", name))
                    assert (inside == beside) == (variant == ""), f"{name} in the image{variant}"

    def materials(self):
        """The bill of materials has the checksums of the archives, and what they need."""
        with open(self.path(f"{self.programs}.spdx.json"), encoding="utf-8") as file:
            document = json.load(file)
        stated = {package["packageFileName"]: (package["versionInfo"], package["checksums"][0]["checksumValue"])
                  for package in document["packages"] if "packageFileName" in package}
        wanted = {name: (self.version, hashlib.sha256(make_image.read(self.path(name))).hexdigest())
                  for name in (f"{self.programs}.tar.gz", f"{self.cpp}.tar.gz", self.wheel, self.daemon_wheel, *self.openusd_wheels)}
        assert stated == wanted, stated
        with zipfile.ZipFile(self.path(self.wheel)) as wheel:
            page = "stagedoor/inspect/web/packages.json"
            in_page = {package["name"] for package in json.loads(wheel.read(page))} if page in wheel.namelist() else set()
        names = {package["name"] for package in document["packages"]}
        assert in_page <= names, f"packages of the inspector's page are missing: {in_page - names}"
        assert {"libhiredis0.14", "libgrpc++1.51", "nlohmann-json3-dev", "tzdata", "grpcio", "protobuf", "numpy"} <= names, names
        assert {file["fileName"] for file in document["files"]} == {
            f"./{self.programs}/bin/stagedoord", f"./{self.programs}/bin/stagedoor", f"./{self.cpp}/lib/libstagedoor.so.1"}
        python = os.environ.get("SPDX_PYTHON")
        for name in os.listdir(self.release) if python else ():
            if name.endswith(".spdx.json"):
                run(python, "-c", VALIDATE, self.path(name))
        return f"{len(names)} packages{'' if python else '; not validated: cannot install spdx-tools'}"


CHECKS = ("files", "sums_notice", "repeatable", "start", "documented_packages", "refuses", "python", "python_daemon", "empty_root", "openusd", "cpp_program", "stop", "debug_information", "images", "materials")


def main(release, other_wheel):
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        test = ReleaseTest(os.path.abspath(release), os.path.abspath(other_wheel), work)
        try:
            for name in CHECKS:
                begin = time.monotonic()
                try:
                    result = getattr(test, name)()
                    print(f"release: {name} ok ({time.monotonic() - begin:.1f} s){': ' + result if result else ''}", flush=True)
                except (AssertionError, OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
                    print(f"release: {name} FAILED: {error}", flush=True)
                    failed += 1
                    if name in ("files", "start"):
                        break
        finally:
            if hasattr(test, "daemon"):
                test.daemon.process.kill()
                test.daemon.process.wait()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
