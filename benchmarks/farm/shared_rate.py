"""A capacity that its jobs share equally: cores, a network card, an asset store."""

from __future__ import annotations

import heapq
from typing import Any, Protocol

import simpy

Event = simpy.events.Event


class Cores(Protocol):
    """What a replica needs of its cores."""

    @property
    def done(self) -> float:
        """The work done so far."""

    def __len__(self) -> int:
        """The number of jobs."""

    def serve(self, work: float) -> Event:
        """An event that occurs when the work is done (True) or was aborted (False)."""

    def abort(self) -> None:
        """Ends all jobs unfinished."""


class SharedRate:
    """Processor sharing: each of n jobs progresses at min(most_per_job, capacity / n).

    Serves many clients in turns, one short call each, so the order within a turn does not matter.
    All jobs progress equally, so the job that needs the least of the common progress ends first,
    and one heap and one timer suffice for any number of jobs.
    """

    def __init__(self, env: simpy.Environment, capacity: float, most_per_job: float) -> None:
        if capacity <= 0 or most_per_job <= 0:
            raise ValueError(f"rates must be positive, not {capacity} and {most_per_job}")
        self._env = env
        self._capacity = capacity
        self._most = most_per_job
        self._progress = 0.0  # of a job that has been there from the start
        self._updated = env.now
        self._jobs: list[tuple[float, int, Event]] = []  # by the progress at which they end
        self._begun = 0
        self._timer_due = float("inf")
        self._done = 0.0

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def rate(self) -> float:
        """What each job gets now, or what a job would get if there are none."""
        return min(self._most, self._capacity / max(1, len(self._jobs)))

    @property
    def done(self) -> float:
        """The work done so far, of all jobs together."""
        self._advance()
        return self._done

    def serve(self, work: float) -> Event:
        """An event that occurs when the work is done (True) or was aborted (False)."""
        event = self._env.event()
        if work <= 0:
            event.succeed(True)
            return event
        self._advance()
        self._begun += 1
        heapq.heappush(self._jobs, (self._progress + work, self._begun, event))
        self._arm()
        return event

    def abort(self) -> None:
        """Ends all jobs unfinished."""
        self._advance()
        jobs, self._jobs = self._jobs, []
        for _, _, event in jobs:
            event.succeed(False)

    def _advance(self) -> None:
        now = self._env.now
        step = (now - self._updated) * self.rate
        self._done += step * len(self._jobs)
        self._progress = self._progress + step if self._jobs else 0.0
        self._updated = now

    def _arm(self) -> None:
        # A timer that is too early is harmless: it arms the next one. An arrival can only delay the
        # other jobs, so that most arrivals need no timer.
        if not self._jobs:
            return
        due = self._env.now + max(0.0, self._jobs[0][0] - self._progress) / self.rate
        if due < self._timer_due:
            self._timer_due = due
            self._env.timeout(due - self._env.now, due).callbacks.append(self._fire)

    def _fire(self, timer: Any) -> None:
        if timer.value != self._timer_due:
            return  # replaced by an earlier one
        self._timer_due = float("inf")
        self._advance()
        # Jobs that a rounding error separates from their end have ended.
        reached = self._progress + 1e-9 * self.rate
        while self._jobs and self._jobs[0][0] <= reached:
            heapq.heappop(self._jobs)[2].succeed(True)
        if self._jobs:
            self._arm()
        else:
            self._progress = 0.0
