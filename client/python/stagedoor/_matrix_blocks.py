"""Matrices of which only the numbers that differ were sent."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stagedoor._decode import damaged
from stagedoor._proto import Message
from stagedoor.types import Array

# Fewer matrices are read faster one after the other.
MIN_ITEMS = 256

_NUMBERS = 16  # of a matrix


def unpack_blocks(blocks: Sequence[Message], paths: int, times: int) -> Array:
    """The matrices of all items, as a read-only array of items × 4 × 4."""
    found = sum(block.path_count for block in blocks)
    if found != paths:
        raise damaged(f"{found} matrices for {paths} paths")
    matrices = np.empty((paths, times, _NUMBERS))
    begin = 0
    for block in blocks:
        end = begin + block.path_count
        _fill(matrices[begin:end], block)
        begin = end
    matrices.flags.writeable = False
    return matrices.reshape(-1, 4, 4)


def _fill(matrices: Array, block: Message) -> None:
    """Writes the matrices of a block: paths × times × 16."""
    paths, times, _ = matrices.shape
    # By the two bits of `extents`: the shape in which a number comes.
    shapes = ((1, 1), (paths, 1), (paths, times))
    numbers = np.frombuffer(block.numbers, "<f8")
    once = np.zeros(_NUMBERS)
    others = []
    at = 0
    for index in range(_NUMBERS):
        extent = block.extents >> 2 * index & 3
        if extent == len(shapes):
            raise damaged(f"extents {block.extents:#x} of matrices")
        rows, columns = shapes[extent]
        piece = numbers[at : at + rows * columns]
        at += rows * columns
        if extent and at <= len(numbers):
            others.append((index, piece.reshape(rows, columns)))
        elif at <= len(numbers):
            once[index] = piece[0]
    if at != len(numbers):
        raise damaged(f"{len(numbers)} numbers of matrices instead of {at}")
    matrices[:] = once
    for index, piece in others:
        matrices[:, :, index] = piece
