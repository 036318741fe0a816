"""The language of searches in a stage: words, and conditions such as `type:Mesh` or `value:>0`.

    chair                     prims whose names contain it, whatever the case
    *_proxy                   a pattern for the whole name
    /World/Char               prims whose paths contain it
    type:Mesh  kind:component api:MaterialBindingAPI
    prop:inputs:*             properties whose names match the pattern
    value:>0  value:~*.exr    attributes whose values match, at the time that is shown

All words and all conditions of values must hold; of several types, kinds, schemas or properties,
any will do. The conditions are those of the command `stagedoor find`.
"""

from __future__ import annotations

import fnmatch
import math
import operator
import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stagedoor.inspect._ask import Refused
from stagedoor.inspect._shown import shown

MAX_WORDS = 20
_CONDITIONS = {
    "type": "types",
    "kind": "kinds",
    "api": "schemas",
    "prop": "properties",
    "property": "properties",
    "value": "values",
}
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


@dataclass(frozen=True)
class ValueTest:
    """A condition on the value of an attribute: "=1", "!=off", ">0", "~*.exr"."""

    order: str
    operand: str

    @property
    def number(self) -> float | None:
        try:
            return float(self.operand)
        except ValueError:
            return None

    def holds(self, value: Any, type_name: str) -> bool:
        """False for arrays, and if there is no value."""
        if value is None or type_name.endswith("[]"):
            return False
        numeric = isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
        if self.order in _ORDERS:
            wanted = self.number
            return numeric and wanted is not None and _ORDERS[self.order](float(value), wanted)
        if numeric and self.number is not None and self.order != "~":
            return (float(value) == self.number) == (self.order == "=")
        text = value if isinstance(value, str) else shown(value, type_name)["text"]
        if self.order == "~":
            return fnmatch.fnmatchcase(text, self.operand)
        return (_dense(text) == _dense(self.operand)) == (self.order == "=")


def _dense(text: str) -> str:
    """A text without the spaces of JSON, which people may leave out."""
    return text.replace(", ", ",")


def value_test(text: str) -> ValueTest:
    for order in ("<=", ">=", "!=", "==", "<", ">", "=", "~"):
        if text.startswith(order):
            test = ValueTest("=" if order == "==" else order, text[len(order) :].strip())
            break
    else:
        test = ValueTest("=", text)
    if test.order in _ORDERS and (test.number is None or math.isnan(test.number)):
        raise Refused(f"'value:{text}' does not compare with a number", "write, say, value:>0.5")
    return test


@dataclass
class Query:
    """The words and conditions of a search."""

    words: list[str] = field(default_factory=list)  # in lower case, unless they are paths
    types: list[str] = field(default_factory=list)
    kinds: list[str] = field(default_factory=list)
    schemas: list[str] = field(default_factory=list)
    properties: list[str] = field(default_factory=list)
    values: list[ValueTest] = field(default_factory=list)

    @property
    def is_about_names(self) -> bool:
        """Whether names and paths decide, so that no prim need be read."""
        return not (self.types or self.kinds or self.schemas or self.is_about_properties)

    @property
    def is_about_properties(self) -> bool:
        return bool(self.properties or self.values)

    def matches_name(self, path: str) -> bool:
        name = path[path.rfind("/") + 1 :].lower()
        return all(_matches_word(word, path, name) for word in self.words)

    def matches_prim(self, kind: str, schemas: list[str]) -> bool:
        if self.kinds and not any(fnmatch.fnmatchcase(kind, glob) for glob in self.kinds):
            return False
        # "CollectionAPI" also stands for its instances, such as "CollectionAPI:lights".
        return not self.schemas or any(
            applied == wanted or applied.startswith(wanted + ":")
            for applied in schemas
            for wanted in self.schemas
        )

    def matches_property(self, name: str) -> bool:
        return not self.properties or any(
            fnmatch.fnmatchcase(name, glob) for glob in self.properties
        )


def _matches_word(word: str, path: str, name: str) -> bool:
    if "/" in word:
        return word in path
    return fnmatch.fnmatchcase(name, word) if is_pattern(word) else word in name


def is_pattern(word: str) -> bool:
    return any(mark in word for mark in "*?[")


def literal_part(word: str) -> str:
    """The longest part of a word that a name must contain as it is."""
    return max(re.split(r"[*?]|\[[^]]*\]|\[", word), key=len)


def parse(text: str) -> Query:
    """The query of what was written. Quotes keep words with spaces together."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quote that is not closed yet
        words = text.replace('"', " ").replace("'", " ").split()
    if len(words) > MAX_WORDS:
        raise Refused(f"the search has {len(words)} words; use up to {MAX_WORDS}")
    query = Query()
    for word in words:
        name, colon, operand = word.partition(":")
        kind = _CONDITIONS.get(name) if colon else None
        if kind is None:
            query.words.append(word if "/" in word else word.lower())
        elif kind == "values" and operand:
            query.values.append(value_test(operand))
        elif operand:
            getattr(query, kind).append(operand)
    return query
