"""What usd-core finds of coordinate systems, color spaces, collections and volumes, in the form of imaging_dump."""
from pxr import Gf, Usd, UsdShade, UsdVol

FIELD_ATTRIBUTES = ["fieldName", "fieldIndex", "fieldDataType", "vectorDataRoleHint", "fieldClass", "fieldPurpose"]


def color_space(of):
    """The name, and of a color space that the scene defines a part of the definition."""
    name = Usd.ColorSpaceAPI.ComputeColorSpaceName(of, None)
    if not name or Gf.ColorSpace.IsValid(name):
        return [name]
    found = Usd.ColorSpaceAPI.ComputeColorSpace(of, None)
    if not found.GetName():
        return [name]
    return [name, list(found.GetPrimariesAndWhitePoint()[0]), found.GetGamma(), found.GetLinearBias()]


def field_sample(prim, time):
    file = prim.GetAttribute("filePath").Get(time) if prim.HasAttribute("filePath") else None
    values = [prim.GetAttribute(name).Get(time) if prim.HasAttribute(name) else None for name in FIELD_ATTRIBUTES]
    return [file.path if file else "", bool(file and file.resolvedPath)] + [
        value if name == "fieldIndex" else value or "" for name, value in zip(FIELD_ATTRIBUTES, values)]


def volume(prim, times):
    fields = []
    for name, path in sorted(UsdVol.Volume(prim).GetFieldPaths().items()):
        field = prim.GetStage().GetPrimAtPath(path)
        fields.append([str(name), str(path), [field_sample(field, time) for _, time in times] if field else []])
    return fields


def members(prim):
    stage = prim.GetStage()
    every = list(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))[1:]
    paths = [path for p in every for path in [p.GetPath()] + [x.GetPath() for x in p.GetProperties()]]
    found = []
    for collection in Usd.CollectionAPI.GetAll(prim):
        query = collection.ComputeMembershipQuery()
        found.append([collection.GetName(), [str(p) for p in paths if query.IsPathIncluded(p)]])
    return found


def spaces_records(prim, times):
    bindings = UsdShade.CoordSysAPI.FindBindingsWithInheritanceForPrim(prim)
    attributes = [a for a in prim.GetAttributes() if a.GetTypeName() == "color3f"]
    record = {"record": "spaces", "path": str(prim.GetPath()),
              "coordSys": [[name.removesuffix(":binding"), str(rel), str(target)] for name, rel, target in bindings],
              "colorSpace": color_space(prim),
              "colorSpaces": [[a.GetName(), color_space(a)] for a in attributes], "members": members(prim)}
    if prim.IsA(UsdVol.Volume):
        record["fields"] = volume(prim, times)
    return [record]
