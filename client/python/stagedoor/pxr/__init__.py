"""The names of OpenUSD's Python API, for scripts that read, without OpenUSD.

from stagedoor.pxr import Usd, UsdGeom

stage = Usd.Stage.Open("/show/shot.usda")

The stages are those of a daemon. After `install()`, `from pxr import Usd` finds these modules, in a
program without changes; so does `python -m stagedoor.pxr script.py`. What authors raises a
`Tf.ErrorException`.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any

from stagedoor.pxr._connection import connect
from stagedoor.pxr._errors import ReadOnlyError

MODULES = [
    *("Ar", "Gf", "Kind", "Pcp", "Sdf", "Tf", "Usd", "UsdGeom", "UsdHydra", "UsdLod", "UsdLux"),
    *("UsdMedia", "UsdPhysics", "UsdProc", "UsdRender", "UsdRi", "UsdSemantics", "UsdShade"),
    *("UsdSkel", "UsdUI", "UsdUtils", "UsdVol", "Vt"),
]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"stagedoor.pxr has no module {name!r}")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of this package under the name `pxr`."""

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        package, _, name = fullname.partition(".")
        if package != "pxr" or (name and name not in MODULES):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=not name)

    def create_module(self, spec: Any) -> ModuleType:
        return importlib.import_module(f"stagedoor.{spec.name}")

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to do: the module has been imported under its own name."""


def install() -> None:
    """Makes `pxr` this package from now on, even if OpenUSD is installed.

    Raises ImportError if the program has imported OpenUSD's already.
    """
    found = sys.modules.get("pxr")
    if found is not None and found is not sys.modules[__name__]:
        raise ImportError("pxr of OpenUSD is imported already; call stagedoor.pxr.install() first")
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _Finder())


__all__ = ["ReadOnlyError", "connect", "install", *MODULES]
