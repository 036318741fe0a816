"""Errors, of the kinds that scripts for OpenUSD expect."""

from __future__ import annotations

from typing import Any


class ErrorException(RuntimeError):
    """Corresponds to Tf.ErrorException."""


class ReadOnlyError(ErrorException):
    """A script has called something that authors, which the shim does not do."""

    def __init__(self, call: str, hint: str = "") -> None:
        hint = hint or "edit a layer with OpenUSD, or a session with stagedoor.Stage.edit"
        super().__init__(f"cannot call {call}: stagedoor.pxr reads only; {hint}")


def authoring(name: str) -> Any:
    """A method of a name that raises a ReadOnlyError."""

    def method(self: Any, *_: Any, **__: Any) -> Any:
        kind = self.__name__ if isinstance(self, type) else type(self).__name__
        raise ReadOnlyError(f"{kind}.{name}")

    method.__name__ = name
    return method


def add_authoring(kind: type, *names: str) -> None:
    """Adds methods that raise a ReadOnlyError to a class."""
    for name in names:
        setattr(kind, name, authoring(name))
