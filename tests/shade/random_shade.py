#!/usr/bin/env python3
"""Compares the bound materials of random scenes in usd-core and in our engine.

    random_shade.py SHADE_DUMP [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

SHADE_DUMP is the program //tests/tools:shade_dump. Prints the disagreements on the first such scenes and exits 1.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"), os.path.join(HERE, "../geometry")]

from scene_checks import dumped, main  # noqa: E402

from binding_scene import BindingScene  # noqa: E402
from pxr import Usd, UsdShade  # noqa: E402

PURPOSES = ["", "full", "preview", "physics", "odd"]


def theirs(root):
    """(path, purpose): (material, binding) by usd-core."""
    stage = Usd.Stage.Open(root)
    predicate = Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)
    prims = list(Usd.PrimRange(stage.GetPseudoRoot(), predicate))[1:]
    found = {}
    for purpose in PURPOSES:
        materials, bindings = UsdShade.MaterialBindingAPI.ComputeBoundMaterials(prims, purpose)
        for prim, material, binding in zip(prims, materials, bindings):
            found[str(prim.GetPath()), purpose] = (str(material.GetPath()) if material else None,
                                                   str(binding.GetPath()) if binding else None)
    return found


def ours(program, root):
    """(path, purpose): (material, binding) by our program."""
    return {(r["path"], r["purpose"]): (r.get("material"), r.get("binding")) for r in dumped(program, root)}


if __name__ == "__main__":
    sys.exit(main(BindingScene, theirs, ours))
