"""One version everywhere: base/version.h has it, and whatever else states it must state the same.

Functions return errors as texts that name the file and both versions; none if all is well.
"""
import ctypes
import os
import re
import subprocess
import zipfile

VERSION = r"(\d+\.\d+(?:\.\d+)?)"
# Files that have to state the version, with the pattern of what does. Two numbers mean the first two of the version.
STATED = {
    "client/python/pyproject.toml": rf'"stagedoor-daemon=={VERSION}"',
    "client/python/stagedoor/_version.py": rf'__version__ = "{VERSION}"',
    "deploy/compose/compose.yaml": rf"image: stagedoor:{VERSION}",
    "deploy/image/Dockerfile": rf'image\.version="{VERSION}"',
    "deploy/kubernetes/base/kustomization.yaml": rf"newTag: {VERSION}",
    "docs/cpp.md": rf"find_package\(Stagedoor {VERSION}",
    "docs/deployment.md": rf"newTag: {VERSION}",
    "tests/sdk/CMakeLists.txt": rf"find_package\(Stagedoor {VERSION}",
}
# Names in other places: images, archives, packages, and what programs print.
NAMES = re.compile(rf"\b[Ss]tagedoord?(?:-cpp|_daemon|_openusd)?[-: ]v?{VERSION}")
# Files in which such names may be of other versions.
HISTORY = ("CHANGELOG.md",)


def _agrees(stated, version):
    return stated == version or version.startswith(stated + ".")


def text_errors(path, text, version):
    """Versions in the text of a file that are not `version`, or the lack of one that has to be there."""
    stated = set(NAMES.findall(text))
    if path in STATED:
        required = set(re.findall(STATED[path], text))
        if not required:
            return [f"{path} states no version; it must match {STATED[path]}"]
        stated |= required
    return [f"{path} states the version {found}, not {version}" for found in sorted(stated) if not _agrees(found, version)]


def tree_errors(root, paths, version):
    """The `text_errors` of files below `root`; `paths` are those to look at besides the files that have to state the version."""
    errors = []
    for path in sorted({*paths, *STATED} - set(HISTORY)):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            errors += text_errors(path, file.read(), version)
    return errors


def program_errors(path, version):
    stated = subprocess.check_output([path, "--version"], text=True).split()[1]
    return [] if stated == version else [f"{path} has the version {stated}, not {version}; build it again"]


def library_errors(path, header):
    """Whether a library is of the C interface that stagedoor.h, of which `header` is the text, declares."""
    declared = int(re.search(r"#define SD_ABI_VERSION (\d+)", header)[1])
    found = ctypes.CDLL(os.path.abspath(path)).sd_abi_version()
    return [] if found == declared else [f"{path} has SD_ABI_VERSION {found}, and stagedoor.h {declared}; build it again"]


def wheel_errors(path, version):
    """Whether a wheel is of the version by its name, its metadata and its module, and has all that it needs."""
    name = os.path.basename(path)
    errors = [] if name == f"stagedoor-{version}-py3-none-any.whl" else [f"{name} is not the wheel of version {version}; build it again"]
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        metadata = [member for member in names if re.fullmatch(r"stagedoor-[^/]+\.dist-info/METADATA", member)]
        for places, pattern in ((metadata, r"(?m)^Version: (\S+)$"), (["stagedoor/_version.py"], r'__version__ = "(.*)"')):
            stated = {found for place in places if place in names for found in re.findall(pattern, wheel.read(place).decode())}
            if stated != {version}:
                errors.append(f"{name}: {', '.join(places) or 'METADATA'} states {', '.join(sorted(stated)) or 'no version'}, not {version}")
        errors += [f"{name} lacks {member}" for member in ("stagedoor/py.typed", "stagedoor/_proto/descriptors.binpb")
                   if member not in names]
    return errors


def openusd_errors(names, version):
    """Whether wheels of the OpenUSD plug-in are of the version, by their names."""
    return [f"{name} is not a wheel of version {version}; build it again" for name in names
            if not re.fullmatch(rf"stagedoor_openusd-{re.escape(version)}\.\d{{4}}-.*\.whl", name)]
