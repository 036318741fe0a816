"""Reads a farm from a TOML file: the fields of farm.parameters.Farm, and its parts as tables."""

from __future__ import annotations

import dataclasses
import tomllib
from typing import Any

from farm.parameters import Farm

# Parameters that something is divided by, or without which nothing would happen.
POSITIVE = {
    *("nodes", "render_s", "node_bytes_s", "frames_per_process", "passes", "batch"),
    *("array_call_bytes", "cores", "memory_bytes", "network_bytes_s", "compose_threads"),
    *("bytes_s", "parallel_files", "max_attempts", "compose_speedup"),
}
KINDS = {int: "an integer that is not negative", bool: "true or false"}


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
            raise ValueError(f"{path}: unknown parameter '{full}'; known are {known}")
        held = getattr(part, name)
        if dataclasses.is_dataclass(held):
            if not isinstance(value, dict):
                raise ValueError(f"{path}: '{full}' must be a table, not {value!r}")
            changes[name] = _with(held, value, path, full + ".")
            continue
        if not _fits(held, value):
            kind = KINDS.get(type(held), "a number that is not negative")
            raise ValueError(f"{path}: '{full}' must be {kind}, not {value!r}")
        if value == 0 and name in POSITIVE:
            raise ValueError(f"{path}: '{full}' must be positive")
        changes[name] = value
    return dataclasses.replace(part, **changes)


def _fits(held: Any, value: Any) -> bool:
    """Whether a value may replace the one that is held; a bool is not an integer here."""
    types = (int, float) if isinstance(held, float) else (type(held),)
    return type(value) in types and value >= 0
