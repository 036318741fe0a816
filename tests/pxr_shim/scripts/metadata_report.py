"""Metadata of the stage, of prims and of properties."""

import sys

from pxr import Usd

stage = Usd.Stage.Open(sys.argv[1])
for key in ("upAxis", "metersPerUnit", "startTimeCode", "endTimeCode", "defaultPrim", "comment",
            "documentation", "customLayerData"):
    print(key, stage.GetMetadata(key))
LEFT_OUT = {"clips", "customData", "userDocBrief", "clipSets", "payload", "references", "inheritPaths", "specializes",
            "apiSchemas", "default", "variantSelection", "variantSetNames",
            "apiSchemaOverridePropertyNames", "propertyOrder", "primOrder", "allowedTokens", "timeSamples", "spline", "limits"}
for prim in stage.TraverseAll():
    fields = {k: v for k, v in prim.GetAllMetadata().items() if k not in LEFT_OUT}
    print(prim.GetPath(), prim.GetSpecifier(), sorted(fields.items()))
    print("  ", prim.GetAppliedSchemas(), {k: v for k, v in prim.GetCustomData().items() if k not in LEFT_OUT}, prim.GetDocumentation(),
          prim.IsHidden(), prim.HasAuthoredTypeName())
    for prop in prim.GetAuthoredProperties():
        fields = {k: v for k, v in prop.GetAllMetadata().items() if k not in LEFT_OUT}
        if prop.GetTypeName() if hasattr(prop, "GetTypeName") else False:
            print("  ", prop.GetName(), prop.GetBaseName(), prop.GetNamespace(),
                  sorted(fields.items()))
