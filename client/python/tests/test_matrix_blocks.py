"""Transforms of which only the numbers that differ are sent."""

from __future__ import annotations

import numpy as np
import pytest

import stagedoor
from stagedoor import _matrix_blocks
from stagedoor._matrix_blocks import unpack_blocks
from stagedoor._proto import v1

MOVING = """#usda 1.0
def Xform "A"
{
    double3 xformOp:translate.timeSamples = { 0: (0, 1, 2), 4: (4, 1, 2) }
    uniform token[] xformOpOrder = ["xformOp:translate"]
    def Xform "B"
    {
        float xformOp:rotateZ = 30
        uniform token[] xformOpOrder = ["xformOp:rotateZ"]
    }
    def Xform "C" {}
}
"""


def block(extents, numbers, paths=2):
    data = np.array(numbers, "<f8").tobytes()
    return v1.MatrixBlock(path_count=paths, extents=extents, numbers=data)


def test_numbers_come_once_or_for_each_path_or_for_each_item():
    # The first number comes once, the second for each path, the third for each item.
    first = block(0b10_01_00, [7, 1, 2, 11, 12, 21, 22, *range(100, 113)])
    second = block(0, range(16), paths=1)
    matrices = unpack_blocks([first, second], paths=3, times=2)
    assert matrices.shape == (6, 4, 4) and not matrices.flags.writeable
    rows = matrices.reshape(6, 16)
    assert rows[:4, 0].tolist() == [7] * 4
    assert rows[:4, 1].tolist() == [1, 1, 2, 2]
    assert rows[:4, 2].tolist() == [11, 12, 21, 22]
    assert rows[:4, 3:].tolist() == [list(range(100, 113))] * 4
    assert rows[4:].tolist() == [list(range(16))] * 2


@pytest.mark.parametrize(
    "damaged",
    [
        block(0, range(16), paths=1),  # of another number of paths
        block(0, range(15)),
        block(0, range(17)),
        block(0b01, range(16)),
        block(0, []),
        block(0b11, range(16)),
    ],
)
def test_damaged_blocks_are_errors(damaged):
    with pytest.raises(stagedoor.Error, match="inconsistent") as info:
        unpack_blocks([damaged], paths=2, times=3)
    assert info.value.code == "DATA_LOSS"


def test_blocks_have_the_matrices_of_the_daemon(daemon, tmp_path, monkeypatch):
    root = tmp_path / "moving.usda"
    root.write_text(MOVING)
    paths = ["/A", "/A/B", "/None", "/A/C", "/A/B"]
    with stagedoor.open(str(root), daemon.address) as stage:
        for times in ([0, 1.5, 4], 2, None, list(range(20))):
            monkeypatch.setattr(_matrix_blocks, "MIN_ITEMS", 10_000)
            plain = stage.transforms(paths, times)
            monkeypatch.setattr(_matrix_blocks, "MIN_ITEMS", 1)
            found = stage.transforms(paths, times)
            assert list(found) == list(plain) == ["/A", "/A/B", "/A/C"]
            assert found.stack().tobytes() == plain.stack().tobytes()
            assert found.errors["/None"].reason == "PRIM_NOT_FOUND"
