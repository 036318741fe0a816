"""Lights with their inputs, and what they illuminate."""

import sys

from pxr import Usd, UsdLux
from report import number, short

stage = Usd.Stage.Open(sys.argv[1])
for prim in stage.Traverse():
    if not prim.HasAPI(UsdLux.LightAPI):
        continue
    light = UsdLux.LightAPI(prim)
    print(prim.GetPath(), prim.GetTypeName(), light.GetShaderId([]),
          number(light.GetIntensityAttr().Get()), number(light.GetExposureAttr().Get()),
          short(light.GetColorAttr().Get()), light.GetNormalizeAttr().Get())
    for port in light.GetInputs():
        print("  ", port.GetBaseName(), short(port.Get(3)))
    link = light.GetLightLinkCollectionAPI()
    query = link.ComputeMembershipQuery()
    lit = [str(path) for path in (found.GetPath() for found in stage.Traverse())
           if query.IsPathIncluded(path)]
    print("  lights", len(lit), lit[:5])
    if prim.IsA(UsdLux.SphereLight):
        print("  radius", number(UsdLux.SphereLight(prim).GetRadiusAttr().Get()))
found = UsdLux.LightListAPI(stage.GetPseudoRoot())
print(sorted(map(str, found.ComputeLightList(UsdLux.LightListAPI.ComputeModeIgnoreCache))))
