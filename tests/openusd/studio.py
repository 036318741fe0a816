#!/usr/bin/env python3
"""Makes a folder like that of a studio's own OpenUSD out of the headers of PyPI: studio.py PYTHON FOLDER [--library L --namespace N]

PYTHON has a usd-core with headers (client/openusd/requirements-*.txt). FOLDER gets the headers where an installed OpenUSD has them
(<pxr/usd/sdf/…>, <pxr/base/tf/…>, <pxr/pxr.h>) and a pxrConfig.cmake with the targets that client/openusd links. --library and
--namespace are those of an application that was built with the same release of OpenUSD, instead of those of usd-core.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = {"base": ("arch", "gf", "js", "plug", "tf", "trace", "ts", "vt", "work"), "usd": ("ar", "kind", "pcp", "sdf")}
NAMESPACE = re.compile(r"\bpxrInternal_v\w+__pxrReserved__\b")
CONFIG = """# Targets of OpenUSD, all of which are one library.
foreach(name pcp sdf ar vt tf gf)
  add_library(${{name}} SHARED IMPORTED)
  set_target_properties(${{name}} PROPERTIES IMPORTED_LOCATION "{library}" INTERFACE_COMPILE_DEFINITIONS "{definitions}"
    INTERFACE_INCLUDE_DIRECTORIES "{include};{others}")
endforeach()
"""


def found(python):
    """What client/openusd/find_openusd.py prints, as {variable: value}."""
    printed = subprocess.check_output([python, os.path.join(HERE, "../../client/openusd/find_openusd.py")], text=True)
    words = (line[len("set("):-1].split(" ", 1) for line in printed.splitlines())
    return {name: value.strip('"') for name, value in words}


def is_old_abi(library):
    """Whether the constructor of SdfPath takes a string of the old ABI of libstdc++."""
    with open(library, "rb") as file:
        return b"7SdfPathC1ERKSs" in file.read()


def copy_headers(directory, include, namespace):
    """Copies the headers of a package, those of all others that it includes by their names on PyPI as well."""
    for name in os.listdir(os.path.join(directory, "pxr")):
        target = os.path.join(include, "pxr", name)
        shutil.copytree(os.path.join(directory, "pxr", name), target)
        if namespace:
            for place, _, files in os.walk(target):
                for file in files:
                    path = os.path.join(place, file)
                    with open(path, encoding="utf-8", newline="") as header:
                        text = header.read()
                    with open(path, "w", encoding="utf-8", newline="") as header:
                        header.write(NAMESPACE.sub(namespace, text))


def main(arguments):
    parser = argparse.ArgumentParser(description="Makes a folder like that of a studio's own OpenUSD.")
    parser.add_argument("python")
    parser.add_argument("folder")
    parser.add_argument("--library", help="the library of OpenUSD that an application loads")
    parser.add_argument("--namespace", help="the inner namespace of that library")
    options = parser.parse_args(arguments)
    openusd = found(options.python)
    library = os.path.abspath(options.library or openusd["openusd_library"])
    include = os.path.join(os.path.abspath(options.folder), "include")
    others = []
    for directory in openusd["openusd_include_dirs"].split(";"):
        if os.path.isdir(os.path.join(directory, "pxr")):
            copy_headers(directory, include, options.namespace)
        else:
            others.append(directory)  # of TBB and Python
    for group, names in LIBRARIES.items():
        os.makedirs(os.path.join(include, "pxr", group))
        for name in names:
            if os.path.isdir(os.path.join(include, "pxr", name)):
                os.symlink(os.path.join("..", name), os.path.join(include, "pxr", group, name))
    with open(os.path.join(include, "pxr/pxr.h"), "w", encoding="utf-8") as file:
        file.write("#include <pxr/sdf/pxr.h>\n")
    definitions = "PXR_PYTHON_SUPPORT_ENABLED" + (";_GLIBCXX_USE_CXX11_ABI=0" if is_old_abi(library) else "")
    with open(os.path.join(options.folder, "pxrConfig.cmake"), "w", encoding="utf-8") as file:
        file.write(CONFIG.format(library=library, definitions=definitions, include=include, others=";".join(others)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
