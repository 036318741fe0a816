"""The description of a stage as a whole, and the list of open stages."""

from __future__ import annotations

import re
from typing import Any

from stagedoor import _tools
from stagedoor._calls import call
from stagedoor._proto import v1
from stagedoor.errors import Error
from stagedoor.inspect._ask import Ask, cut, error_of
from stagedoor.inspect._held import HeldStage, Stages
from stagedoor.inspect._shown import finite, shown_fields
from stagedoor.inspect._sites import shown_sites

MAX_LAYERS = 1000
_PAGE = 100


async def describe(held: HeldStage, ask: Ask) -> dict[str, Any]:
    """The stage: its times, units, layer stack and metadata."""
    detailed = await held.run(_tools.details(held.session, "METADATA"))
    info = await held.stage._info()
    stack = await held.stage.layer_stack
    return {
        "snapshot": held.session.snapshot,
        "root": held.stage.root_layer,
        "session": held.key.session,
        "load": held.key.load,
        "defaultPrim": info.default_prim and "/" + info.default_prim.lstrip("/"),
        "start": finite(info.start_time_code) if info.HasField("start_time_code") else None,
        "end": finite(info.end_time_code) if info.HasField("end_time_code") else None,
        "timeCodesPerSecond": finite(info.time_codes_per_second) or 24.0,
        "framesPerSecond": finite(info.frames_per_second) or 24.0,
        "metersPerUnit": finite(info.meters_per_unit),
        "upAxis": cut(info.up_axis, 100),
        "metadata": shown_fields(dict_of(detailed.metadata)),
        "layers": shown_sites(stack[:MAX_LAYERS]),
        "layerCount": len(stack),
        "muted": list(held.session.request.muted_layers)[:MAX_LAYERS],
        "undo": len(held.undo),
    }


def dict_of(entries: Any) -> dict[str, Any]:
    from stagedoor._decode import fields

    return fields(entries)


async def stages(known: Stages, ask: Ask) -> dict[str, Any]:
    """The stages that the daemon holds, a page at a time, and those that are open here."""
    here = [
        {"root": held.key.root, "session": held.key.session, "load": held.key.load}
        for held in known.open_stages()
        if not held.key.is_private
    ]
    answer: dict[str, Any] = {"here": here, "stages": [], "next": ""}
    request = v1.ListStagesRequest(page_size=_PAGE, page_token=ask.text("page", ""))
    try:
        reply = await known.client._invoke(call("ListStages", request))
    except Error as error:  # of a role that may not list what others have open
        answer["problem"] = error_of(error)
        return answer
    answer["next"] = reply.next_page_token
    answer["stages"] = [
        {
            "root": cut(stage.root_layer),
            "snapshot": stage.snapshot,
            "leases": stage.lease_count,
            "clients": [cut(name, 200) for name in stage.client_names[:20]],
        }
        for stage in reply.stages
    ]
    return answer


def file_name(identifier: str) -> str:
    """The last part of the identifier of a layer."""
    return re.split(r"[/\\]", identifier.rstrip("/]"))[-1]
