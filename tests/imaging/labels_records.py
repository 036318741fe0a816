"""What usd-core finds of labels, in the form of imaging_dump."""
from pxr import Gf, UsdSemantics
from labels_scene import TAXONOMIES

INFINITY = float("inf")
INTERVALS = {"0 to 2": Gf.Interval(0, 2), "1 to 1": Gf.Interval(1, 1), "1.5 to 4": Gf.Interval(1.5, 4),
             "all": Gf.Interval(-INFINITY, INFINITY), "from 3": Gf.Interval(3, INFINITY)}


def labels_records(prim, times):
    path = str(prim.GetPath())
    schema = UsdSemantics.LabelsAPI
    yield {"path": path, "direct": list(schema.GetDirectTaxonomies(prim)),
           "inherited": list(schema.ComputeInheritedTaxonomies(prim))}
    for name, time in [*times, *INTERVALS.items()]:
        record = {"path": path, "time": str(name)}
        for taxonomy in TAXONOMIES:
            query = UsdSemantics.LabelsQuery(taxonomy, time)
            record[taxonomy] = list(query.ComputeUniqueDirectLabels(prim))
            record[taxonomy + " inherited"] = list(query.ComputeUniqueInheritedLabels(prim))
        yield record
