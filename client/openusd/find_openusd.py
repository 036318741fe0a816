#!/usr/bin/env python3
"""Prints where the usd-core of this Python and its headers are, as the CMake commands of pypi_openusd.cmake."""
import glob
import os
import sys
import sysconfig


def main():
    site = sysconfig.get_paths()["platlib"]
    libraries = glob.glob(os.path.join(site, "usd_core.libs", "libusd_ms*.so*"))
    headers = glob.glob(os.path.join(site, "pxr-*", "include")) + glob.glob(os.path.join(site, "TBB", "include"))
    if os.path.isdir(os.path.join(sys.prefix, "include", "tbb")):
        headers.append(os.path.join(sys.prefix, "include"))  # tbb-devel
    if len(libraries) != 1 or not headers:
        sys.exit("find_openusd: no usd-core with headers in " + site)
    includes = headers + [sysconfig.get_paths()["include"]]
    # The constructor of SdfPath takes a string of the old ABI of libstdc++ or of the new one.
    with open(libraries[0], "rb") as file:
        old = b"7SdfPathC1ERKSs" in file.read()
    has_pcp = os.path.isdir(os.path.join(site, "pxr-pcp", "include"))
    print('set(openusd_include_dirs "' + ";".join(includes) + '")')
    print(f'set(openusd_library "{libraries[0]}")')
    print(f"set(openusd_old_abi {'ON' if old else 'OFF'})")
    print(f"set(openusd_has_pcp {'ON' if has_pcp else 'OFF'})")


if __name__ == "__main__":
    main()
