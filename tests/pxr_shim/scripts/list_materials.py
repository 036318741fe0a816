"""Materials: what shades them, their inputs and textures, and what is bound to them."""

import sys

from pxr import Usd, UsdGeom, UsdShade
from report import short

stage = Usd.Stage.Open(sys.argv[1])
users = {}
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.Gprim) and not prim.IsA(UsdGeom.Subset):
        continue
    for purpose in ("", "preview", "full"):
        material, relationship = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial(purpose)
        if material:
            where = relationship.GetPath() if relationship else None
            users.setdefault(material.GetPath(), []).append((str(prim.GetPath()), purpose, where))
for prim in stage.Traverse():
    if prim.IsA(UsdShade.Material):
        material = UsdShade.Material(prim)
        print(prim.GetPath(), "base", material.GetBaseMaterialPath())
        for output in material.GetSurfaceOutputs():
            print("  output", output.GetBaseName(), output.GetTypeName())
        shader, name, _ = material.ComputeSurfaceSource()
        print("  surface", shader.GetPath() if shader else None, name)
        for interface in material.GetInterfaceInputs():
            print("  interface", interface.GetBaseName(), short(interface.Get()))
        for user in users.get(prim.GetPath(), []):
            print("  used by", *user)
    elif prim.IsA(UsdShade.Shader):
        shader = UsdShade.Shader(prim)
        print(prim.GetPath(), shader.GetImplementationSource(), shader.GetShaderId())
        for port in shader.GetInputs():
            found = [str(attribute.GetPath()) for attribute in port.GetValueProducingAttributes()]
            print("  input", port.GetBaseName(), port.GetTypeName(), short(port.Get()), found)
            sources, broken = port.GetConnectedSources()
            for source in sources:
                print("    from", source.source.GetPath(), source.sourceName, source.typeName)
            print("    raw", port.GetRawConnectedSourcePaths(), "broken", broken)
        print("  outputs", [port.GetFullName() for port in shader.GetOutputs()])
