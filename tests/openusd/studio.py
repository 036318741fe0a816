#!/usr/bin/env python3
"""Makes a folder like that of a studio's own OpenUSD out of the usd-core of PyPI and its headers: studio.py PYTHON FOLDER

PYTHON has both (client/openusd/requirements-*.txt). FOLDER gets the headers where an installed OpenUSD has them (<pxr/usd/sdf/…>,
<pxr/base/tf/…>, <pxr/pxr.h>) and a pxrConfig.cmake with the targets that client/openusd links.
"""
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARIES = {"base": ("arch", "gf", "js", "plug", "tf", "trace", "ts", "vt", "work"), "usd": ("ar", "kind", "pcp", "sdf")}
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


def main(python, folder):
    openusd = found(python)
    directories = openusd["openusd_include_dirs"].split(";")
    include = os.path.join(os.path.abspath(folder), "include")
    for group, names in LIBRARIES.items():
        os.makedirs(os.path.join(include, "pxr", group))
        for name in names:
            for directory in directories:
                headers = os.path.join(directory, "pxr", name)
                if os.path.isdir(headers):
                    os.symlink(headers, os.path.join(include, "pxr", group, name))
    with open(os.path.join(include, "pxr/pxr.h"), "w", encoding="utf-8") as file:
        file.write("#include <pxr/sdf/pxr.h>\n")
    definitions = "PXR_PYTHON_SUPPORT_ENABLED" + (";_GLIBCXX_USE_CXX11_ABI=0" if openusd["openusd_old_abi"] == "ON" else "")
    with open(os.path.join(folder, "pxrConfig.cmake"), "w", encoding="utf-8") as file:
        file.write(CONFIG.format(library=openusd["openusd_library"], definitions=definitions, include=include, others=";".join(directories)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
