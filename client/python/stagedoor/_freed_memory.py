"""Memory of large replies that is kept for the next ones."""

from __future__ import annotations

import functools

# At most 32 MiB, up to which glibc adapts.
_BLOCK_BYTES = 24 << 20


@functools.cache
def keep_freed_memory() -> None:
    """Makes glibc keep freed memory, up to 48 MiB, instead of returning it to the system.

    A reply of 1 MiB takes three blocks of that size, which glibc would map and return for each
    call; this takes as long as the call itself. When a block that was mapped is freed, glibc keeps
    what is freed later, up to twice its size (mallopt(3), M_MMAP_THRESHOLD). So the first large
    array of a program has the same effect; this block is never touched and costs nothing. Other
    allocators have rules of their own.
    """
    bytes(_BLOCK_BYTES)
