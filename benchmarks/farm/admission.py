"""What a replica accepts (docs/limits.md), and when a refused call should come back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The limits of one daemon, by default those of its flags; bytes follow its memory."""

    max_calls: int = 10_000  # --max-calls
    calls_bytes: float = 4 << 30  # --calls-bytes: a quarter of the memory
    small_call_bytes: float = 256 << 10  # a sixteenth of calls_bytes is left to such calls
    max_wait: float = 30.0  # --max-wait


class RetryAdvice:
    """From one to two times the recent wait for a thread, as server/rpc/retry_advice.h does it."""

    LEAST, MOST = 0.2, 10.0

    def __init__(self) -> None:
        self._average = 0.0
        self._advised = 0

    def waited(self, seconds: float) -> None:
        self._average += (seconds - self._average) / 16

    def next(self) -> float:
        base = min(max(self._average, self.LEAST), self.MOST)
        # Multiples of the golden ratio modulo 1, any few of which are evenly spread.
        spread = (self._advised * 0.6180339887498949) % 1.0
        self._advised += 1
        return base * (1 + spread)


class Admission:
    """Calls in flight and the bytes that they reserve."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.calls = 0
        self.bytes = 0.0
        self.advice = RetryAdvice()

    def admit(self, reserved: float, turn_wait: float) -> str:
        """Counts a call; else why it is refused: "calls", "bytes" or "waiting time".

        reserved: bytes of the reply that are held at a time.
        turn_wait: the expected wait for a thread.
        """
        limits = self.limits
        budget = limits.calls_bytes
        if reserved > limits.small_call_bytes:
            budget *= 15 / 16
        if self.calls >= limits.max_calls:
            return "calls"
        if self.bytes + reserved > budget:
            return "bytes"
        if turn_wait > limits.max_wait:
            return "waiting time"
        self.calls += 1
        self.bytes += reserved
        self.advice.waited(turn_wait)
        return ""

    def release(self, reserved: float) -> None:
        self.calls -= 1
        self.bytes -= reserved
