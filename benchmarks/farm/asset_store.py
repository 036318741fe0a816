"""The server of the assets, which replicas, or nodes that open stages themselves, share."""

from __future__ import annotations

from collections.abc import Generator

import simpy

from farm.parameters import Store
from farm.shared_rate import Event, SharedRate


class AssetStore:
    def __init__(self, env: simpy.Environment, store: Store, reader_bytes_s: float) -> None:
        self._env = env
        self._store = store
        self.link = SharedRate(env, store.bytes_s, reader_bytes_s)
        self.bytes = 0.0
        self.files = 0

    def read(self, size: float, files: int) -> Generator[Event, object, None]:
        """Reads files: first the latencies, some files at a time, then the bytes."""
        self.bytes += size
        self.files += files
        yield self._env.timeout(
            -(-files // self._store.parallel_files) * self._store.file_latency_s
        )
        yield self.link.serve(size)
