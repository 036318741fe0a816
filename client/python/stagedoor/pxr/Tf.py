"""Tf: errors, names and types, as far as scripts that read need them."""

from __future__ import annotations

import re as _re
from typing import Any as _Any

from stagedoor.pxr._errors import ErrorException, ReadOnlyError
from stagedoor.pxr._tf_type import Type

_IDENTIFIER = _re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def IsValidIdentifier(name: str) -> bool:
    return bool(_IDENTIFIER.match(name))


def MakeValidIdentifier(name: str) -> str:
    """The name with "_" instead of what an identifier must not have."""
    if not name:
        return "_"
    made = _re.sub(r"[^A-Za-z0-9_]", "_", name)
    return made if not made[0].isdigit() else f"_{made[1:]}"


def Status(message: str, *_: _Any) -> None:
    print(f"Status: {message}")


def Warn(message: str, *_: _Any) -> None:
    import sys

    print(f"Warning: {message}", file=sys.stderr)


def RaiseCodingError(message: str) -> None:
    raise ErrorException(message)


def RaiseRuntimeError(message: str) -> None:
    raise ErrorException(message)


def GetEnvSetting(name: str) -> None:
    """None: the shim has none of the settings of OpenUSD."""


class Notice:
    """Notices are not sent: `stagedoor.Stage.watch` tells what changes."""

    @staticmethod
    def RegisterGlobally(*_: _Any) -> None:
        raise ReadOnlyError(
            "Tf.Notice.RegisterGlobally", "watch the stage with stagedoor.Stage.watch"
        )

    @staticmethod
    def Register(*_: _Any) -> None:
        raise ReadOnlyError("Tf.Notice.Register", "watch the stage with stagedoor.Stage.watch")
