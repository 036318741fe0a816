"""How frames are asked for and read."""

from __future__ import annotations

import asyncio
import threading
import time

import grpc
import numpy as np
import pytest
from fake import FakeDaemon, fail, fail_first
from frames import COMPLETE, floats, frame, geometry, header, message, prims, transforms, value

import stagedoor
import stagedoor.aio
from stagedoor import Shutter
from stagedoor._proto import v1

FIRST = frame(
    message(prims=prims(1, 2), transforms=transforms({1: [10], 2: [20]})),
    message(prims=prims(3), transforms=transforms({3: [30]})),
    **COMPLETE,
)
MOVED = frame(message(transforms=transforms({2: [21]})), token=b"t2")


class Frames:
    """Answers calls for frames one after another, and keeps their requests."""

    def __init__(self, *answers):
        self.requests = []
        self._answers = list(answers)

    def __call__(self, request, context):
        self.requests.append(request)
        answer = self._answers.pop(0)
        return answer(request, context) if callable(answer) else iter(answer)


def opened(daemon, **options):
    return stagedoor.open("/x.usda", daemon.address, connection=options)


def broken(messages, code=grpc.StatusCode.UNAVAILABLE):
    def handler(request, context):
        yield from messages
        context.abort(code, "the connection broke")

    return handler


def lost(request, context):
    return fail(context, grpc.StatusCode.NOT_FOUND, "STAGE_NOT_FOUND")


def xs(frame):
    return {id: frame.transforms[id].values[0, 3, 0] for id in frame.transforms}


# ----------------------------------------------------------------------------------------- asking


def test_request_says_what_belongs_to_the_frame():
    frames = Frames(FIRST)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        stage.frame(
            12,
            shutter=Shutter(-0.25, 0.25, segments=2),
            camera=stage["/Cam"],
            roots="/World",
            excluded=["/World/A", stage["/World/B"]],
            types="Mesh",
            purposes=["render", "proxy"],
            render_settings="/Render",
            render_pass="/Pass",
            render_contexts="ri",
            material_purposes=["full", ""],
            primvars=["st"],
            flatten_primvars=True,
            skinning=False,
            invisible=False,
            changes_between_snapshots=True,
        ).read()
    (request,) = frames.requests
    assert request.stage.handle == "h" and request.time.numeric == 12
    policy = request.sample_policy
    assert (policy.shutter_open, policy.shutter_close, policy.segments) == (-0.25, 0.25, 2)
    assert request.selection == v1.FrameSelection(
        camera="/Cam",
        roots=["/World"],
        excluded=["/World/A", "/World/B"],
        types=["Mesh"],
        purposes=[2, 3],
        render_settings="/Render",
        render_pass="/Pass",
        render_contexts=["ri"],
        material_purposes=["full", ""],
        primvars=["st"],
        flatten_primvars=True,
        without_skinning=True,
        without_invisible=True,
    )
    assert request.changes_between_snapshots and request.HasField("digest_options")
    assert request.base_token == b""


def test_frame_is_that_of_the_default_time_unless_another_is_asked_for():
    frames = Frames(FIRST)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon, array_cache_bytes=0) as stage:
        found = stage.frame()
        assert daemon.calls == ["OpenStage"]
        found.read()
    (request,) = frames.requests
    assert request.time.HasField("default_time") and not request.HasField("sample_policy")
    assert request.selection == v1.FrameSelection() and not request.HasField("digest_options")


def test_wrong_options_are_refused_at_once():
    with FakeDaemon() as daemon, opened(daemon) as stage:
        with pytest.raises(ValueError, match="unknown purpose 'all'"):
            stage.frame(1, purposes="all")
        with pytest.raises(ValueError, match="not a time"):
            stage.frame("x")
        with pytest.raises(stagedoor.InvalidArgumentError, match="not UTF-8"):
            stage.frame(1, roots="/\ud800")
        with pytest.raises(TypeError, match="color"):
            stage.frame_fingerprint(1, color="red")
        with pytest.raises(TypeError):
            stage.frame_fingerprint(1, changes_between_snapshots=True)


def test_fingerprint_is_of_the_same_selection():
    asked = []

    def answer(request, context):
        asked.append(request)
        return v1.ComputeFrameFingerprintResponse(snapshot="s1", fingerprint=bytes(range(32)))

    with FakeDaemon(ComputeFrameFingerprint=answer) as daemon, opened(daemon) as stage:
        found = stage.frame_fingerprint(3, shutter=(0, 1), roots="/A", skinning=False)
    assert found == bytes(range(32)).hex()
    assert asked[0].time.numeric == 3 and asked[0].sample_policy.shutter_close == 1
    assert asked[0].selection == v1.FrameSelection(roots=["/A"], without_skinning=True)


# ---------------------------------------------------------------------------------------- reading


def test_parts_are_handed_out_as_they_arrive():
    seen = threading.Event()

    def slow(request, context):
        yield from FIRST[:2]
        assert seen.wait(30)
        yield from FIRST[2:]

    with FakeDaemon(ExtractFrame=Frames(slow)) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        kinds = []
        for part in found:
            seen.set()
            kinds.append(part.kind)
            assert len(found.prims) == (2 if len(kinds) <= 2 else 3)
            assert found.done is False
    assert kinds == ["prims", "transforms"] * 2
    assert found.done and found.token == b"t" and xs(found) == {1: 10, 2: 20, 3: 30}


def test_frame_that_has_arrived_is_not_asked_for_again():
    with FakeDaemon(ExtractFrame=Frames(FIRST)) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        assert found.read() is found
        parts = list(found)
        assert list(found) == parts and found.read() is found
        assert daemon.calls.count("ExtractFrame") == 1


def test_frame_describes_itself():
    described = {
        "meters_per_unit": 0.01,
        "time_codes_per_second": 24,
        "up_axis": "Z",
        "prim_count": 1234,
    }
    sent = frame(message(prims=prims(1)), **described, **COMPLETE)
    with FakeDaemon(ExtractFrame=Frames(sent)) as daemon, opened(daemon) as stage:
        found = stage.frame(12)
        assert repr(found) == "<Frame of /x.usda at 12: not read>"
        for name in ("prims", "errors", "snapshot", "camera", "token"):
            with pytest.raises(ValueError, match="the frame was not read"):
                getattr(found, name)
        found.read()
        assert repr(found) == "<Frame of /x.usda at 12: 1,234 prims>"
        assert repr(found.prims) == "<FramePrims of 1>"
        assert {name: getattr(found, name) for name in described} == described
        assert (found.time, found.snapshot, found.complete) == (12, "s1", True)
        assert found.errors == {} and found.warnings == () and found.settings is None
        assert stage.snapshot == "s1"


def test_newest_snapshot_is_noted():
    sent = frame(snapshot="s7", **COMPLETE)
    with FakeDaemon(ExtractFrame=Frames(sent)) as daemon, opened(daemon) as stage:
        assert stage.frame(12).read().snapshot == "s7"
        assert stage.snapshot == "s7"


def test_frame_is_read_by_one_loop_at_a_time():
    with FakeDaemon(ExtractFrame=Frames(FIRST)) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        for _ in found:
            with pytest.raises(ValueError, match="being read"):
                found.read()
            with pytest.raises(ValueError, match="not read to its end"):
                found.next(2)
        assert found.done


def test_progress_is_that_of_prims():
    steps = []
    with FakeDaemon(ExtractFrame=Frames(FIRST, MOVED)) as daemon, opened(daemon) as stage:
        found = stage.frame(1, progress=steps.append).read()
        assert [(step.phase, step.done, step.total) for step in steps] == [
            *[("prims", 0, 3), ("prims", 2, 3)],
            *[("prims", 3, 3), ("prims", 3, 3)],
        ]
        steps.clear()
        found.next(2, progress=steps.append).read()
        assert [step.done for step in steps] == [0, 0, 3]
        steps.clear()


# --------------------------------------------------------------------------------------- next frame


def test_next_frame_is_asked_for_with_the_token():
    frames = Frames(FIRST, MOVED, frame(token=b"t3"))
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        one = stage.frame(1, roots="/A", shutter=(0, 1), changes_between_snapshots=True).read()
        two = one.next(2)
        assert [part.kind for part in two] == ["transforms"]
        three = two.next(3).read()
        assert list(three) == []
    asked = frames.requests
    assert [request.base_token for request in asked] == [b"", b"t", b"t2"]
    assert [request.time.numeric for request in asked] == [1, 2, 3]
    assert asked[0].selection == asked[1].selection == asked[2].selection
    assert asked[1].changes_between_snapshots and asked[1].sample_policy.shutter_close == 1
    assert xs(one) == {1: 10, 2: 20, 3: 30}
    assert xs(two) == xs(three) == {1: 10, 2: 21, 3: 30}
    assert not two.complete and two.prims["/P1"] == one.prims["/P1"]
    # Unchanged parts are shared.
    assert three.transforms is two.transforms
    assert two.prims.ids is one.prims.ids


def test_frames_can_branch():
    frames = Frames(FIRST, MOVED, frame(message(removed=[3])))
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        one = stage.frame(1).read()
        two, other = one.next(2).read(), one.next(3).read()
    assert xs(two) == {1: 10, 2: 21, 3: 30}
    assert xs(other) == {1: 10, 2: 20}
    assert xs(one) == {1: 10, 2: 20, 3: 30}


def test_next_frame_of_one_that_was_not_read_is_refused():
    with FakeDaemon() as daemon, opened(daemon) as stage:
        with pytest.raises(ValueError, match="not read to its end"):
            stage.frame(1).next(2)


def test_complete_next_frame_says_what_is_gone():
    second = frame(message(prims=prims(2, 4)), snapshot="s2", **COMPLETE)
    with FakeDaemon(ExtractFrame=Frames(FIRST, second)) as daemon, opened(daemon) as stage:
        found = stage.frame(1).read().next(2)
        parts = list(found)
        assert [part.kind for part in parts] == ["prims", "removed"]
        assert parts[1].ids.tolist() == [1, 3] and list(found.prims) == [2, 4]
        assert found.complete and found.snapshot == "s2"


# ------------------------------------------------------------------------------------------ digests


def shape(id, *numbers, digest=b"", **fields):
    """A message with a geometry."""
    data = fields or {"data": np.array(numbers, np.float32).tobytes()}
    points = floats(*numbers, digest=digest, **data)
    return message(geometry=[geometry(id, value("points", points))])


def known(request):
    return set(request.digest_options.known)


def test_arrays_that_may_come_again_are_named():
    frames = Frames(
        frame(shape(101, 1, digest=b"a" * 32), shape(102, 2, digest=b"b" * 32), **COMPLETE),
        frame(shape(101, 3, digest=b"c" * 32)),
        frame(shape(101, 1, digest=b"a" * 32, unchanged=True)),
        frame(**COMPLETE),
        frame(snapshot="s2", **COMPLETE),
        frame(**COMPLETE),
    )
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        one = stage.frame(1).read()
        first = [one.geometry[id]["points"].value for id in (101, 102)]
        two = one.next(2).read()
        two.geometry[101]["points"].value  # noqa: B018
        three = two.next(1).read()
        assert three.geometry[101]["points"].value is first[0]
        assert three.geometry[102]["points"].value is first[1]
        stage.frame(9).read()
        three.next(4).read()  # the reply is of another snapshot
        three.next(5).read()
    a, b, c = (letter * 32 for letter in (b"a", b"b", b"c"))
    assert [known(request) for request in frames.requests] == [
        *[set(), set()],  # what varies is not known yet
        {a, c},  # of what the frame before changed: at that time, and the last one
        {a, b},  # of all, for a complete frame
        {a},
        {a, b},  # of all, because the frame will be of another snapshot
    ]


# ------------------------------------------------------------------------- daemons that are lost


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN])
@pytest.mark.parametrize("seen", range(1, len(FIRST)))
def test_frame_goes_on_at_another_daemon(seen, code):
    frames = Frames(broken(FIRST[:seen], code), lost, FIRST)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        ids = [(part.kind, id) for part in found for id in part.ids.tolist()]
        assert len(set(ids)) == len(ids) == 6
        assert xs(found) == {1: 10, 2: 20, 3: 30} and list(found.prims) == [1, 2, 3]
    assert daemon.calls.count("OpenStage") == 2


def test_next_frame_goes_on_from_its_base():
    changes = frame(
        message(transforms=transforms({2: [21]})), message(transforms=transforms({3: [31]}))
    )
    frames = Frames(FIRST, broken(changes[:2]), changes)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        found = stage.frame(1).read().next(2)
        assert [part.ids.tolist() for part in found] == [[2], [3]]
        assert xs(found) == {1: 10, 2: 21, 3: 31}
    assert [request.base_token for request in frames.requests] == [b"", b"t", b"t"]


def test_frame_does_not_go_on_with_another_snapshot():
    other = frame(message(prims=prims(9)), snapshot="s2", **COMPLETE)
    frames = Frames(broken(FIRST[:2]), other, broken(FIRST[:2]), other)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        seen = []
        with pytest.raises(stagedoor.UnavailableError, match="connection broke"):
            for part in stage.frame(1):
                seen.append(part.kind)
        assert seen == ["prims", "transforms"]
        found = stage.frame(1).read()  # nobody has seen what came first
        assert list(found.prims) == [9] and found.snapshot == "s2" and len(found.transforms) == 0


def test_frame_that_gets_nowhere_fails():
    frames = Frames(*[broken(FIRST[:2])] * 10)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        with pytest.raises(stagedoor.UnavailableError, match="connection broke"):
            list(found)
        assert len(frames.requests) == 4
        assert not found.done
        with pytest.raises(stagedoor.UnavailableError, match="connection broke"):
            found.read()
        assert len(frames.requests) == 8


def test_frame_that_gets_on_is_asked_for_as_often_as_needed():
    single = frame(*[message(prims=prims(id)) for id in range(1, 8)], **COMPLETE)
    frames = Frames(*[broken(single[:seen]) for seen in range(2, 8)], single)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        assert [list(part) for part in stage.frame(1)] == [[id] for id in range(1, 8)]


def test_frame_can_be_read_again_after_an_error():
    def refused(request, context):
        return fail(context, grpc.StatusCode.INVALID_ARGUMENT, "WRONG_KIND")

    frames = Frames(FIRST, refused, MOVED)
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        found = stage.frame(1).read().next(2)
        with pytest.raises(stagedoor.InvalidArgumentError):
            found.read()
        assert [part.kind for part in found] == ["transforms"]
        assert xs(found)[2] == 21


def test_call_is_repeated_before_anything_has_come():
    frames = fail_first(1, lambda r, c: c.abort(grpc.StatusCode.UNAVAILABLE, "no"), Frames(FIRST))
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        assert len(stage.frame(1).read().prims) == 3


def test_inconsistent_frame_is_an_error():
    frames = Frames(FIRST[:-1], FIRST[1:])
    with FakeDaemon(ExtractFrame=frames) as daemon, opened(daemon) as stage:
        for what in ("without an end", "without a header"):
            with pytest.raises(stagedoor.Error, match=what):
                stage.frame(1).read()


# -------------------------------------------------------------------------------------- cancelling


class Hanging:
    """Sends the beginning of a frame, and says when the call has been cancelled."""

    def __init__(self):
        self.ended = threading.Event()

    def __call__(self, request, context):
        context.add_callback(self.ended.set)
        yield from FIRST[:2]
        self.ended.wait(30)


def test_end_of_a_loop_cancels_the_call():
    hanging = Hanging()
    with FakeDaemon(ExtractFrame=Frames(hanging, FIRST)) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        for _ in found:
            break
        assert hanging.ended.wait(30)
        assert not found.done and list(found.prims) == [1, 2]
        assert list(found.read().prims) == [1, 2, 3]


def test_call_is_cancelled_by_another_thread():
    hanging = Hanging()
    with FakeDaemon(ExtractFrame=Frames(hanging, FIRST)) as daemon, opened(daemon) as stage:
        found = stage.frame(1)
        found.cancel()  # nothing is being read yet
        seen = []
        with pytest.raises(stagedoor.Error) as info:
            for part in found:
                seen.append(part)
                if len(seen) == 2:
                    threading.Thread(target=found.cancel).start()
        assert info.value.code == "CANCELLED" and len(seen) == 2
        assert hanging.ended.wait(30)
        assert found.read().done
        found.cancel()
        assert found.done


def test_call_that_begins_after_the_frame_was_cancelled_is_cancelled():
    class Call:
        cancelled = 0

        def cancel(self):
            self.cancelled += 1

    with FakeDaemon() as daemon, opened(daemon) as stage:
        found, call = stage.frame(1), Call()
        found._begin(True)
        found.cancel()  # while the program waits to ask another daemon
        found._started(call)
        assert call.cancelled == 1
        found._stop()


def test_slow_loop_does_not_use_up_the_deadline():
    with FakeDaemon(ExtractFrame=Frames(FIRST)) as daemon, opened(daemon, timeout=0.5) as stage:
        found = stage.frame(1)
        for _ in found:
            time.sleep(0.4)
        assert found.done


# ------------------------------------------------------------------------------------------ asyncio


def test_asyncio_frames():
    frames = Frames(broken(FIRST[:2]), FIRST, MOVED, Hanging(), Hanging())

    async def use(address):
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            found = stage.frame(1)
            assert [part.kind async for part in found] == ["prims", "transforms"] * 2
            two = await found.next(2).read()
            assert xs(two)[2] == 21
            assert [part.kind async for part in two] == ["transforms"]
            async for _ in stage.frame(1):
                break
            task = asyncio.create_task(stage.frame(1).read())
            await asyncio.sleep(0.2)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return await stage.frame_fingerprint(1)

    def fingerprint(request, context):
        return v1.ComputeFrameFingerprintResponse(fingerprint=b"\1\2")

    hanging = frames._answers[-2:]
    with FakeDaemon(ExtractFrame=frames, ComputeFrameFingerprint=fingerprint) as daemon:
        assert asyncio.run(use(daemon.address)) == "0102"
        assert all(call.ended.wait(30) for call in hanging)


def test_frame_belongs_to_its_process():
    with FakeDaemon() as daemon, opened(daemon) as stage:
        with pytest.raises(TypeError, match=r"a Frame cannot be pickled.*frame\(TimeCode\(1\)\)"):
            stage.frame(1).__reduce__()


def test_messages_of_any_size_are_put_together():
    """Arrays in chunks, and a message in fragments, as daemons send what is large."""
    points = floats(1, 2, streamed={"id": 0, "total_bytes": 8})
    large = message(geometry=[geometry(7, value("points", points))])
    large.stream_parts.array_count = 1
    data = np.array([1, 2], np.float32).tobytes()
    chunks = [
        message(stream_parts={"chunks": [{"array_id": 0, "offset": at, "data": data[at : at + 3]}]})
        for at in (0, 3, 6)
    ]
    text = message(prims=prims(1), header=header(**COMPLETE)).SerializeToString()
    fragments = [
        message(stream_parts={"fragment": {"total_bytes": len(text), "data": text[:40]}}),
        message(stream_parts={"fragment": {"data": text[40:]}}),
    ]
    sent = [*fragments, large, *chunks, message(token=b"t")]
    with FakeDaemon(ExtractFrame=Frames(sent)) as daemon, opened(daemon) as stage:
        found = stage.frame(1).read()
        assert found.geometry[7]["points"].value.tolist() == [1, 2] and list(found.prims) == [1]
