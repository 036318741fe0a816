"""Decides whether and when a call is repeated, as the C++ client does."""

from __future__ import annotations

import random
from collections.abc import Callable

from stagedoor._options import Options
from stagedoor.errors import Error


class RetryPolicy:
    """The attempts of one call. Not thread-safe.

    While no daemon can be reached, a call is repeated until its deadline; while no daemon has ever
    answered, for connect_timeout only, because the address may be wrong. A call that a daemon
    rejects with UNAVAILABLE or a RetryInfo has at most max_attempts attempts.
    """

    def __init__(self, options: Options, timeout: float, now: float) -> None:
        self.timeout = timeout
        self.deadline = now + timeout
        self._connect_deadline = now + min(options.connect_timeout, timeout)
        self._rejections_left = options.max_attempts - 1
        self._backoff = options.initial_backoff
        self._max_backoff = options.max_backoff
        self._untried = len(options.addresses) - 1

    @property
    def others_left(self) -> bool:
        """Whether there are addresses that the call has not tried."""
        return self._untried > 0

    def pause(
        self,
        error: Error,
        *,
        from_daemon: bool,
        daemon_known: bool,
        now: float,
        jitter: Callable[[], float] = random.random,
    ) -> float | None:
        """The seconds to wait before the next attempt; None if the call has failed for good."""
        wait = self._backoff * (0.5 + 0.5 * jitter())
        if from_daemon or error.code != "UNAVAILABLE":
            if error.code != "UNAVAILABLE" and error.retry_delay is None:
                return None
            if self._rejections_left <= 0:
                return None
            self._rejections_left -= 1
            wait += error.retry_delay or 0.0
        elif self._untried > 0:
            self._untried -= 1
            return 0.0  # the next address may answer
        missing = not from_daemon and not daemon_known
        if now + wait >= (self._connect_deadline if missing else self.deadline):
            return None
        self._backoff = min(self._backoff * 2, self._max_backoff)
        return wait
