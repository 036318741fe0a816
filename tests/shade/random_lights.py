#!/usr/bin/env python3
"""Compares the lights of random scenes, and what they are linked to, in usd-core and in our engine.

    random_lights.py SHADE_DUMP [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

SHADE_DUMP is the program //tests/tools:shade_dump. Prints the disagreements on the first such scenes and exits 1.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"), os.path.join(HERE, "../geometry")]

from scene_checks import dumped, facts_by_path, facts_of, main  # noqa: E402

from light_scene import LightScene  # noqa: E402
from pxr import Usd, UsdLux  # noqa: E402

MODES = {"all": UsdLux.LightListAPI.ComputeModeIgnoreCache, "models": UsdLux.LightListAPI.ComputeModeConsultModelHierarchyCache}
CONTEXTS = [[], ["ri"], ["odd", "ri"]]


def paths(found):
    return [str(path) for path in found]


def light_of(prim):
    is_filter = prim.IsA(UsdLux.LightFilter)
    api = UsdLux.LightFilter(prim) if is_filter else UsdLux.LightAPI(prim)
    record = {"ids": [api.GetShaderId(contexts) for contexts in CONTEXTS]}
    for name, relationship in (("filters", "light:filters"), ("portals", "portals")):
        relationship = prim.GetRelationship(relationship)
        record[name] = paths(relationship.GetForwardedTargets()) if relationship else []
    for link in ["filterLink"] if is_filter else ["lightLink", "shadowLink"]:
        query = Usd.CollectionAPI(prim, link).ComputeMembershipQuery()
        record[f"members of {link}"] = paths(sorted(Usd.CollectionAPI.ComputeIncludedPaths(query, prim.GetStage())))
    return record


def queries(lights, collection):
    return [(str(light.GetPath()), Usd.CollectionAPI(light, collection).ComputeMembershipQuery()) for light in lights]


def theirs(root):
    """Records by path, by usd-core."""
    stage = Usd.Stage.Open(root)
    prims = list(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))[1:]
    lists = {name: paths(UsdLux.LightListAPI(stage.GetPseudoRoot()).ComputeLightList(mode)) for name, mode in MODES.items()}
    lights = [stage.GetPrimAtPath(path) for path in lists["all"]]
    links = {"lightLink": queries([x for x in lights if not x.IsA(UsdLux.LightFilter)], "lightLink"),
             "shadowLink": queries([x for x in lights if not x.IsA(UsdLux.LightFilter)], "shadowLink"),
             "filterLink": queries([x for x in lights if x.IsA(UsdLux.LightFilter)], "filterLink")}
    found = {str(light.GetPath()): light_of(light) for light in lights}
    for prim in prims:
        path = str(prim.GetPath())
        record = found.setdefault(path, {})
        for name, mode in MODES.items():
            record[name] = paths(UsdLux.LightListAPI(prim).ComputeLightList(mode))
        for name, asked in links.items():
            record[name] = [light for light, query in asked if query.IsPathIncluded(path)]
    return found


def ours(program, root):
    """The records of our program, in the form of `theirs`."""
    return facts_by_path(dumped(program, root, "lights"))


if __name__ == "__main__":
    sys.exit(main(LightScene, lambda root: facts_of(theirs(root)), ours))
