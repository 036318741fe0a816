"""Which versions of glibc and libstdc++ a library needs, and which systems have them."""
import re
import subprocess

# The newest versions that systems with glibc 2.34 have, such as Red Hat Enterprise Linux 9, and so the platform manylinux_2_34: those of
# GCC 11. Ubuntu 22.04 and Debian 12 are newer.
NEWEST = {"GLIBC": (2, 34), "GLIBCXX": (3, 4, 29), "CXXABI": (1, 3, 13), "GCC": (7, 0, 0)}
SYMBOL = re.compile(r"\((GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)\)\s+(\S+)$")


def needed(paths):
    """The newest version of each name that libraries need, with the file and one of the symbols that need it: {name: (version, file, symbol)}."""
    found = {}
    for path in paths:
        listed = subprocess.run(["objdump", "-T", path], stdout=subprocess.PIPE, check=True, text=True).stdout
        for line in listed.splitlines():
            match = SYMBOL.search(line)
            if match is None or "*UND*" not in line:
                continue
            version = tuple(map(int, match[2].split(".")))
            if version > found.get(match[1], ((),))[0]:
                found[match[1]] = version, path, match[3]
    return found


def text(version):
    return ".".join(map(str, version))


def problems(versions):
    """Why systems with NEWEST cannot load libraries that need these versions."""
    return [f"{path} needs {name}_{text(version)} for {symbol}, and systems with glibc {text(NEWEST['GLIBC'])} have {text(NEWEST[name])}"
            for name, (version, path, symbol) in sorted(versions.items()) if version > NEWEST[name]]


def platform(versions, processor):
    """The platform tag of a wheel with such libraries (PEP 600)."""
    return f"manylinux_{'_'.join(map(str, versions['GLIBC'][0][:2]))}_{processor}"
