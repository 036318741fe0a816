"""Plans that find lights, and what they are linked to."""

from __future__ import annotations

from collections.abc import Sequence

from stagedoor._calls import Plan
from stagedoor._decode import checked, enum_text, numbered
from stagedoor._geom import Paths, Query
from stagedoor._proto import v1
from stagedoor._session import Session
from stagedoor._values import Path, path_list, path_text
from stagedoor.errors import InvalidArgumentError
from stagedoor.results import Light, LightLinkExplanation, LightLinkRule, PathTable

_LINKS: dict[str, int] = {
    "light": v1.LightLink.LIGHT_LINK_LIGHT,
    "shadow": v1.LightLink.LIGHT_LINK_SHADOW,
    "filter": v1.LightLink.LIGHT_LINK_FILTER,
}


def lights(
    session: Session, root: str, consult_cache: bool, render_contexts: Sequence[str]
) -> Plan[list[Light]]:
    mode = (
        v1.LightListMode.LIGHT_LIST_MODE_CONSULT_MODEL_HIERARCHY_CACHE
        if consult_cache
        else v1.LightListMode.LIGHT_LIST_MODE_IGNORE_CACHE
    )
    request = v1.ListLightsRequest(root=root, mode=mode, render_contexts=render_contexts)
    reply = yield from session.ask("ListLights", request)
    return [
        Light(
            path=light.path,
            type_name=light.type_name,
            shader_id=light.shader_id,
            is_filter=light.is_filter,
            filters=list(light.filters),
            portals=list(light.portals),
        )
        for light in reply.lights
    ]


def _kind(link: str) -> int:
    if link not in _LINKS:
        raise InvalidArgumentError(f"link must be light, shadow or filter, not {link!r}")
    return _LINKS[link]


def light_sets(
    session: Session, paths: Paths, link: str, of: Paths | None
) -> Plan[PathTable[tuple[str, ...]]]:
    kind = _kind(link)
    named = [] if of is None else path_list(of)

    def some(part: Query, pin: str) -> Plan[PathTable[tuple[str, ...]]]:
        request = v1.ComputeLightSetsRequest(link=kind, lights=named)
        reply = yield from session.ask_about("ComputeLightSets", part.paths, request, pin)
        found = list(reply.lights)
        sets = [()] + [
            tuple(found[checked(light, len(found))] for light in row.lights) for row in reply.sets
        ]
        rows = numbered(reply.set, sets, len(part.paths))
        return part.table(rows, part.errors(reply.path_errors), reply.snapshot)

    return (yield from Query(paths, None).in_parts(some))


def explain_light_link(
    session: Session, light: Path, prim: Path, link: str
) -> Plan[LightLinkExplanation]:
    request = v1.ExplainLightLinkRequest(
        light=path_text(light), path=path_text(prim), link=_kind(link)
    )
    reply = yield from session.ask("ExplainLightLink", request)
    return LightLinkExplanation(
        linked=reply.linked,
        reason=enum_text(v1.ExplainLightLinkResponse.Reason, "REASON_", reply.reason),
        rules=[
            LightLinkRule(
                path=rule.path,
                rule=enum_text(v1.LightLinkRule.Rule, "RULE_", rule.rule),
                outcome=enum_text(v1.LightLinkRule.Outcome, "OUTCOME_", rule.outcome),
            )
            for rule in reply.rules
        ],
        expression=reply.expression,
    )
