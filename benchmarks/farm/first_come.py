"""Cores that finish a job before they begin another one."""

from __future__ import annotations

import heapq

import simpy

from farm.shared_rate import Event


class FirstComeCores:
    """First come, first served: how the kernel runs calls that are shorter than its time slices.

    Nothing interrupts a job, so that its end is known when it arrives.
    """

    def __init__(self, env: simpy.Environment, cores: int, speed: float = 1.0) -> None:
        self._env = env
        self._speed = speed
        self._free_at = [0.0] * cores
        self._present = 0
        self.done = 0.0

    def __len__(self) -> int:
        return self._present

    def serve(self, work: float) -> Event:
        """An event that occurs when the work is done."""
        begin = max(self._env.now, heapq.heappop(self._free_at))
        end = begin + work / self._speed
        heapq.heappush(self._free_at, end)
        self._present += 1
        event = self._env.timeout(end - self._env.now, True)
        event.callbacks.append(lambda _: self._leave(work))
        return event

    def abort(self) -> None:
        raise NotImplementedError("first come, first served: jobs cannot be aborted")

    def _leave(self, work: float) -> None:
        self._present -= 1
        self.done += work
