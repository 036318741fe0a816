"""Asset paths: of attributes and metadata, and the layers of the stage."""

import os
import sys

from pxr import Sdf, Usd

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.TraverseAll():
    for attribute in prim.GetAttributes():
        name = attribute.GetTypeName()
        if name == Sdf.ValueTypeNames.Asset:
            value = attribute.Get()
            if value:
                print(attribute.GetPath(), value.path, os.path.basename(value.resolvedPath))
        elif name == Sdf.ValueTypeNames.AssetArray:
            for value in attribute.Get() or []:
                print(attribute.GetPath(), value.path, os.path.basename(value.resolvedPath))
    info = prim.GetAssetInfo()
    if info:
        print(prim.GetPath(), sorted(info), info.get("name"), info.get("version"))
names = {os.path.basename(layer.realPath) for layer in stage.GetUsedLayers() if layer.realPath}
print(sorted(names - {""}))
