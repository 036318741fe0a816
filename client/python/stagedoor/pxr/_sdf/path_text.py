"""The text of paths, and the parts that it consists of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

_NAME = r"[^\W\d]\w*"
_PRIM = re.compile(_NAME)
_PROPERTY = re.compile(rf"{_NAME}(?::{_NAME})*")
_VARIANT = re.compile(rf"\{{\s*({_NAME})\s*=\s*([\w|-]*|\.?[\w|-]+)\s*\}}")
IDENTIFIER = re.compile(rf"{_NAME}\Z")
NAMESPACED = re.compile(rf"{_NAME}(?::{_NAME})*\Z")


PRIM_KINDS = ("prim", "parent", "variant")
KINDS = ("property", "target", "attribute", "mapper", "mapper_arg", "expression")


class Part(NamedTuple):
    """An element of a path.

    kind: "prim", "parent" (".."), "variant", "property", "target", "mapper", "mapper_arg",
      "expression", or "attribute" for one of a target.
    """

    kind: str
    text: str
    name: str
    more: str = ""  # the variant, or the path of the target


class Parsed(NamedTuple):
    absolute: bool
    parts: tuple[Part, ...]


class _Malformed(ValueError):
    """The text is not a path."""


def _parse_prims(text: str, at: int, absolute: bool) -> tuple[list[Part], int]:
    """Prims and variants from a position on, and where they end."""
    parts: list[Part] = []
    expects_name = absolute
    while at < len(text):
        if text.startswith("..", at) and not absolute:
            if parts and parts[-1].kind != "parent":
                raise _Malformed
            parts.append(Part("parent", "..", ".."))
            at += 2
        elif text[at] == "{":
            found = _VARIANT.match(text, at)
            if found is None or not parts:
                raise _Malformed
            name, chosen = found.groups()
            parts.append(Part("variant", f"{{{name}={chosen}}}", name, chosen))
            at = found.end()
            expects_name = False
            if at < len(text) and (text[at] == "{" or _PRIM.match(text, at)):
                continue
        else:
            found = _PRIM.match(text, at)
            if found is None:
                break
            parts.append(Part("prim", found.group(), found.group()))
            at = found.end()
        expects_name = False
        if at < len(text) and text[at] == "/":
            at += 1
            property_of_parent = parts[-1].kind == "parent" and text[at : at + 1] == "."
            if property_of_parent and text[at + 1 : at + 2] != ".":
                return parts, at
            expects_name = True
        elif at < len(text) and text[at] != "{":
            break
    if expects_name and parts:
        raise _Malformed
    return parts, at


def _parse_properties(text: str, at: int) -> list[Part]:
    """A property and what may follow it: targets, mappers, an expression."""
    parts: list[Part] = []
    while at < len(text):
        if text[at] == "[":
            end = _closing(text, at)
            target = _target(text[at + 1 : end])
            if not parts or parts[-1].kind not in ("property", "attribute"):
                raise _Malformed
            parts.append(Part("target", f"[{target}]", "", target))
            at = end + 1
            continue
        if text[at] != ".":
            raise _Malformed
        at += 1
        last = parts[-1].kind if parts else ""
        if last == "property" and text.startswith("mapper[", at):
            end = _closing(text, at + 6)
            target = _target(text[at + 7 : end])
            parts.append(Part("mapper", f".mapper[{target}]", "", target))
            at = end + 1
            continue
        found = _PROPERTY.match(text, at)
        if found is None:
            raise _Malformed
        name = found.group()
        if last == "property" and name == "expression":
            parts.append(Part("expression", ".expression", name))
        elif last in ("", "target", "mapper"):
            kind = {"": "property", "target": "attribute", "mapper": "mapper_arg"}[last]
            parts.append(Part(kind, f".{name}", name))
        else:
            raise _Malformed
        at = found.end()
    return parts


def _target(text: str) -> str:
    """The path in brackets as it is written in full."""
    found = parsed(text)
    if found is None:
        raise _Malformed
    return text_of(*found)


def _closing(text: str, at: int) -> int:
    """Where the bracket that opens at a position is closed."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] == "[") - (text[i] == "]")
        if depth == 0:
            return i
    raise _Malformed


@lru_cache(maxsize=65536)
def parsed(text: str) -> Parsed | None:
    """The parts of a path; None if the text is not one."""
    if text in ("/", "."):
        return Parsed(text == "/", ())
    absolute = text.startswith("/")
    try:
        parts, at = _parse_prims(text, 1 if absolute else 0, absolute)
        if at < len(text):
            after_name = text[at - 1 : at] == "/" and parts and parts[-1].kind != "parent"
            if after_name or (absolute and not parts):
                return None
            parts += _parse_properties(text, at)
    except _Malformed:
        return None
    return Parsed(absolute, tuple(parts)) if parts else None


def text_of(absolute: bool, parts: Iterable[Part]) -> str:
    text = "/" if absolute else ""
    last = ""
    for part in parts:
        if (last in ("prim", "parent") and part.kind in ("prim", "parent")) or (
            last == "parent" and part.kind != "variant"
        ):
            text += "/"
        text += part.text
        last = part.kind
    return text or ("/" if absolute else ".")
