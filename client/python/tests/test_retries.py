from __future__ import annotations

import dataclasses
import gc
import socket
import sys
import threading
import time
import types

import grpc
import pytest
from fake import FakeDaemon, fail, fail_first, number

import stagedoor
from stagedoor._calls import call
from stagedoor._digests import ArrayCache
from stagedoor._proto import METHODS, v1
from stagedoor._session import Session


def busy(request, context):
    return fail(context, grpc.StatusCode.RESOURCE_EXHAUSTED, "BUDGET_EXHAUSTED", retry=0.01)


def lost(request, context):
    return fail(context, grpc.StatusCode.FAILED_PRECONDITION, "LEASE_EXPIRED")


def one(request, context):
    return number(1)


def test_call_is_repeated_as_the_daemon_advises():
    with FakeDaemon(BatchGetValues=fail_first(2, busy, one)) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage["/A.x"].get() == 1.0
        assert daemon.calls.count("BatchGetValues") == 3


def test_number_of_attempts_is_limited():
    with FakeDaemon(BatchGetValues=busy) as daemon:
        options = {"max_attempts": 2}
        with stagedoor.open("/x.usda", daemon.address, connection=options) as stage:
            with pytest.raises(stagedoor.Error) as info:
                stage["/A.x"].get()
        error = info.value
        assert (error.code, error.reason) == ("RESOURCE_EXHAUSTED", "BUDGET_EXHAUSTED")
        assert (error.path, error.hint, error.retry_delay) == ("/A", "try again later", 0.01)
        assert error.metadata["method"] == "BatchGetValues"
        assert daemon.calls.count("BatchGetValues") == 2


def test_closing_is_not_repeated():
    with FakeDaemon(CloseStage=busy) as daemon:
        stage = stagedoor.open("/x.usda", daemon.address)
        stage.close()
        assert daemon.calls.count("CloseStage") == 1
        with pytest.raises(ValueError, match="client is closed"):
            stage._client.stages()


def test_error_of_a_block_is_not_hidden_by_closing():
    with FakeDaemon(CloseStage=busy) as daemon:
        with pytest.raises(ZeroDivisionError), stagedoor.open("/x.usda", daemon.address):
            raise ZeroDivisionError


def test_repeated_edit_has_the_same_request_id():
    ids = []

    def edit(request, context):
        ids.append(request.request_id)
        if len(ids) == 1:
            return busy(request, context)
        return v1.SetSessionLayerResponse(snapshot="s2")

    with FakeDaemon(SetSessionLayer=edit) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage.set_session_layer("#usda 1.0\n") == "s2"
    assert len(ids) == 2 and ids[0] == ids[1] and len(ids[0]) >= 16


def test_lost_lease_is_opened_again_once():
    with FakeDaemon(BatchGetValues=fail_first(1, lost, one)) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage["/A.x"].get() == 1.0
        assert daemon.calls == [
            "OpenStage",
            *["BatchGetValues", "OpenStage", "BatchGetValues"],
            "CloseStage",
        ]
    with FakeDaemon(BatchGetValues=lost) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.LeaseError):
                stage["/A.x"].get()


def test_edits_are_folded_into_the_stage_that_is_opened_again():
    opened = []
    edits = {
        "SetSessionLayer": v1.SetSessionLayerResponse,
        "MuteLayers": v1.MuteLayersResponse,
        "LoadPrims": v1.LoadPrimsResponse,
        "UnloadPrims": v1.UnloadPrimsResponse,
    }

    def open_stage(request, context):
        opened.append(request)
        return v1.OpenStageResponse(handle=f"h{len(opened)}", stage={"snapshot": "s"})

    handlers = {
        name: lambda r, c, reply=reply: reply(snapshot="t") for name, reply in edits.items()
    }
    handlers["BatchGetValues"] = fail_first(1, lost, one)
    with FakeDaemon(OpenStage=open_stage, **handlers) as daemon:
        with stagedoor.open("/x.usda", daemon.address, muted_layers=["a"]) as stage:
            stage.set_session_layer("#usda 1.0\n")
            stage.unload("/A/B")
            stage.unload("/A/C")
            stage.load("/A/B", descendants=False)
            stage.mute("b", "c")
            stage.unmute("a", "c")
            assert stage["/A.x"].get() == 1.0
    again = opened[1]
    assert again.session_layer.content == "#usda 1.0\n"
    assert list(again.muted_layers) == ["b"]
    rules = {rule.path: rule.rule for rule in again.load_rules}
    assert rules == {"/A/C": v1.LoadRule.RULE_NONE, "/A/B": v1.LoadRule.RULE_ONLY}
    assert again.request_id != opened[0].request_id


def test_single_names_are_lists_of_one():
    opened = []

    def open_stage(request, context):
        opened.append(request)
        return v1.OpenStageResponse(handle="h", stage={"snapshot": "s"})

    names = {"muted_layers": "a.usda", "search_paths": "/lib", "pin_files": "/pins", "mask": "/A"}
    with FakeDaemon(OpenStage=open_stage) as daemon:
        stagedoor.open("/x.usda", daemon.address, **names).close()
    context = opened[0].resolver_context
    assert list(opened[0].muted_layers) == ["a.usda"] and list(context.search_paths) == ["/lib"]
    assert list(context.pin_files) == ["/pins"] and list(opened[0].population_mask) == ["/A"]


def test_load_rules_below_are_replaced():
    with FakeDaemon(
        LoadPrims=lambda r, c: v1.LoadPrimsResponse(snapshot="t"),
        UnloadPrims=lambda r, c: v1.UnloadPrimsResponse(snapshot="t"),
    ) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            stage.unload(["/A/B", "/AB"])
            stage.load("/A")
            rules = [(r.path, r.rule) for r in stage._session.request.load_rules]
            assert rules == [("/AB", v1.LoadRule.RULE_NONE), ("/A", v1.LoadRule.RULE_ALL)]
            stage.load("/")
            assert [r.path for r in stage._session.request.load_rules] == ["/"]


def test_stream_is_repeated_only_before_its_first_message():
    def broken(request, context):
        yield v1.TraverseResponse(snapshot="s1", prims=[{"path": "/A"}])
        busy(request, context)

    def whole(request, context):
        yield v1.TraverseResponse(snapshot="s1", prims=[{"path": "/A"}])

    with FakeDaemon(Traverse=fail_first(1, busy, whole)) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert [prim.path for prim in stage.traverse()] == ["/A"]
        assert daemon.calls.count("Traverse") == 2
    with FakeDaemon(Traverse=broken) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            prims = stage.traverse()
            assert next(prims).path == "/A"
            with pytest.raises(stagedoor.Error, match="no"):
                next(prims)
        assert daemon.calls.count("Traverse") == 1


def test_deadline_includes_all_attempts():
    release = threading.Event()

    def slow(request, context):
        release.wait(30)
        return number(1)

    with FakeDaemon(BatchGetValues=slow) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with stagedoor.call_options(timeout=0.2), pytest.raises(stagedoor.DeadlineError):
                stage["/A.x"].get()
            release.set()
        assert daemon.calls.count("BatchGetValues") <= 1


def silent_until(release):
    def handler(request, context):
        release.wait(30)
        return number(1)

    return handler


def test_silent_daemon_is_left_for_the_next(clock):
    release = threading.Event()
    with (
        FakeDaemon(BatchGetValues=silent_until(release)) as gone,
        FakeDaemon(BatchGetValues=one) as other,
    ):
        with stagedoor.open("/x.usda", [gone.address, other.address]) as stage:
            endpoint = stage._client._endpoint
            endpoint.options = dataclasses.replace(endpoint.options, connect_timeout=0.3)
            # A deadline that is too short says nothing about the host.
            with stagedoor.call_options(timeout=0.1), pytest.raises(stagedoor.DeadlineError):
                stage["/A.x"].get()
            assert endpoint.address == gone.address
            with stagedoor.call_options(timeout=0.3), pytest.raises(stagedoor.DeadlineError):
                stage["/A.x"].get()
            assert stage["/A.x"].get() == 1.0
            release.set()
        assert "BatchGetValues" in other.calls


def test_address_that_refuses_is_left_at_once(clock):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        refusing = f"127.0.0.1:{probe.getsockname()[1]}"  # bound, but not listening
        with FakeDaemon(BatchGetValues=one) as daemon:
            with stagedoor.open("/x.usda", [refusing, daemon.address]) as stage:
                assert stage["/A.x"].get() == 1.0
            assert clock.pauses == [0.0]


def reading_ahead():
    return [t for t in threading.enumerate() if t.name == "stagedoor-read-ahead"]


def test_traversal_is_received_while_its_loop_is_busy():
    names = ["/A", "/B", "/C"]
    release = threading.Event()

    def prims(request, context):
        for name in names:
            yield v1.TraverseResponse(snapshot="s1", prims=[{"path": name}])
            release.wait(30)

    with FakeDaemon(Traverse=prims) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            loop = stage.traverse()
            found = [next(loop).path]
            (reading,) = reading_ahead()
            release.set()
            reading.join(30)
            assert not reading.is_alive()
            found += [prim.path for prim in loop]
    assert found == names


def test_thread_of_a_traversal_ends_with_its_loop():
    def prims(request, context):
        yield v1.TraverseResponse(snapshot="s1", prims=[{"path": "/A"}])
        while context.is_active():
            time.sleep(0.01)

    with FakeDaemon(Traverse=prims) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            loop = stage.traverse()
            assert next(loop).path == "/A"
            (reading,) = reading_ahead()
            loop.close()
            reading.join(30)
            assert not reading.is_alive()


def test_deadline_that_a_slow_loop_missed_has_a_hint(clock):
    def late(request, context):
        yield v1.TraverseResponse(snapshot="s1")
        context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, "late")

    with FakeDaemon(Traverse=late) as daemon:
        client = stagedoor.connect(daemon.address)
        for busy in (0.0, 15.0, 16.0):
            with stagedoor.call_options(timeout=30):
                messages = client.stream(call("Traverse", v1.TraverseRequest()))
                next(messages)
                clock.now += busy
                with pytest.raises(stagedoor.DeadlineError) as info:
                    next(messages)
            assert ("the loop" in info.value.hint) == (busy > 15.0)
        client.close()


def test_token_and_metadata_are_sent(tmp_path):
    file = tmp_path / "token"
    file.write_text("secret\n")
    with FakeDaemon(BatchGetValues=one) as daemon:
        options = {"token_file": str(file)}
        with stagedoor.open("/x.usda", daemon.address, connection=options) as stage:
            with stagedoor.call_options(metadata={"x-show": "one"}):
                stage["/A.x"].get()
        sent = daemon.metadata[daemon.calls.index("BatchGetValues")]
        assert sent["authorization"] == "Bearer secret" and sent["x-show"] == "one"
        ids = [entry["x-request-id"] for entry in daemon.metadata]
        assert len(set(ids)) == len(ids)
    with FakeDaemon(BatchGetValues=one) as daemon:
        options = {"token": lambda: "made"}
        stagedoor.open("/x.usda", daemon.address, connection=options).close()
        assert daemon.metadata[0]["authorization"] == "Bearer made"


def test_unknown_states_are_errors():
    reply = v1.BatchGetValuesResponse(snapshot="s1", path_count=1, time_count=1, states=[99])
    with FakeDaemon(BatchGetValues=lambda r, c: reply) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error, match="unknown"):
                stage["/A.x"].get()
            values = stage.values("/A.x")
            assert values.state("/A.x") is stagedoor.State.ERROR
            with pytest.raises(stagedoor.Error):
                values["/A.x"]


def test_array_that_was_not_named_is_refused():
    packed = {"component_type": 8, "shape": 1, "rows": 1, "columns": 1, "count": 4}
    value = {"array_value": {**packed, "unchanged": True, "digest": b"d"}}
    column = {"type_name": "float[]", "values": [value]}
    reply = v1.BatchGetValuesResponse(path_count=1, time_count=1, columns=[column])
    with FakeDaemon(BatchGetValues=lambda r, c: reply) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error, match="did not name"):
                stage["/A.x"].get()


def test_array_with_too_few_bytes_is_refused():
    packed = {"component_type": 8, "shape": 1, "rows": 1, "columns": 1, "count": 4, "data": b"1234"}
    column = {"type_name": "float[]", "values": [{"array_value": packed}]}
    reply = v1.BatchGetValuesResponse(path_count=1, time_count=1, columns=[column])
    with FakeDaemon(BatchGetValues=lambda r, c: reply) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error, match="4 elements has 4 bytes"):
                stage["/A.x"].get()


# ------------------------------------------------------------------------- inconsistent replies

POINT = {"component_type": 8, "shape": 2, "rows": 1, "columns": 3, "count": 1, "data": b"0" * 12}


def batch(**fields):
    return {"BatchGetValues": lambda r, c: v1.BatchGetValuesResponse(**fields)}


@pytest.mark.parametrize(
    "handlers",
    [
        batch(),
        batch(states=[1]),
        batch(states=[1, 1, 1], columns=[{"type_name": "double", "doubles": [1, 2, 3]}]),
        batch(columns=[{"type_name": "double", "doubles": [1, 2, 3]}]),
        batch(columns=[{"type_name": "double", "doubles": [1], "items": [7]}]),
        batch(columns=[{"type_name": "double", "doubles": [1, 2], "items": [0]}]),
        batch(columns=[{"type_name": "float3", "tuples": POINT}]),
        batch(states=[4, 4], path_errors=[{"item": 9, "code": 5}]),
        batch(states=[4, 4], item_errors=[{"item": 9, "code": 5}]),
    ],
)
def test_inconsistent_batches_are_refused(handlers):
    with FakeDaemon(**handlers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error) as info:
                stage.values(["/A.x", "/A.y"])["/A.x"]
            assert info.value.code == "DATA_LOSS"


@pytest.mark.parametrize(
    "ask",
    [
        lambda stage: stage["/A.x"].get(),
        lambda stage: stage["/A.x"].samples(),
        lambda stage: stage["/A.x"].time_samples,
        lambda stage: stage["/A.x"].num_time_samples,
        lambda stage: stage["/A.x"].bracket(1),
        lambda stage: stage["/A.x"].why(1),
        lambda stage: stage["/A"].transform(1),
        lambda stage: stage["/A"].bounds(1),
        lambda stage: stage["/A"].skinned_points(1),
        lambda stage: stage.warm(),
        lambda stage: stage._client.layer("/x.usda"),
    ],
)
def test_empty_replies_are_refused(ask):
    def unary(response):
        return lambda request, context: response()

    handlers = {
        name: (lambda r, c: iter(())) if method.streams else unary(method.response)
        for name, method in METHODS.items()
        if name not in ("OpenStage", "CloseStage")
    }
    handlers["GetBracketingTimeSamples"] = lambda r, c: v1.GetBracketingTimeSamplesResponse()
    with FakeDaemon(**handlers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error) as info:
                ask(stage)
            assert info.value.code in ("DATA_LOSS", "UNIMPLEMENTED")  # no type of components


# ----------------------------------------------------------------------------- leases and snapshots


@pytest.mark.parametrize(
    ("seconds", "wanted", "expected"),
    [(20, None, 20), (-500, None, 5), (9000, None, 60), (9000, 3, 3), (-500, 3, 3)],
)
def test_clock_of_the_daemon_is_not_trusted(monkeypatch, seconds, wanted, expected):
    request = v1.OpenStageRequest(root_layer="/x.usda")
    if wanted is not None:
        request.lease_ttl.seconds = wanted
    session = Session(request, ArrayCache(0), threading.Lock())
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    opening = session.open()
    next(opening)
    reply = v1.OpenStageResponse(handle="h", stage={"snapshot": "s"})
    reply.lease_expire_time.seconds = 1000 + seconds
    with pytest.raises(StopIteration):
        opening.send(reply)
    assert session.ttl == expected


def test_second_handle_of_a_stage_that_two_calls_opened_again_is_given_back():
    session = Session(v1.OpenStageRequest(root_layer="/x.usda"), ArrayCache(0), threading.Lock())

    def reply(handle):
        return v1.OpenStageResponse(handle=handle, stage={"snapshot": "s"})

    opening = session.open()
    next(opening)
    with pytest.raises(StopIteration):
        opening.send(reply("one"))
    fast, slow = session.reopen("one"), session.reopen("one")
    next(fast), next(slow)
    with pytest.raises(StopIteration):
        fast.send(reply("two"))
    closing = slow.send(reply("three"))
    assert (closing.method.name, closing.request.handle) == ("CloseStage", "three")
    assert session.handle == "two"
    with pytest.raises(StopIteration):
        next(session.reopen("one"))


def test_reading_ahead_goes_on_when_its_snapshot_is_gone():
    def gone(request, context):
        if request.stage.snapshot:
            return fail(context, grpc.StatusCode.FAILED_PRECONDITION, "SNAPSHOT_GONE")
        return number(1)

    def prims(request, context):
        yield v1.TraverseResponse(snapshot="s1", prims=[{"path": "/A"}, {"path": "/B"}])

    with FakeDaemon(Traverse=prims, BatchGetValues=gone) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert [prim.x.get() for prim in stage.traverse()] == [1.0, 1.0]


def test_thread_ends_with_its_client():
    with FakeDaemon() as daemon:
        client = stagedoor.connect(daemon.address)
        stage = client.open("/x.usda")
        keeper = client._keeper
        assert keeper.is_alive() and keeper.daemon
        del client, stage
        gc.collect()
        keeper.join(30)
        assert not keeper.is_alive()


def due(stage):
    stage._session.used -= stage._session.ttl


def test_keeper_outlives_a_function_that_cannot_make_the_token():
    tokens = ["one"]

    def renewed(request, context):
        return v1.RenewLeaseResponse()

    with FakeDaemon(RenewLease=renewed) as daemon:
        client = stagedoor.connect(daemon.address, token=lambda: tokens[0])
        stage = client.open("/x.usda")
        tokens.clear()  # now the function raises an IndexError
        due(stage)
        assert client.renew_leases() > 0
        with pytest.raises(IndexError):
            client.stages()
        tokens.append("two")
        due(stage)
        client.renew_leases()
        assert daemon.calls.count("RenewLease") >= 1
        assert client._keeper.is_alive()
        client.close()


def test_keeper_may_look_at_sessions_while_others_are_opened(monkeypatch):
    client = stagedoor.connect("127.0.0.1:1")
    kept = [Session(v1.OpenStageRequest(), ArrayCache(0), threading.Lock()) for _ in range(2)]
    client._remember(kept[0])
    iterate = type(client._sessions).__iter__
    threads = []

    def slow(sessions):
        for session in iterate(sessions):
            threads.append(threading.Thread(target=client._remember, args=(kept[1],)))
            threads[-1].start()
            threads[-1].join(0.1)  # it waits, or else the set changes now
            yield session

    monkeypatch.setattr(type(client._sessions), "__iter__", slow)
    assert client._known_sessions() == kept[:1]
    threads[0].join()
    monkeypatch.undo()
    assert set(client._known_sessions()) == set(kept)
    for session in kept:
        session.lease.closed = True
    client.close()


def test_edits_are_made_one_after_the_other():
    running, most = [], []

    def edit(request, context):
        running.append(request)
        time.sleep(0.02)
        most.append(len(running))
        running.pop()
        return v1.MuteLayersResponse(snapshot="t")

    names = [f"layer{i}" for i in range(6)]
    with FakeDaemon(MuteLayers=edit) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            threads = [threading.Thread(target=stage.mute, args=(name,)) for name in names]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert sorted(stage._session.request.muted_layers) == names
    assert most == [1] * 6


def test_active_span_is_sent(monkeypatch):
    class Span:
        is_valid, trace_id, span_id, trace_flags = True, 0xA, 0xB, 1

        def get_span_context(self):
            return self

    trace = types.SimpleNamespace(get_current_span=Span)
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", trace)
    with FakeDaemon() as daemon:
        stagedoor.open("/x.usda", daemon.address).close()
        assert daemon.metadata[0]["traceparent"] == f"00-{'a':0>32}-{'b':0>16}-01"
