"""What usd-core counts in stages and subtrees, in the form of imaging_dump."""
from collections import Counter

from pxr import Usd, UsdUtils

COUNTS = ["totalPrimCount", "activePrimCount", "inactivePrimCount", "pureOverCount", "instanceCount"]


def counts(found):
    """Numbers and types, sorted by name."""
    types = sorted(("" if name == "untyped" else name, count) for name, count in found["primCountsByType"].items())
    return [[found["primCounts"][name] for name in COUNTS], [list(entry) for entry in types]]


def whole_stage(stage):
    found = UsdUtils.ComputeUsdStageStats(stage)
    none = {"primCounts": dict.fromkeys(COUNTS, 0), "primCountsByType": {}}
    return {"layers": found["usedLayerCount"], "models": [found["modelCount"], found["instancedModelCount"], found["assetCount"]],
            "prototypeCount": found["prototypeCount"], "primary": counts(found["primary"]),
            "prototypes": counts(found.get("prototypes", none))}


def subtree(prim):
    """Without the descendants of instances, also if the prim is an instance proxy."""
    prims = []
    walk = iter(Usd.PrimRange(prim, Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))
    for at in walk:
        prims.append(at)
        if at.IsInstance():
            walk.PruneChildren()
    types = sorted(Counter(at.GetTypeName() for at in prims).items())
    flags = [len(prims), sum(at.IsActive() for at in prims), sum(not at.IsActive() for at in prims),
             sum(not at.HasDefiningSpecifier() for at in prims), sum(at.IsInstance() for at in prims)]
    payloads = [sum(at.HasPayload() for at in prims), sum(at.HasPayload() and not at.IsLoaded() for at in prims)]
    return {"primary": [flags, [list(entry) for entry in types]], "payloads": payloads}


def statistics_records(prim, times):
    path = str(prim.GetPath())
    if prim.GetPath().IsRootPrimPath():
        yield {"path": path, "key": "stage", **whole_stage(prim.GetStage())}
    yield {"path": path, "key": "subtree", **subtree(prim)}
