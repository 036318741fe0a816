"""Reads a farm from a TOML file: the fields of farm.parameters.Farm, and its parts as tables."""

from __future__ import annotations

import dataclasses
import tomllib
from typing import Any

from farm.parameters import Farm


def read_farm(path: str) -> Farm:
    """ValueError, with the file and the name, for unknown parameters and values of other types."""
    with open(path, "rb") as file:
        try:
            settings = tomllib.load(file)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path}: {error}") from error
    farm: Farm = _with(Farm(), settings, path, "")
    return farm


def _with(part: Any, settings: dict[str, Any], path: str, prefix: str) -> Any:
    changes: dict[str, Any] = {}
    for name, value in settings.items():
        full = prefix + name
        if name not in {field.name for field in dataclasses.fields(part)}:
            known = ", ".join(field.name for field in dataclasses.fields(part))
            raise ValueError(f"{path}: unknown parameter '{full}'; there are {known}")
        held = getattr(part, name)
        if dataclasses.is_dataclass(held) and isinstance(value, dict):
            changes[name] = _with(held, value, path, full + ".")
            continue
        wanted = (int, float) if isinstance(held, float) else (type(held),)
        if type(value) not in wanted or value < 0:
            kind = "number" if isinstance(held, float) else type(held).__name__
            raise ValueError(f"{path}: '{full}' must be a {kind} of at least 0, not {value!r}")
        changes[name] = value
    return dataclasses.replace(part, **changes)
