"""Results of queries about layers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from stagedoor import _html
from stagedoor._results.brief import brief
from stagedoor.types import TimeCode


@dataclass(frozen=True)
class Dependency:
    """An asset that a layer names. `resolved_path` is empty if it is missing."""

    kind: str  # "layer", "clip" or "asset"
    authored_path: str
    resolved_path: str
    layer: str


@dataclass(frozen=True)
class CompositionError:
    type: str  # the name of the PcpErrorType without its prefix
    prim_path: str
    message: str


@dataclass(frozen=True)
class Asset:
    """Bytes of an asset, such as a texture, and which asset it is. Corresponds to Ar.Asset."""

    identifier: str
    resolved_path: str
    version: str  # another one after each change
    size: int  # of the whole asset
    data: bytes = field(repr=False)


@dataclass(frozen=True)
class Diagnostic:
    """Something wrong with a layer."""

    severity: str  # "warning" or "error"
    message: str
    file: str
    line: int  # from 1; 0 if unknown
    column: int
    path: str


@dataclass(frozen=True)
class Spec:
    """A spec of a layer, as it is authored. Corresponds to Sdf.Spec."""

    path: str
    type: str  # "prim", "attribute", "relationship", "variant_set" or "variant"
    fields: dict[str, Any]


@dataclass(frozen=True, repr=False)
class Layer:
    """A layer without composition. Corresponds to Sdf.Layer."""

    identifier: str
    format: str
    metadata: dict[str, Any]
    specs: dict[str, Spec]

    def __getitem__(self, path: str) -> Spec:
        return self.specs[path]

    def __iter__(self) -> Iterator[Spec]:
        return iter(self.specs.values())

    def __len__(self) -> int:
        return len(self.specs)

    def __repr__(self) -> str:
        return f"<Layer {self.identifier!r} ({self.format}): {len(self.specs)} specs>"

    def _repr_html_(self) -> str:
        return _html.layer(self)


@dataclass(frozen=True)
class Difference:
    """Something about a prim or property that two stages say differently.

    path: of the prim or property; "/" for the metadata of the stage.
    aspect: "prim" for a prim that one stage lacks, whose types are `left` or `right`; "at 12" for a
      value; else "type", "kind", "targets", "declaration", or the name of a metadata field.
    time: of a value.
    left, right: what the stages say; None for nothing, State.BLOCKED for a blocked value.
    left_layers, right_layers: the layer that makes it so. For a value that is the layer of the
      opinion that supplies it, and none if it is the schema's; for anything else, all layers that
      have a spec of the prim or property, strongest first.
    """

    path: str
    aspect: str
    time: TimeCode | None = None
    left: Any = None
    right: Any = None
    left_layers: tuple[str, ...] = ()
    right_layers: tuple[str, ...] = ()

    def __repr__(self) -> str:
        lines = [
            f"{sign} {self.path} {self.aspect}: {brief(value)}"
            + (f"  # {' or '.join(layers)}" if layers else "")
            for sign, value, layers in (
                ("-", self.left, self.left_layers),
                ("+", self.right, self.right_layers),
            )
            if value is not None
        ]
        return "\n".join(lines)
