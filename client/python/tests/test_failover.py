"""What a client does when its daemon is lost in the middle of something."""

from __future__ import annotations

import asyncio
import hashlib

import grpc
import pytest
from fake import FakeDaemon, fail, fail_first, number

import stagedoor
import stagedoor.aio
from stagedoor._proto import METHODS, v1

NAMES = ["/A", "/B", "/C"]


def lost(request, context):
    return fail(context, grpc.StatusCode.NOT_FOUND, "STAGE_NOT_FOUND")


def one(request, context):
    return number(1)


def prims(names, snapshot="s1"):
    for name in names:
        yield v1.TraverseResponse(snapshot=snapshot, prims=[{"path": name}])


def broken_after(count, code=grpc.StatusCode.UNAVAILABLE, text="the connection broke"):
    def handler(request, context):
        yield from prims(NAMES[:count])
        context.abort(code, text)

    return handler


def whole(request, context):
    return prims(NAMES)


def test_all_calls_for_a_stage_have_the_key_of_its_root_layer():
    answers = {
        name: (lambda r, c: iter(())) if method.streams else (lambda r, c, m=method: m.response())
        for name, method in METHODS.items()
        if name not in ("OpenStage", "CloseStage", "BatchGetValues")
    }
    with FakeDaemon(BatchGetValues=fail_first(1, lost, one), **answers) as daemon:
        with stagedoor.open("/ü.usda", daemon.address) as stage:
            stage["/A.x"].get()
            list(stage.traverse())
            stage.dependencies()
            stage.set_session_layer("#usda 1.0\n")
            stage._client.run(stage._session.renew())
        keyless = stagedoor.connect(daemon.address)
        keyless.stages()
        keyless.close()
    key = hashlib.sha256("/ü.usda".encode()).hexdigest()
    keys = [metadata.get("stagedoor-routing-key") for metadata in daemon.metadata]
    assert daemon.calls == [
        *["OpenStage", "BatchGetValues", "OpenStage", "BatchGetValues"],
        *["Traverse", "ListDependencies", "SetSessionLayer", "RenewLease", "CloseStage"],
        "ListStages",
    ]
    assert keys == [key] * 9 + [None]


def test_key_of_the_program_takes_precedence():
    with FakeDaemon() as daemon:
        with stagedoor.call_options(metadata={"stagedoor-routing-key": "mine"}):
            stagedoor.open("/x.usda", daemon.address).close()
    assert [m["stagedoor-routing-key"] for m in daemon.metadata] == ["mine", "mine"]


def test_stage_that_is_lost_again_is_opened_again():
    with FakeDaemon(BatchGetValues=fail_first(3, lost, one)) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage["/A.x"].get() == 1.0
    assert daemon.calls.count("OpenStage") == 4
    with FakeDaemon(BatchGetValues=lost) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.LeaseError):
                stage["/A.x"].get()
    assert daemon.calls.count("OpenStage") == 4


def test_list_is_read_again_from_the_beginning():
    def found(*paths):
        for path in paths:
            yield v1.ListDependenciesResponse(dependencies=[{"authored_path": path}])

    def broken(request, context):
        yield from found("a")
        context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")

    answers = fail_first(1, broken, fail_first(1, lost, lambda r, c: found("a", "b")))
    with FakeDaemon(ListDependencies=answers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert [found.authored_path for found in stage.dependencies()] == ["a", "b"]
    assert daemon.calls.count("ListDependencies") == 3
    assert daemon.calls.count("OpenStage") == 2


def parts(response, *texts):
    for text in texts:
        yield response(data=text)


def file_answers(response):
    """Breaks after a part, forgets the stage, and then answers."""

    def broken(request, context):
        yield from parts(response, b"old ", b"old ")
        context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")

    return broken, lambda r, c: parts(response, b"ne", b"w")


def test_file_is_written_again_from_the_beginning(tmp_path):
    broken, good = file_answers(v1.FlattenStageResponse)
    answers = fail_first(1, broken, fail_first(1, lost, good))
    with FakeDaemon(FlattenStage=answers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            stage.export(tmp_path / "flat.usda")
    assert (tmp_path / "flat.usda").read_bytes() == b"new"
    assert daemon.calls.count("FlattenStage") == 3
    broken, good = file_answers(v1.ConvertLayerResponse)
    with FakeDaemon(ConvertLayer=fail_first(1, broken, good)) as daemon:
        with stagedoor.connect(daemon.address) as client:
            client.convert("/x.usda", str(tmp_path / "copy.usda"))
    assert (tmp_path / "copy.usda").read_bytes() == b"new"


def test_asyncio_file_is_written_again_from_the_beginning(tmp_path):
    async def use(address):
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            await stage.export(tmp_path / "flat.usda")
            await stage._client.convert("/x.usda", str(tmp_path / "copy.usda"))

    broken, good = file_answers(v1.FlattenStageResponse)
    flatten = fail_first(1, broken, fail_first(1, lost, good))
    convert = fail_first(1, *file_answers(v1.ConvertLayerResponse))
    with FakeDaemon(FlattenStage=flatten, ConvertLayer=convert) as daemon:
        asyncio.run(use(daemon.address))
    assert (tmp_path / "flat.usda").read_bytes() == b"new"
    assert (tmp_path / "copy.usda").read_bytes() == b"new"


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN])
def test_loop_goes_on_after_what_it_has_received(code):
    answers = fail_first(1, broken_after(2, code), fail_first(1, lost, whole))
    with FakeDaemon(Traverse=answers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert [prim.path for prim in stage.traverse()] == NAMES
    assert daemon.calls.count("Traverse") == 3


def test_asyncio_loop_goes_on_after_what_it_has_received():
    async def use(address):
        async with await stagedoor.aio.open("/x.usda", address) as stage:
            return [prim.path async for prim in stage.traverse()]

    answers = fail_first(1, broken_after(2), fail_first(1, lost, whole))
    with FakeDaemon(Traverse=answers) as daemon:
        assert asyncio.run(use(daemon.address)) == NAMES
    assert daemon.calls.count("Traverse") == 3


def test_loop_does_not_go_on_with_another_snapshot():
    answers = fail_first(1, broken_after(1), lambda r, c: prims(NAMES, "s2"))
    with FakeDaemon(Traverse=answers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            found = stage.traverse()
            assert next(found).path == "/A"
            with pytest.raises(stagedoor.UnavailableError, match="connection broke"):
                next(found)
    assert daemon.calls.count("Traverse") == 2


BROKEN = [
    (grpc.StatusCode.UNAVAILABLE, "the connection broke"),
    (grpc.StatusCode.UNKNOWN, "Stream removed"),
    (grpc.StatusCode.INTERNAL, "Received RST_STREAM with error code 2"),
    (grpc.StatusCode.CANCELLED, "Received RST_STREAM with error code 8"),
]


@pytest.mark.parametrize(("code", "text"), BROKEN)
def test_loop_that_gets_nowhere_fails(code, text):
    with FakeDaemon(Traverse=broken_after(1, code, text)) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            found = stage.traverse()
            assert next(found).path == "/A"
            with pytest.raises(stagedoor.UnavailableError, match=text):
                next(found)
    assert daemon.calls.count("Traverse") == 4


@pytest.mark.parametrize(("code", "text"), BROKEN)
def test_call_is_repeated_after_a_broken_connection(code, text):
    answers = fail_first(1, lambda r, c: c.abort(code, text), one)
    with FakeDaemon(BatchGetValues=answers) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            assert stage["/A.x"].get() == 1.0
    assert daemon.calls.count("BatchGetValues") == 2


@pytest.mark.parametrize("code", [grpc.StatusCode.INTERNAL, grpc.StatusCode.CANCELLED])
def test_error_of_a_whole_connection_is_not_repeated(code):
    with FakeDaemon(BatchGetValues=lambda r, c: c.abort(code, "no")) as daemon:
        with stagedoor.open("/x.usda", daemon.address) as stage:
            with pytest.raises(stagedoor.Error) as info:
                stage["/A.x"].get()
    assert info.value.code == code.name
    assert daemon.calls.count("BatchGetValues") == 1


def test_stage_of_a_lost_daemon_can_be_closed():
    def gone(request, context):
        context.abort(grpc.StatusCode.UNAVAILABLE, "the connection broke")

    with FakeDaemon(CloseStage=gone) as daemon:
        stagedoor.open("/x.usda", daemon.address).close()
    assert daemon.calls == ["OpenStage", "CloseStage"]
