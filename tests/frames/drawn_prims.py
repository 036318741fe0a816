"""Which prims a frame has, by usd-core: what renderers draw of a stage."""
from dataclasses import dataclass

from pxr import Sdf, Usd, UsdGeom

PREDICATE = Usd.TraverseInstanceProxies()
# Prototypes of point instancers may be overs.
PROTOTYPE_PREDICATE = Usd.TraverseInstanceProxies(Usd.PrimIsActive & Usd.PrimIsLoaded & ~Usd.PrimIsAbstract)
LEFT_OUT = "left out"  # in place of the name of a prim that is invisible, if those are left out
STAND_INS = ("cards", "bounds", "origin")


@dataclass(frozen=True)
class DrawnPrim:
    prim: Usd.Prim
    prototype: Usd.Prim | None = None  # the root of the prototype of point instancers that it is a part of
    draw_mode: str = ""

    @property
    def name(self):
        return row_name(self.prim.GetPath(), self.prototype.GetPath() if self.prototype else "")


def row_name(path, prototype):
    return f"prim {path}" + (f" of the prototype {prototype}" if prototype else "")


def is_below(path, roots):
    """Whether a path is one of the roots or below one."""
    return any(path.HasPrefix(root) for root in roots)


def in_stage_order(stage, paths):
    """The paths that are not below others, as a walk of the stage comes to them."""
    kept = set(Sdf.Path.RemoveDescendentPaths(sorted(paths)))
    if len(kept) < 2:
        return list(kept)
    return [prim.GetPath() for prim in Usd.PrimRange(stage.GetPseudoRoot(), PREDICATE) if prim.GetPath() in kept]


def draw_mode(prim):
    """The draw mode that replaces the geometry of a model; empty if none does."""
    if not prim.IsModel():
        return ""
    model = UsdGeom.ModelAPI(prim)
    if not (Usd.ModelAPI(prim).IsKind("component") or model.GetModelApplyDrawModeAttr().Get()):
        return ""
    mode = model.ComputeModelDrawMode()
    return mode if mode in STAND_INS else ""


class DrawnPrims:
    """The rows of a frame: those of the selection in stage order, then those of prototypes."""

    def __init__(self, stage, selection, purposes):
        self.stage, self.purposes = stage, purposes
        self.excluded = {Sdf.Path(path) for path in selection.get("excluded", [])}
        self.types = [Usd.SchemaRegistry.GetTypeFromSchemaTypeName(name) for name in selection.get("types", [])]
        self.rows, self.prototypes = [], []
        for root in in_stage_order(stage, [Sdf.Path(path) for path in selection.get("roots", ["/"])]):
            if not is_below(root, self.excluded):
                self.walk(stage.GetPrimAtPath(root), None)
        at = 0
        while at < len(self.prototypes):  # prototypes may have instancers with further ones
            self.walk(self.prototypes[at], self.prototypes[at])
            at += 1

    def walk(self, root, prototype):
        walk = iter(Usd.PrimRange(root, PROTOTYPE_PREDICATE if prototype else PREDICATE))
        for prim in walk:
            if prim.GetPath() in self.excluded or prim.IsA(UsdGeom.Subset):
                walk.PruneChildren()
                continue
            mode = draw_mode(prim)
            instancer = prim.IsA(UsdGeom.PointInstancer)
            if mode or instancer:
                walk.PruneChildren()
            if mode or instancer or prim.IsA(UsdGeom.Gprim):
                self.add(DrawnPrim(prim, prototype, mode))

    def add(self, row):
        if self.types and not any(row.prim.IsA(kind) for kind in self.types):
            return
        if UsdGeom.Imageable(row.prim).ComputePurpose() not in self.purposes:
            return
        self.rows.append(row)
        if row.draw_mode or not row.prim.IsA(UsdGeom.PointInstancer):
            return
        for path in UsdGeom.PointInstancer(row.prim).GetPrototypesRel().GetTargets():
            root = self.stage.GetPrimAtPath(path)
            if self.may_be_prototype(root) and root not in self.prototypes:
                self.prototypes.append(root)

    def may_be_prototype(self, prim):
        return (bool(prim) and not prim.IsPseudoRoot() and prim.IsActive() and prim.IsLoaded() and not prim.IsAbstract()
                and not is_below(prim.GetPath(), self.excluded))
