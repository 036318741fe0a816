"""A render node: reads a frame, renders it, and takes the next one."""

from __future__ import annotations

import random
from collections.abc import Generator, Hashable
from dataclasses import dataclass, field
from typing import Protocol

import simpy

from farm.calls import StageKey
from farm.parameters import Farm
from farm.recorder import Recorder
from farm.shared_rate import Event

SPREAD = 0.5  # sigma of the logarithm of render times: one frame in 60 takes three times the median


@dataclass
class Production:
    """What the nodes work on: the version of the assets, and the next frame of each shot."""

    passes: int
    version: int = 0
    _taken: dict[int, int] = field(default_factory=dict)
    # By machine: the frame of which it has begun passes, and how many are left.
    _begun: dict[Hashable, tuple[int, int]] = field(default_factory=dict)

    def stage(self, shot: int) -> StageKey:
        return (shot, self.version)

    def next_frame(self, shot: int, machine: Hashable = None) -> int:
        """The passes of a frame are taken by processes of one machine, if it is known."""
        if machine is None:
            taken = self._taken.get(shot, 0)
            self._taken[shot] = taken + 1
            return taken // self.passes
        frame, left = self._begun.get(machine, (0, 0))
        if left == 0:
            frame, left = self._taken.get(shot, 0), self.passes
            self._taken[shot] = frame + 1
        self._begun[machine] = (frame, left - 1)
        return frame


class Reader(Protocol):
    """How a render process gets its scene."""

    def read(
        self, stage: StageKey, frame: int, new_process: bool, has_arrays: bool
    ) -> Generator[Event, object, bool]:
        """Reads a frame; whether that succeeded. has_arrays: of this version of the stage."""


class Node:
    def __init__(
        self, env: simpy.Environment, farm: Farm, shot: int, reader: Reader,
        production: Production, recorder: Recorder, seed: str,
        machine: Hashable = None,
    ) -> None:  # fmt: skip
        self._env = env
        self._farm = farm
        self.shot = shot
        self.reader = reader
        self._production = production
        self._recorder = recorder
        self._random = random.Random(seed)  # a string: the same numbers in every process
        self._machine = machine
        self._held: StageKey | None = None  # version of the static arrays that the process has
        self.has_frame = False

    def run(self, start: float, rendered: int) -> Generator[Event, object, None]:
        """Renders frames for ever; `rendered`: by its process before the start."""
        yield self._env.timeout(start)
        if rendered:
            self._held = self._production.stage(self.shot)
        while True:
            if rendered % self._farm.shot.frames_per_process == 0:
                self._held = None  # a new process
            yield from self._read_frame(self._production.next_frame(self.shot, self._machine))
            rendered += 1
            factor = self._random.lognormvariate(-SPREAD * SPREAD / 2, SPREAD)  # 1 on average
            yield self._env.timeout(self._farm.render_s * factor)

    def _read_frame(self, frame: int) -> Generator[Event, object, None]:
        begun = self._env.now
        while True:
            stage = self._production.stage(self.shot)
            read = self.reader.read(stage, frame, self._held is None, self._held == stage)
            if (yield from read):
                break
            self._recorder.count("frames started again")
            yield self._env.timeout(self._farm.client.restart_s)
        self._held = stage
        self._recorder.latency("frame", self._env.now - begun)
        self._recorder.count("frames")
        self.has_frame = True
