"""Sites of opinions, as the page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stagedoor.inspect._ask import MAX_TEXT, cut
from stagedoor.inspect._shown import number_text
from stagedoor.types import LayerOffset, Site


def shown_site(site: Site) -> dict[str, Any]:
    found: dict[str, Any] = {
        "layer": cut(site.layer, MAX_TEXT),
        "path": cut(site.path, MAX_TEXT),
        "arc": site.arc,
    }
    if site.layer_offset != LayerOffset():
        offset = site.layer_offset
        found["offset"] = f"{number_text(offset.offset)} × {number_text(offset.scale)}"
    return found


def shown_sites(sites: Iterable[Site]) -> list[dict[str, Any]]:
    return [shown_site(site) for site in sites]
