"""What the daemon does, in the inspector."""

from __future__ import annotations

import grpc
import pytest
from fake import FakeDaemon, fail

pytest.importorskip("starlette")

from inspecting import Page

from stagedoor._proto import v1


def test_calls_stages_caches_and_memory(own_daemon, folder):
    with Page(own_daemon.address, folder / "shot.usda") as page:
        page.ask("stage")
        check_state(page)


def check_state(page):
    found = page.ask("operate")
    (replica,) = found["replicas"]
    assert replica["resident"] > 1 << 20 and replica["stages"] >= 1
    assert next(m for m in replica["methods"] if m["name"] == "OpenStage")["calls"] >= 1
    assert found["inFlight"] >= 1 and found["problems"] == []
    assert "ListCalls" in [call["method"] for call in found["calls"]]
    slowest = next(call for call in found["slowest"] if call["method"] == "OpenStage")
    assert slowest["work"] > 0 and "opened" in slowest["reasons"]
    assert {"stages", "layers", "clips"} <= {cache["name"] for cache in found["caches"]}
    assert page.stage in [stage["root"] for stage in found["stages"]]


def test_several_replicas(daemon):
    with Page(f"{daemon.address},127.0.0.1:1") as page:
        found = page.ask("operate")
        assert found["replicas"][0]["version"] and found["replicas"][1]["problem"]["message"]
        second = page.ask("operate", replica=1)
        assert [problem["what"] for problem in second["problems"]] == [
            "ListCalls",
            "GetCacheStatistics",
            "ListStages",
        ]
        assert "2 addresses" in page.error("operate", replica=2)["message"]


def test_what_a_role_may_not_ask_is_left_out():
    def forbidden(_, context):
        return fail(context, grpc.StatusCode.PERMISSION_DENIED, "METHOD_FORBIDDEN")

    def statistics(_, __):
        return v1.GetServerStatisticsResponse(version="9", resident_bytes=5)

    with (
        FakeDaemon(
            ListCalls=forbidden,
            ListStages=forbidden,
            GetCacheStatistics=forbidden,
            GetServerStatistics=statistics,
        ) as fake,
        Page(fake.address) as page,
    ):
        found = page.ask("operate")
        assert found["replicas"][0]["resident"] == 5 and "calls" not in found
        assert len(found["problems"]) == 3
        assert found["problems"][0]["hint"].startswith("ask the operator")
        listed = page.ask("stages")
        assert listed["stages"] == [] and listed["problem"]["reason"] == "METHOD_FORBIDDEN"
