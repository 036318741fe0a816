"""What usd-core computes of models, in the form of imaging_dump."""
from pxr import UsdGeom


def models_records(prim, times):
    path, model = str(prim.GetPath()), UsdGeom.ModelAPI(prim)
    yield {"path": path, "drawMode": model.ComputeModelDrawMode()}
    for target in model.GetConstraintTargets():
        for name, time in times:
            has_value = target.GetAttr().Get(time) is not None
            yield {"path": path, "time": str(name), "key": target.GetAttr().GetName(), "identifier": target.GetIdentifier(),
                   "world": [list(row) for row in target.ComputeInWorldSpace(time)] if has_value else None}
