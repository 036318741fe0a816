"""Why a value is what it is: the opinions in order of strength, which one wins, and what the
others say."""

from __future__ import annotations

from typing import Any

from stagedoor import _prims
from stagedoor._values import explain
from stagedoor.errors import Error
from stagedoor.inspect._ask import MAX_LIST, Ask, Refused, cut
from stagedoor.inspect._held import HeldStage
from stagedoor.inspect._shown import finite, shown, time_text
from stagedoor.inspect._sites import shown_site
from stagedoor.results import Explanation, Opinion

_MAX_OPINIONS = 500


def property_path(ask: Ask, name: str = "path") -> tuple[str, str]:
    """The prim and the name of the property that a parameter names."""
    try:
        return _prims.split_property_path(ask.text(name))
    except ValueError as error:
        raise Refused(str(error)) from None


async def why(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The explanation of an attribute's value at a time, or the stack of a relationship."""
    prim, name = property_path(ask)
    path, time = f"{prim}.{name}", ask.time()
    try:
        found = (await held.run(explain(held.session, path, [time])))[0]
    except Error as error:
        if error.reason != "WRONG_KIND":
            raise
        stack = await held.run(_prims.property_stack(held.session, prim, name, time))
        return {
            "path": path,
            "relationship": True,
            "snapshot": held.session.snapshot,
            "opinions": [{"site": shown_site(site), "outcome": "counts"} for site in stack],
        }
    type_name = await held.stage.attribute(path).type_name
    return {"snapshot": held.session.snapshot, "type": type_name, **_shown(found, type_name)}


def _shown(found: Explanation, type_name: str) -> dict[str, Any]:
    return {
        "path": found.path,
        "time": time_text(found.time),
        "value": shown(found.value, type_name),
        "blocked": found.blocked,
        "source": found.source,
        "layerTime": _number(found.layer_time),
        "lower": _number(found.lower_sample),
        "upper": _number(found.upper_sample),
        "interpolated": found.interpolated,
        "notes": [cut(note) for note in found.notes[:MAX_LIST]],
        "warnings": [cut(warning.message) for warning in found.warnings[:MAX_LIST]],
        "opinions": [
            _shown_opinion(opinion, outcome, type_name)
            for opinion, outcome in outcomes(found)[:_MAX_OPINIONS]
        ],
    }


def outcomes(found: Explanation) -> list[tuple[Opinion, str]]:
    """The outcome of each opinion: "wins", "blocks", "nothing" or "weaker".

    A stronger opinion without a value does not hide weaker ones.
    """
    made: list[tuple[Opinion, str]] = []
    decided = False
    for opinion in found.opinions:
        if opinion.source == "none" and not opinion.blocked:
            made.append((opinion, "nothing"))
        elif decided:
            made.append((opinion, "weaker"))
        elif found.site is None or opinion.site == found.site:
            made.append((opinion, "blocks" if opinion.blocked else "wins"))
            decided = True
        else:
            made.append((opinion, "weaker"))
    return made


def _shown_opinion(opinion: Opinion, outcome: str, type_name: str) -> dict[str, Any]:
    value = {"text": "blocked"} if opinion.blocked else shown(opinion.value, type_name)
    if opinion.element_count:
        value |= {"count": opinion.element_count, "cut": True}
    return {
        "site": shown_site(opinion.site),
        "outcome": outcome,
        "source": opinion.source,
        "value": value,
    }


def _number(number: float | None) -> float | None:
    return None if number is None else finite(number)
