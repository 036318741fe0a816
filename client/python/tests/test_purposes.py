"""Visibilities for purposes, and proxies."""

from __future__ import annotations

import asyncio

import pytest

import stagedoor

PURPOSES = """#usda 1.0
over "World" (
    prepend apiSchemas = ["VisibilityAPI"]
)
{
    token guideVisibility.timeSamples = { 0: "visible", 10: "invisible" }
    def Xform "Full" {
        uniform token purpose = "render"
        rel proxyPrim = </World/Box>
        def Mesh "Body" {
        }
    }
    def Cube "Box" {
        uniform token purpose = "proxy"
    }
}
"""


@pytest.fixture
def shot(stage):
    stage.set_session_layer(PURPOSES)
    return stage


def test_visibility_for_a_purpose(shot):
    paths = ["/World/Full/Body", "/None"]
    seen = shot.effective_visibility(paths, "guide", [0, 10])
    assert seen["/World/Full/Body"] == ["visible", "invisible"]
    with pytest.raises(stagedoor.NotFoundError):
        seen["/None"]
    assert shot.effective_visibility(paths, "render")["/World/Full/Body"] == "inherited"
    assert shot.effective_visibility(paths, "default")["/World/Full/Body"] == "visible"
    with pytest.raises(ValueError, match="unknown purpose 'odd'"):
        shot.effective_visibility(paths, "odd")


def test_proxies(shot):
    expected = stagedoor.results.ProxyPrim("/World/Box", "/World/Full")
    assert shot["/World/Full/Body"].proxy() == expected
    assert shot["/World/Box"].proxy() is None
    assert list(shot.proxy_prims(["/World/Full", "/World"]).values()) == [expected, None]


def test_asyncio_proxies(daemon, folder):
    async def ask():
        async with await stagedoor.aio.open(folder / "shot.usda", daemon.address) as stage:
            await stage.set_session_layer(PURPOSES)
            seen = await stage.effective_visibility("/World/Box", "proxy")
            return seen["/World/Box"], await stage["/World/Full"].proxy()

    visible, proxy = asyncio.run(ask())
    assert visible == "inherited"
    assert proxy.path == "/World/Box"
