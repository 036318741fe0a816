"""The text of layers, and in which lines their specs are.

The daemon writes any layer as usda text, in one style: a level of nesting is four spaces, and each
statement begins a line. So the lines of specs are found without parsing values, which may be long.
"""

from __future__ import annotations

import asyncio
import codecs
import re
from collections import OrderedDict
from collections.abc import AsyncIterator
from typing import Any

from stagedoor import _edits, _tools
from stagedoor._calls import call
from stagedoor._proto import v1
from stagedoor.inspect._ask import MAX_TEXT, Ask, cut
from stagedoor.inspect._held import HeldStage

MAX_READ = 64 << 20  # bytes of a layer
MAX_LINES = 400_000
MAX_LINE = 400  # characters that are kept of a line
MAX_WINDOW = 400  # lines of an answer
_KEPT_LAYERS = 8

_PRIM = re.compile(r'(?:def|over|class)(?: [^"]+)? "([^"]*)"')
_VARIANT_SET = re.compile(r'variantSet "([^"]*)" = \{')
_VARIANT = re.compile(r'"([^"]*)" [({]')
_PROPERTY = re.compile(
    r"(?!reorder (?!rel ))(?:(?:custom|uniform|varying|prepend|append|delete|add|reorder) )*"
    r"(?:rel|[A-Za-z]\w*(?:\[\])?) ([^\s.=(]+)(?:\.(timeSamples|connect|spline))?(?= [=(]|$)"
)
# Tokens that may contain triple quotes without being a text of several lines.
_TOKENS = re.compile(
    r"'''|\"\"\"|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|@@@(?:\\@@@|.)*?@@@|@[^@]*@"
)
_QUOTES = ("'''", '"""')


class LayerText:
    """The lines of a layer, the first of which is 1, and those of its specs."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.places: dict[str, list[int]] = {}
        self.is_cut = False
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._quote = ""  # of a text that goes on in the next line
        self._metadata = -1  # the depth of the statement whose metadata these lines are
        # The statements that are open: depth, path, and whether it is a variant set.
        self._open: list[tuple[int, str, bool]] = []

    def feed(self, data: bytes) -> None:
        """Takes the next bytes, which may end anywhere."""
        parts = (self._rest + self._decoder.decode(data)).split("\n")
        self._rest = parts.pop()
        for part in parts:
            if len(self.lines) >= MAX_LINES:
                self.is_cut = True
                return
            self._line(part)

    def finish(self) -> None:
        if self._rest:
            self._line(self._rest)

    def _line(self, text: str) -> None:
        self.lines.append(cut(text, MAX_LINE))
        if self._quote:
            end = text.find(self._quote)
            if end < 0:
                return
            text, self._quote = text[end + 3 :], ""
            self._scan_quotes(text)
            return
        self._scan_quotes(text)
        bare = text.lstrip(" ")
        depth = (len(text) - len(bare)) // 4
        if self._metadata >= 0:
            if depth <= self._metadata and bare.startswith(")"):
                self._metadata = -1
            return
        if bare.startswith("}"):
            while self._open and self._open[-1][0] >= depth:
                self._open.pop()
        elif bare:
            self._statement(bare, depth)

    def _scan_quotes(self, text: str) -> None:
        """Notices the beginning of a text that goes on in the next line."""
        if "'''" not in text and '"""' not in text:
            return
        at = 0
        while found := _TOKENS.search(text, at):
            at = found.end()
            if found[0] in _QUOTES:
                end = text.find(found[0], at)
                if end < 0:
                    self._quote = found[0]
                    return
                at = end + 3

    def _statement(self, text: str, depth: int) -> None:
        above = self._open[-1] if self._open else (-1, "", False)
        if depth == above[0] + 1:
            self._declaration(text, depth, above)
        if text.endswith("("):
            self._metadata = depth

    def _declaration(self, text: str, depth: int, above: tuple[int, str, bool]) -> None:
        _, path, is_set = above
        if is_set:
            if variant := _VARIANT.match(text):
                self._begin(depth, f"{path}={variant[1]}}}", False)
        elif prim := _PRIM.match(text):
            self._begin(depth, f"{path}{'' if path.endswith('}') else '/'}{prim[1]}", False)
        elif variants := _VARIANT_SET.match(text):
            self._begin(depth, f"{path}{{{variants[1]}", True)
        elif path and (found := _PROPERTY.match(text)):
            self._note(f"{path}.{found[1]}")

    def _begin(self, depth: int, path: str, is_set: bool) -> None:
        self._open.append((depth, path, is_set))
        if not is_set:
            self._note(path)

    def _note(self, path: str) -> None:
        self.places.setdefault(path, []).append(len(self.lines))


async def text_of(held: HeldStage, identifier: str) -> LayerText:
    """The text of a layer of a stage, as it is at the newest snapshot."""
    known: OrderedDict[str, LayerText] = held.cache.setdefault("texts", OrderedDict())
    key = f"{held.session.snapshot} {identifier}"
    if key not in known:
        known[key] = await _read(held, identifier)
        while len(known) > _KEPT_LAYERS:
            known.popitem(last=False)
    known.move_to_end(key)
    return known[key]


async def _read(held: HeldStage, identifier: str) -> LayerText:
    text = LayerText()
    size = 0
    async for data in _bytes_of(held, identifier):
        await asyncio.to_thread(text.feed, data)
        size += len(data)
        if size > MAX_READ or text.is_cut:
            text.is_cut = True
            return text
    text.finish()
    return text


async def _bytes_of(held: HeldStage, identifier: str) -> AsyncIterator[bytes]:
    if identifier == held.session.info.session_layer or identifier.startswith("anon:"):
        async for data in held.stage._client.iterate(_edits.export(held.session)):
            yield data
        return
    request = v1.ConvertLayerRequest(identifier=identifier, format=_tools.file_format("", "usda"))
    made = call("ConvertLayer", request, held.session.routing_key)
    async for message in held.stage._client.stream(made):
        yield message.data


async def lines(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """Lines of a layer: around a spec, or from a line on.

    marks: the lines of the spec; none if it is not in the part of the layer that was read.
    """
    text = await text_of(held, ask.text("layer"))
    count = ask.whole("count", 60, 1, MAX_WINDOW)
    marks = text.places.get(ask.text("path", "", limit=MAX_TEXT), [])
    around = max(1, marks[0] - count // 4) if marks else 1
    first = ask.whole("first", around, 1, 1 << 31)
    return {
        "first": first,
        "lines": text.lines[first - 1 : first - 1 + count],
        "total": len(text.lines),
        "marks": marks[:100],
        "cut": text.is_cut,
    }
