"""Runs a script, for which `pxr` is stagedoor.pxr: python -m stagedoor.pxr script.py ARGUMENT…"""

from __future__ import annotations

import pathlib
import runpy
import sys

from stagedoor.pxr import install


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit("usage: python -m stagedoor.pxr SCRIPT [ARGUMENT…]")
    install()
    del sys.argv[0]
    sys.path[0] = str(pathlib.Path(sys.argv[0]).resolve().parent)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
