"""Plots of values over time, and the value clips that are active."""

from __future__ import annotations

import asyncio
import dataclasses
import io
import sys

import grpc
import numpy as np
import pytest
from conftest import REPOSITORY
from fake import FakeDaemon, fail

import stagedoor
import stagedoor.aio
from stagedoor import _plot
from stagedoor._proto import v1
from stagedoor.results import ClipSpan
from stagedoor.types import State, TimeCode

WIND = "/Shot/Curtain/Cloth.wind"
BLACKOUT = "/Shot/Lights.cue:blackout"
CACHE = REPOSITORY / "tests/data/stage_door/assets/curtain_cache"

CURVES = """#usda 1.0
def "A"
{
    double curve.spline = {
        1: 5 ; post curve (2, 3),
        10: 8 & 9 ; pre (1, -1); post held,
        20: 5,
    }
    double gap.timeSamples = { 1: 1, 5: 4, 8: None, 10: 2, 12: 3 }
    int whole.timeSamples = { 1: 1, 5: 4 }
    quatf turn.timeSamples = { 1: (1, 0, 0, 0), 2: (0, 1, 0, 0) }
    double constant = 4
    double blocked = None
    double odd.timeSamples = { 1: inf, 5: 4, 8: nan, 12: 1e308, 13: -1e308 }
    double far.timeSamples = { -1.7e308: 1, 1.7e308: 2 }
    matrix4d matrix = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1))
    double[] many = [1]
    string text = "a"
}
"""


@pytest.fixture
def curves(client):
    with client.open("/a.usda", layers={"/a.usda": CURVES}) as stage:
        yield stage


@pytest.fixture
def pyplot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    yield pyplot
    pyplot.close("all")


def texts(axes) -> list[str]:
    return [text.get_text() for text in axes.texts]


def rendered(axes) -> None:
    """Fails on what matplotlib notices only when it draws."""
    axes.figure.savefig(io.BytesIO(), format="png")


# ------------------------------------------------------------------------------- active clips


def spans(*starts_and_end: float) -> list[ClipSpan]:
    """The spans of the clips of the curtain that begin at these times, to the last one."""
    ends = starts_and_end[1:]
    first = [1 + 8 * int((start - 1) // 8) for start in starts_and_end]
    return [
        ClipSpan(start, end, f"{CACHE}/curtain.{number:03}.usda")
        for start, end, number in zip(starts_and_end, ends, first)
    ]


def test_active_clips(stage_door):
    wind = stage_door[WIND]
    assert wind.active_clips(1, 48) == spans(1, 9, 17, 25, 33, 41, 48)
    assert wind.active_clips(10, 20.5) == spans(10, 17, 20.5)
    assert wind.active_clips(2, 2) == spans(2, 2)
    assert wind.active_clips(41) == spans(41, 49, 49)
    assert wind.active_clips(None, 12) == spans(1, 9, 12)
    assert [span.name for span in wind.active_clips()] == [
        f"curtain.{number:03}.usda" for number in range(1, 50, 8)
    ]
    assert stage_door["/Shot/Curtain/Cloth.points"].active_clips(1, 9) == spans(1, 9, 9)


def test_attributes_without_clips_have_no_active_ones(stage_door, calls):
    assert stage_door["/Shot/Camera.focalLength"].active_clips() == []
    assert calls.take().count("Explain") == 1
    assert stage_door["/Shot/Camera.horizontalAperture"].active_clips() == []
    assert stage_door["/Shot/Camera.horizontalAperture"].active_clips(1, 2) == []
    with pytest.raises(LookupError, match="nothing"):
        stage_door["/Shot/Camera.nothing"].active_clips()


ROOT = """#usda 1.0
def "A" (
    clips = {
        dictionary default = {
            string primPath = "/A"
            asset[] assetPaths = [@./a.usda@, @./b.usda@, @./empty.usda@]
            asset manifestAssetPath = @./manifest.usda@
            double2[] active = [(1, 0), (7.5, 1), (15, 2), (18, 0)]
            double2[] times = [(0, 0), (2000, 2000)]
        }
    }
)
{
    double x
}
"""


@pytest.fixture
def clips(tmp_path):
    """A clip set whose first clip is active twice, and whose third clip has no samples."""
    (tmp_path / "root.usda").write_text(ROOT)
    samples = ", ".join(f"{i}: {i % 7}" for i in range(1, 1200))
    animated = f'#usda 1.0\nover "A"\n{{\n double x.timeSamples = {{ {samples} }}\n}}\n'
    for name, text in {
        "a": animated,
        "b": animated,
        "empty": '#usda 1.0\nover "A"\n{\n}\n',
        "manifest": '#usda 1.0\nover "A"\n{\n double x\n}\n',
    }.items():
        (tmp_path / f"{name}.usda").write_text(text)
    return tmp_path


def test_clips_that_are_active_twice_and_clips_without_samples(client, clips):
    with client.open(clips / "root.usda") as stage:
        found = stage["/A.x"].active_clips(1, 30)
    assert found == [
        ClipSpan(1, 7.5, f"{clips}/a.usda"),
        ClipSpan(7.5, 15, f"{clips}/b.usda"),
        ClipSpan(15, 18, f"{clips}/manifest.usda"),
        ClipSpan(18, 30, f"{clips}/a.usda"),
    ]


def test_many_samples_are_explained_in_few_calls(client, clips, calls):
    with client.open(clips / "root.usda") as stage:
        calls.take()
        assert stage["/A.x"].active_clips(18, 1199) == [ClipSpan(18, 1199, f"{clips}/a.usda")]
    explained = [len(r.times.frames) for r in calls.requests if hasattr(r, "times")]
    assert explained == [1, 1000, 181]


def seven_samples(request, context):
    """Answers StreamTimeSamples with the times 1, 2, …"""
    times = np.arange(1, 8, dtype="<f8")
    packed = {"component_type": 9, "shape": 1, "rows": 1, "columns": 1, "count": 7}
    yield v1.StreamTimeSamplesResponse(times={**packed, "data": times.tobytes()})


def test_replies_that_are_too_large_are_asked_for_in_parts():
    asked = []

    def explain(request, context):
        times = list(request.times.frames)
        asked.append(len(times))
        if len(times) > 2:
            return fail(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "REQUEST_TOO_LARGE")
        site = {"layer": "/clip.usda", "arc": "clip"}
        source = v1.ValueSource.Value("VALUE_SOURCE_VALUE_CLIPS")
        found = [v1.Explanation(source=source, site=site) for _ in times]
        return v1.ExplainResponse(explanations=found)

    with FakeDaemon(Explain=explain, StreamTimeSamples=seven_samples) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            found = stage["/A.x"].active_clips()
    assert found == [ClipSpan(1, 7, "/clip.usda")] and asked == [1, 6, 3, 1, 1, 1, 1, 1, 1]


def test_a_value_that_is_too_large_is_an_error():
    def explain(request, context):
        few = daemon.calls.count("Explain") < 9
        reason = "REQUEST_TOO_LARGE" if few else "ASKED_TOO_OFTEN"
        return fail(context, grpc.StatusCode.RESOURCE_EXHAUSTED, reason)

    with FakeDaemon(Explain=explain, StreamTimeSamples=seven_samples) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error) as info:
                stage["/A.x"].active_clips(1, 2)
    assert info.value.reason == "REQUEST_TOO_LARGE"


# -------------------------------------------------------------------------------------- plots


def test_plot_of_an_attribute_with_clips(stage_door, pyplot):
    axes = stage_door[WIND].plot("1:48")
    rendered(axes)
    assert axes.get_title() == WIND and axes.get_xlim() == (1, 48)
    assert texts(axes) == [f"curtain.{number:03}.usda" for number in range(1, 42, 8)]
    bands = [len(band.get_paths()) for band in axes.collections]
    assert bands == [3, 3]  # every other clip
    line, dots = axes.lines
    np.testing.assert_array_equal(line.get_xdata(), np.arange(1, 49))
    assert line.get_ydata()[6] == 2.8685  # at 7, between the clips of 1 and 9
    assert dots.get_xdata().tolist() == list(range(1, 48, 4))
    assert dots.get_ydata()[:3].tolist() == [2.166, 2.74, 2.997]


def test_plot_is_of_the_range_of_the_stage(stage_door, curves, pyplot):
    axes = stage_door["/Shot/Camera.focalLength"].plot()
    times = axes.lines[0].get_xdata()
    assert (times[0], times[-1]) == (1, 48) and {1, 24, 48} <= set(times)
    assert texts(axes) == [] and not axes.collections
    assert curves["/A.gap"].plot().get_xlim() == (1, 12)  # that of the samples
    with pytest.raises(ValueError) as info:
        curves["/A.constant"].plot()
    assert str(info.value) == (
        "neither the stage nor /A.constant has a range of times; pass the times to plot, "
        'as in plot("1:48")'
    )


def test_plot_into_given_axes(stage_door, pyplot):
    _, (upper, lower) = pyplot.subplots(2)
    assert stage_door[WIND].plot(axes=upper) is upper
    assert stage_door[WIND].samples().plot(lower) is lower
    assert pyplot.get_fignums() == [1]


def test_plot_of_blocks_and_held_values(stage_door, pyplot):
    axes = stage_door[BLACKOUT].plot("1:48")
    rendered(axes)
    assert texts(axes) == ["blocked"]
    box = axes.collections[0].get_paths()[0].get_extents()
    assert (box.x0, box.x1) == (44, 48)
    line = axes.lines[0]
    assert line.get_drawstyle() == "steps-post"
    values = line.get_ydata()
    assert values[32:34].tolist() == [0, 1] and np.isnan(values[43:]).all()


def test_components_have_names(stage_door, pyplot, curves):
    axes = stage_door["/Shot/Camera.xformOp:translate"].plot([1, 25])
    rendered(axes)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y", "z"]
    assert [line.get_ydata().tolist() for line in axes.lines[::2]] == [[0, 0.5], [1.6, 1.6], [8, 6]]
    axes = curves["/A.turn"].plot()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y", "z", "w"]


def test_splines_are_drawn_by_their_values(curves, pyplot):
    axes = curves["/A.curve"].plot()
    line, dots = axes.lines
    times, values = line.get_xdata(), line.get_ydata()
    assert values.max() > 9.1  # the spline overshoots its knots
    assert values[times == 10].tolist() == [8, 9]  # first the limit from the left
    assert dots.get_xdata().tolist() == [1, 10, 10, 20, 20]
    line, dots = curves["/A.curve"].samples().plot().lines
    assert np.isnan(line.get_ydata()).all() and dots.get_ydata().tolist()[:3] == [5, 8, 9]


def test_interpolation_of_the_stage_is_drawn(client, pyplot):
    with client.open("/a.usda", layers={"/a.usda": CURVES}, interpolation="held") as stage:
        assert stage["/A.gap"].plot().lines[0].get_drawstyle() == "steps-post"


def test_plot_of_samples(curves, pyplot):
    axes = curves["/A.gap"].samples().plot()
    rendered(axes)
    line, dots = axes.lines
    # The value of 5 holds until the block.
    assert line.get_xdata().tolist() == [1, 5, 8, 8, 10, 12]
    np.testing.assert_array_equal(line.get_ydata(), [1, 4, 4, np.nan, 2, 3])
    assert dots.get_xdata().tolist() == [1, 5, 8, 10, 12] and line.get_drawstyle() == "default"
    assert texts(axes) == ["blocked"]
    assert curves["/A.whole"].samples().plot().lines[0].get_drawstyle() == "steps-post"


def test_plot_of_samples_reaches_to_the_ends_of_their_interval(stage_door, curves, pyplot):
    gap = curves["/A.gap"]
    assert gap.samples(2, 3).plot().get_xlim() == (1, 5)  # the samples around it
    assert gap.samples(-1, 20).plot().get_xlim() == (-1, 20)
    axes = stage_door[BLACKOUT].samples().plot()  # further than the block, which is last
    box = axes.collections[0].get_paths()[0].get_extents()
    assert axes.get_xlim() == (4, 46) and (box.x0, box.x1) == (44, 46)


@pytest.mark.parametrize(
    ("states", "expected"),
    [
        ("vbv", ((4, 6),)),
        ("bvb", ((1, 4), (6, 9))),  # also before a first and after a last one
        ("bbv", ((1, 6),)),
        ("nvn", ()),
    ],
)
def test_blocked_spans(states, expected):
    kinds = {"v": State.VALUE, "b": State.BLOCKED, "n": State.NONE}
    codes = [TimeCode(2), TimeCode(4), TimeCode(6)]
    assert _plot.blocked_spans(codes, [kinds[s] for s in states], 1, 9) == expected


def test_plot_of_samples_with_an_error(stage):
    samples = stage.samples("/Nope.x")[0]
    with pytest.raises(LookupError, match="/Nope"):
        samples.plot()
    assert samples._repr_html_() == "<p>/Nope.x: no prim at &#x27;/Nope&#x27;</p>"


def test_plot_of_samples_with_clips(stage_door, pyplot):
    wind = stage_door[WIND]
    axes = wind.samples(1, 20).plot(clips=wind.active_clips(1, 20))
    assert texts(axes) == ["curtain.001.usda", "curtain.009.usda", "curtain.017.usda"]


def test_plot_of_values_that_are_the_same_at_all_times(curves, pyplot):
    line, dots = curves["/A.constant"].samples().plot().lines
    assert line.get_ydata().tolist() == [4, 4] and not len(dots.get_xdata())
    for axes in (curves["/A.blocked"].samples().plot(), curves["/A.blocked"].plot("1:3")):
        assert texts(axes) == ["blocked"]
        first, last = axes.get_xlim()
        box = axes.collections[0].get_paths()[0].get_extents()
        assert (box.x0, box.x1) == (first, last)
    assert curves["/A.constant"].plot("1:3").lines[0].get_ydata().tolist() == [4, 4, 4]


@pytest.mark.filterwarnings("error")
def test_numbers_that_are_not_finite_or_too_large_are_left_out(curves, pyplot):
    axes = curves["/A.odd"].samples().plot()
    rendered(axes)
    values = axes.lines[1].get_ydata()
    assert values[1] == 4 and np.isnan(np.delete(values, 1)).all()
    axes = curves["/A.far"].samples().plot()
    rendered(axes)
    assert axes.get_xlim() == (-1e300, 1e300)


@pytest.mark.parametrize("name", ["matrix", "many", "text"])
def test_what_cannot_be_plotted(curves, calls, name):
    attribute = curves[f"/A.{name}"]
    expected = f"/A.{name} has the type .*; plot shows numbers, vectors and quaternions"
    calls.take()
    with pytest.raises(ValueError, match=expected):
        attribute.plot("1:2")
    assert calls.take() == ["GetPrim"]  # no value was read
    with pytest.raises(ValueError, match=expected):
        attribute.samples().plot()


def test_times_of_plots_are_numbers_and_limited(curves, monkeypatch):
    with pytest.raises(ValueError, match="needs times that are numbers, not TimeCode"):
        curves["/A.gap"].plot(["default", 1])
    monkeypatch.setattr("stagedoor._curves.MAX_TIMES", 10)
    with pytest.raises(ValueError, match="read at 11 times, more than 10: choose a shorter range"):
        curves["/A.gap"].plot("0:10")
    monkeypatch.setattr(_plot, "MAX_TIMES", 4)
    with pytest.raises(ValueError, match="has 5 samples; plot shows up to 4"):
        curves["/A.gap"].samples().plot()


def test_missing_matplotlib_is_named_with_its_extra(curves, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for plot in (curves["/A.gap"].plot, curves["/A.gap"].samples().plot):
        with pytest.raises(ImportError) as info:
            plot()
        assert str(info.value) == 'plot() needs matplotlib: pip install "stagedoor[plot]"'


def test_names_are_not_read_as_formulas(curves, pyplot):
    samples = dataclasses.replace(curves["/A.gap"].samples(), path="/$\\frac{$.x")
    axes = samples.plot(clips=[ClipSpan(1, 12, "/$\\frac{$"), ClipSpan(12, 12, "/b")])
    rendered(axes)
    assert axes.get_title() == "/$\\frac{$.x" and texts(axes)[0] == "$\\frac{$"


def test_labels_are_short_and_printable():
    assert _plot._label("/a/" + "x" * 78) == "…" + "/" + "x" * 78
    assert _plot._label("a\n\x00b") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"


def test_asyncio(daemon, pyplot):
    async def use():
        path = REPOSITORY / "tests/data/stage_door/root.usda"
        async with await stagedoor.aio.open(path, daemon.address) as stage:
            assert await stage[WIND].active_clips(1, 48) == spans(1, 9, 17, 25, 33, 41, 48)
            axes = await stage[WIND].plot("1:48")
            assert len(axes.texts) == 6
            assert len(await stage.layer_stack) == 4

    asyncio.run(use())
