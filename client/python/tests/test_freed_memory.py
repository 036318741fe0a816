"""Memory of large replies is not returned to the system after each call."""

from __future__ import annotations

import ctypes.util
import subprocess
import sys

import pytest

_PAGES = 256  # of a mebibyte

_PROGRAM = """
import resource
from stagedoor._freed_memory import keep_freed_memory

keep_freed_memory()

def use():
    blocks = [b"x" * (1 << 20) for _ in range(3)]

for _ in range(5):
    use()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(100):
    use()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(ctypes.util.find_library("c") != "libc.so.6", reason="not glibc")
def test_freed_memory_is_used_again() -> None:
    faults = int(subprocess.check_output([sys.executable, "-c", _PROGRAM], text=True))
    assert faults < 10 * _PAGES  # of 300 such blocks
