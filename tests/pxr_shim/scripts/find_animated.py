"""Attributes with more than one value over time, and transforms that move."""

import sys

from pxr import Gf, Usd, UsdGeom
from report import number, short

stage = Usd.Stage.Open(sys.argv[1])
print(stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond(),
      stage.GetFramesPerSecond(), stage.HasAuthoredTimeCodeRange())
for prim in stage.Traverse():
    for attribute in prim.GetAuthoredAttributes():
        if not attribute.ValueMightBeTimeVarying():
            continue
        times = attribute.GetTimeSamples()
        print(attribute.GetPath(), len(times), attribute.GetNumTimeSamples(),
              attribute.GetResolveInfo().GetSource())
        if times:
            middle = (times[0] + times[-1]) / 2
            low, high = attribute.GetBracketingTimeSamples(middle)
            print("  around", number(middle), number(low), number(high))
            print("  inside", attribute.GetTimeSamplesInInterval(Gf.Interval(times[0], middle))[:5])
        for time in (*times[:3], Usd.TimeCode.Default(), Usd.TimeCode.EarliestTime()):
            print("  ", time, short(attribute.Get(time)))
    if prim.IsA(UsdGeom.Xformable):
        moving = UsdGeom.Xformable(prim)
        if moving.TransformMightBeTimeVarying():
            print(prim.GetPath(), "moves at", moving.GetTimeSamples())
