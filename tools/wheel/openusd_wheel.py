#!/usr/bin/env python3
"""Makes the wheel with the OpenUSD plug-in for one usd-core of PyPI; ./dev release does it as well (docs/decisions/openusd-wheel.md).

The plug-in and the C library are in a folder of usd-core in which it looks for plug-ins by itself, and beside them is every library of
the distribution that they need but those that all systems have. These have names of their own, so that an application's are not used
instead. The same files and packages give the same bytes.
"""
import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "../image")]

import daemon_wheel
import debian
import make_image
import symbol_versions
import wheel_file

NAME = "stagedoor_openusd"
PLUGIN, LIBRARY = "libstagedoor_openusd.so", "libstagedoor.so.1"
HOME = "pxr/pluginfo/stagedoor"  # usd-core includes pluginfo/*/resources
# Libraries that every system has (PEP 600): the libraries of glibc and of the compiler.
SYSTEM = re.compile(r"(ld-linux-[\w-]+|lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s))\.so\.\d+")


def version(ours, usd):
    """Stagedoor's version, then that of OpenUSD as one number: installers choose the wheel that suits the usd-core that is asked for."""
    major, minor = map(int, usd.split(".")[:2])
    return f"{ours}.{major:02}{minor:02}"


def usd_of(file_name):
    """The release of OpenUSD that a wheel is for, by its file name."""
    number = file_name.split("-")[1].rpartition(".")[2]
    return f"{int(number[:-2])}.{int(number[-2:])}"


def bundled(library):
    """The libraries that a library loads and that not every system has: {name: path}."""
    paths = {os.path.basename(path): path for path in debian.libraries(library)}
    return {name: path for name, path in sorted(paths.items()) if not SYSTEM.fullmatch(name)}


def packages(library):
    """The packages of Debian that the libraries beside the C library are from."""
    return sorted(debian.owners(bundled(library).values()))


def own_name(name, content):
    """The name of a copy of a library that nothing else has: libz.so.1 is libz-1a2b3c4d.so.1."""
    stem, _, rest = name.partition(".so")
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:8]}.so{rest}"


def with_own_names(files, patchelf):
    """The libraries {name: path} by names of their own, which they know each other by: {name: content}. The plug-in keeps its name."""
    names = {name: name if name == PLUGIN else own_name(name, make_image.read(path)) for name, path in files.items()}
    replaced = [word for name in sorted(names) for word in ("--replace-needed", name, names[name]) if names[name] != name]
    result = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, path in sorted(files.items()):
            target = os.path.join(folder, names[name])
            shutil.copyfile(path, target)
            os.chmod(target, 0o755)
            subprocess.check_call([patchelf, *replaced, "--set-soname", names[name], "--set-rpath", "$ORIGIN", target])
            result[names[name]] = make_image.read(target)
    return result


def metadata(name_version, usd, python, description):
    return (f"Metadata-Version: 2.1\nName: {NAME.replace('_', '-')}\nVersion: {name_version}\n"
            f"Summary: Opens stages of a Stagedoor daemon in applications of OpenUSD, with usd-core {usd}\n"
            f"Requires-Python: =={python}.*\nRequires-Dist: usd-core=={usd}\n"
            "Classifier: Operating System :: POSIX :: Linux\nDescription-Content-Type: text/markdown\n\n" + description)


def environment(python):
    """The release of usd-core in the environment of an interpreter, and the version of Python: ("26.8", "3.11")."""
    program = "import sys; from importlib.metadata import version; print(version('usd-core'), '%d.%d' % sys.version_info[:2])"
    return subprocess.check_output([python, "-c", program], text=True).split()


def wheel(files, texts, tags, name_version, metadata_text, created):
    """The name and the bytes of a wheel with libraries {name: content} and texts {path: content}."""
    made = wheel_file.WheelFile(NAME, name_version, tags, created)
    for name, content in files.items():
        made.add("platlib", f"{HOME}/{name}", content, 0o755)
    for path, content in texts.items():
        made.add("platlib", f"{HOME}/{path}", content)
    return made.file_name, made.bytes(metadata_text)


def make(plugin, openusd_python, patchelf):
    """The name and the bytes of the wheel of what client/openusd/build.sh installed in the folder `plugin`."""
    usd, python = environment(openusd_python)
    paths = bundled(os.path.join(plugin, LIBRARY))
    with tempfile.TemporaryDirectory() as folder:
        for name in (PLUGIN, LIBRARY):
            paths[name] = os.path.join(folder, name)
            subprocess.check_call(["strip", "--strip-unneeded", "-o", paths[name], os.path.join(plugin, name)])
        versions = symbol_versions.needed(paths.values())
        problems = symbol_versions.problems(versions)
        if problems:
            raise RuntimeError("; ".join(problems))
        files = with_own_names(paths, patchelf)
    texts = {"resources/plugInfo.json": make_image.read(os.path.join(plugin, "resources/plugInfo.json"))}
    texts.update({f"licenses/{package.split(':')[0]}": debian.copyright_file(package) for package in packages(os.path.join(plugin, LIBRARY))})
    interpreter = "cp" + python.replace(".", "")
    tags = interpreter, "none", [symbol_versions.platform(versions, daemon_wheel.PROCESSORS[make_image.architecture()])]
    name_version = version(make_image.version(), usd)
    description = make_image.read(os.path.join(FOLDER, "openusd_description.md")).decode()
    name, content = wheel(files, texts, tags, name_version, metadata(name_version, usd, python, description), make_image.source_date())
    print(f"wheel: {name}: {sum(map(len, files.values())) / 2**20:.1f} MiB, {len(content) / 2**20:.1f} MiB compressed")
    return name, content


def main(arguments):
    parser = argparse.ArgumentParser(description="Makes the wheel with the OpenUSD plug-in for one usd-core of PyPI.")
    parser.add_argument("--plugin", required=True, help="the folder that client/openusd/build.sh installed the plug-in in")
    parser.add_argument("--openusd-python", required=True, help="the Python with the usd-core that it was compiled for")
    parser.add_argument("--patchelf", default="patchelf", help="path of patchelf (default that of PATH)")
    parser.add_argument("--output", default=os.path.join(make_image.ROOT, "dist"), help="directory of the result (default dist)")
    options = parser.parse_args(arguments)
    name, content = make(options.plugin, options.openusd_python, options.patchelf)
    os.makedirs(options.output, exist_ok=True)
    with open(os.path.join(options.output, name), "wb") as file:
        file.write(content)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
