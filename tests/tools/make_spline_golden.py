#!/usr/bin/env python3
"""Evaluates random splines with OpenUSD (usd-core) and prints the golden file of scene/values/spline_evaluation_test.

    make_spline_golden.py [--splines 120] [--seed 7] > scene/values/testdata/splines.txt

Lines: `spline CURVE PRE SLOPE POST SLOPE HASLOOP START END NPRE NPOST OFFSET`, then `knot TIME VALUE DUAL
PREVALUE NEXT PREWIDTH PRESLOPE POSTWIDTH POSTSLOPE` and `eval TIME VALUE PREVALUE` ("none" for no value).
Enumerators are numbers in the order of scene/values/spline.h.
"""
import argparse
import os
import random
import sys
import warnings

os.environ.setdefault("TF_LOG_STACK_TRACE_ON_WARNING", "0")
warnings.simplefilter("ignore")
from pxr import Ts  # noqa: E402

INTERP = [Ts.InterpValueBlock, Ts.InterpHeld, Ts.InterpLinear, Ts.InterpCurve]
EXTRAP = [Ts.ExtrapValueBlock, Ts.ExtrapHeld, Ts.ExtrapLinear, Ts.ExtrapSloped, Ts.ExtrapLoopRepeat,
          Ts.ExtrapLoopReset, Ts.ExtrapLoopOscillate]
CURVE = [Ts.CurveTypeBezier, Ts.CurveTypeHermite]


def random_knots(rng, curve):
    time = rng.choice([-3.0, 0.0, 1.5])
    for _ in range(rng.choice([1, 2, 3, 3, 4, 6, 9])):
        wide = rng.choice([0.0, 0.3, 1.0, 4.0])
        yield dict(time=time, value=round(rng.uniform(-9, 9), 2), dual=rng.random() < 0.2,
                   pre_value=round(rng.uniform(-9, 9), 2),
                   next=rng.choices(range(4), [1, 3, 4, 10])[0],
                   tangents=[round(rng.uniform(0, 1) * wide, 3), round(rng.uniform(-3, 3), 3),
                             round(rng.uniform(0, 1) * wide, 3), round(rng.uniform(-3, 3), 3)])
        time += rng.choice([0.5, 1.0, 1.0, 2.25])


def build(rng):
    curve = rng.choices([0, 1], [4, 1])[0]
    spline = Ts.Spline("double")
    spline.SetCurveType(CURVE[curve])
    pre, post = rng.randrange(7), rng.randrange(7)
    slopes = [round(rng.uniform(-2, 2), 2) for _ in range(2)]
    for index, slope, set_it in ((pre, slopes[0], spline.SetPreExtrapolation),
                                 (post, slopes[1], spline.SetPostExtrapolation)):
        extrapolation = Ts.Extrapolation(EXTRAP[index])
        if EXTRAP[index] == Ts.ExtrapSloped:
            extrapolation.slope = slope
        set_it(extrapolation)
    knots = list(random_knots(rng, curve))
    for k in knots:
        knot = Ts.Knot(typeName="double", time=k["time"], value=k["value"], nextInterp=INTERP[k["next"]],
                       preTanWidth=k["tangents"][0], preTanSlope=k["tangents"][1],
                       postTanWidth=k["tangents"][2], postTanSlope=k["tangents"][3])
        if k["dual"]:
            knot.SetPreValue(k["pre_value"])
        spline.SetKnot(knot)
    loop = [0, 0, 0, 0, 0, 0]
    if rng.random() < 0.35:
        start = rng.choice(knots)["time"]
        loop = [1, start, start + rng.choice([0.5, 1.0, 2.0, 3.1]), rng.randrange(3), rng.randrange(3),
                rng.choice([0.0, 2.5])]
        params = Ts.LoopParams()
        (params.protoStart, params.protoEnd, params.numPreLoops, params.numPostLoops,
         params.valueOffset) = loop[1:]
        spline.SetInnerLoopParams(params)
    return spline, knots, curve, pre, post, slopes, loop


def times_of(rng, knots):
    first, last = knots[0]["time"], knots[-1]["time"]
    times = {k["time"] for k in knots}
    times |= {first - 0.5, first - 7.25, last + 0.5, last + 12.5, first - 2 * (last - first), last + (last - first)}
    times |= {round(rng.uniform(first - 6, last + 6), 3) for _ in range(16)}
    return sorted(times)


def show(number):
    return "none" if number is None else repr(float(number))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--splines", type=int, default=120)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    # Keep the knots as they are, since evaluation, not authoring, must handle regressive tangents.
    keep = Ts.AntiRegressionAuthoringSelector(Ts.AntiRegressionNone)
    keep.__enter__()
    for _ in range(options.splines):
        spline, knots, curve, pre, post, slopes, loop = build(rng)
        print("spline", curve, pre, slopes[0], post, slopes[1], *loop)
        for k in knots:
            print("knot", k["time"], k["value"], int(k["dual"]), k["pre_value"], k["next"], *k["tangents"])
        for time in times_of(rng, knots):
            print("eval", time, show(spline.Eval(time)), show(spline.EvalPreValue(time)))


if __name__ == "__main__":
    sys.exit(main())
