"""Names that programs use: those that prims refuse, and those of the package and its results."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Mapping

import numpy as np
import pytest

import stagedoor
from stagedoor.results import PathTable


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("childern", "children"),
        ("is_activ", "is_active"),
        ("get_children", "GetChildren"),
        ("getAttribute", "GetAttribute"),
        ("GetChildern", "GetChildren"),
        ("type_nmae", "type_name"),
    ],
)
def test_misspelt_names_of_prims_are_refused(stage, name, meant):
    prim = stage["/World"]
    with pytest.raises(AttributeError, match=f"did you mean '{meant}'"):
        getattr(prim, name)
    assert not hasattr(prim, name)
    assert prim[name].path == f"/World.{name}"  # as the message says


def test_names_like_methods_are_refused_unless_they_are_attributes(stage, calls):
    prim = stage["/World"]
    with pytest.raises(AttributeError, match=r"prim\['has_color'\] is the attribute"):
        prim.has_color  # noqa: B018
    with pytest.raises(AttributeError, match="'GetNothing'"):
        prim.GetNothing()
    with pytest.raises(AttributeError):
        stage["/Nope"].is_hero  # noqa: B018
    with stage.edit():
        prim["is_hero"].set(True, type_name="bool", custom=True)
        prim["bound"].set(3, type_name="int", custom=True)
    assert prim.is_hero.get() is True and prim.bound.get() == 3
    calls.take()
    assert prim.radius.path == "/World.radius" and prim.isolation.name == "isolation"
    assert calls.take() == []  # of other names, nothing is asked


async def use_names(path, address):
    async with await stagedoor.aio.open(path, address) as stage:
        prim = stage["/World"]
        with pytest.raises(AttributeError, match="did you mean 'children'"):
            prim.childern  # noqa: B018
        await prim.set_metadata("documentation", "x")
        await prim["bound"].set(3, type_name="int", custom=True)
        with pytest.raises(AttributeError, match="did you mean 'bounds'"):
            prim.bound  # noqa: B018
        await prim.kind  # the prim is known now
        assert prim.bound.path == "/World.bound"
        assert prim.is_hero.path == "/World.is_hero"


def test_bytes_are_not_paths(stage):
    for path in (b"/World", bytearray(b"/World")):
        for ask in (stage.prim, stage.attribute, stage.visibility, stage.values):
            with pytest.raises(TypeError, match="a path is a string such as '/World', not byte"):
                ask(path)
    with pytest.raises(TypeError, match="not int"):
        stage.values([1])


def test_names_in_asyncio(daemon, folder):
    asyncio.run(use_names(folder / "shot.usda", daemon.address))


def test_asyncio_client_is_an_attribute_of_the_package():
    program = "import stagedoor; print(stagedoor.aio.connect.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("connect\n", "")


def test_table_of_paths_is_a_mapping(stage):
    table = stage.transforms(["/World", "/World/Static", "/Nope"])
    assert isinstance(table, Mapping) and isinstance(table, PathTable)
    assert list(table) == list(table.keys()) == ["/World", "/World/Static"]
    assert [m.shape for m in table.values()] == [(4, 4), (4, 4)]
    assert len(table.items()) == 2 and ("/World" in table, "/Nope" in table) == (True, False)
    assert dict(table).keys() == {**table}.keys() == {"/World", "/World/Static"}
    prim = stage["/World"]
    assert prim in table and np.array_equal(table[prim], table["/World"])
    assert table.get("/Nope") is None and table.get("/Other", 7) == 7
    assert table.get(prim).shape == (4, 4)
    with pytest.raises(stagedoor.NotFoundError):
        table["/Nope"]
    with pytest.raises(KeyError):
        table["/Other"]


def test_tables_are_equal_if_their_results_are():
    def table(**results: int) -> PathTable[int]:
        return PathTable(results, {}, "s1")

    assert table(a=1) == table(a=1) == {"a": 1} and table(a=1) != table(a=2)
