"""Values that are made when they are asked for first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Lazy(Generic[T]):
    """A value, or the function that makes it, which is dropped once it has.

    Threads that ask at once may each call the function; all get equal values. If it raises an
    error, it is called again the next time.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make: Callable[[], T] | None = make
        self._made: T | None = None

    @classmethod
    def of(cls, value: T) -> Lazy[T]:
        """One that is made already."""
        made = cls(lambda: value)
        made.set(value)
        return made

    def set(self, value: T) -> None:
        """Replaces the value by an equal one."""
        self._made = value
        self._make = None

    def get(self) -> T:
        make = self._make
        if make is not None:
            self.set(make())
        return self._made  # type: ignore[return-value]
