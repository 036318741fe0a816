"""Files that are replaced by others of equal size and modification time."""

from __future__ import annotations

import os
import pathlib
from collections.abc import Iterator

import numpy as np
import pytest
from daemon import Daemon

import stagedoor


def write_crate(client: stagedoor.Client, path: pathlib.Path, points: int, first: float) -> None:
    """Writes a crate with a mesh, whose size depends only on the number of its points.

    Its modification time is that of build systems and archives that fix times.
    """
    text = path.with_suffix(".usda")
    array = ", ".join(f"({first + i}, 0, 0)" for i in range(points))
    text.write_text(f'#usda 1.0\ndef Mesh "M" {{\npoint3f[] points = [{array}]\n}}\n')
    client.convert(str(text), str(path))
    os.utime(path, (1, 1))


@pytest.fixture
def client(tmp_path: pathlib.Path) -> Iterator[stagedoor.Client]:
    """A client of a daemon that looks at the files of a stage each time that it is opened."""
    daemon = Daemon(tmp_path, "--check-interval=0")
    try:
        with stagedoor.connect(daemon.address) as client:
            yield client
    finally:
        daemon.stop()


# Copied into memory, mapped and hashed as a whole, mapped and hashed in parts.
@pytest.mark.parametrize("points", [4_000, 20_000, 100_000])
def test_new_content_of_equal_size_and_time_is_read(
    client: stagedoor.Client, tmp_path: pathlib.Path, points: int
) -> None:
    scene = tmp_path / "scene.usdc"
    write_crate(client, scene, points, 0.0)
    write_crate(client, tmp_path / "new.usdc", points, 1000.0)
    assert scene.stat().st_size == (tmp_path / "new.usdc").stat().st_size
    with client.open(scene) as held:
        before = np.array(held.attribute("/M.points").get())
        assert before[0][0] == 0.0
        os.replace(tmp_path / "new.usdc", scene)
        with client.open(scene) as opened:
            after = np.array(opened.attribute("/M.points").get())
            assert after[0][0] == 1000.0
            assert opened.snapshot != held.snapshot
        held.reload()
        assert np.array_equal(np.array(held.attribute("/M.points").get()), after)


def offset_between_samples(content: bytes, points: int) -> int:
    """Returns where a point is that is in no part that the version of a large file covers."""
    step = (len(content) - (64 << 10)) // 30 // 4096 * 4096
    for i in range(points // 3, points):
        at = content.find(np.array([i, 0, 0], "<f4").tobytes())
        if at >= 0 and 4096 <= at % step < step - 12:
            return at
    raise AssertionError("no point is between the samples")


def test_a_reload_reads_what_the_sample_of_a_large_file_does_not_show(
    client: stagedoor.Client, tmp_path: pathlib.Path
) -> None:
    scene = tmp_path / "scene.usdc"
    points = 200_000
    write_crate(client, scene, points, 0.0)
    content = scene.read_bytes()
    at = offset_between_samples(content, points)
    (index,) = np.frombuffer(content, "<f4", 1, at).astype(int)
    with client.open(scene) as held:
        assert np.array(held.attribute("/M.points").get())[index][0] == index
        with scene.open("r+b") as file:
            file.seek(at)
            file.write(np.array([-1], "<f4").tobytes())
        os.utime(scene, (1, 1))
        held.reload()
        assert np.array(held.attribute("/M.points").get())[index][0] == -1
