"""Results of queries about whole stages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stagedoor._results.brief import Brief
from stagedoor.errors import Error


@dataclass(frozen=True)
class PrimCounts:
    """Numbers of prims.

    pure_over: prims that no layer defines. payload: prims that have one; unloaded_payload: those
    of them whose payload is not loaded. types: the number of prims by type name, which is empty
    for those without a type.
    """

    total: int
    active: int
    inactive: int
    pure_over: int
    instance: int
    payload: int
    unloaded_payload: int
    types: Mapping[str, int]

    def _usd_dict(self) -> dict[str, Any]:
        counts = {
            "totalPrimCount": self.total,
            "activePrimCount": self.active,
            "inactivePrimCount": self.inactive,
            "pureOverCount": self.pure_over,
            "instanceCount": self.instance,
        }
        types = {name or "untyped": count for name, count in self.types.items()}
        return {"primCounts": counts, "primCountsByType": types}


@dataclass(frozen=True)
class StageStatistics:
    """Counts of the contents of a stage, or of some of its subtrees.

    used_layer_count: the layers of the stage without its session layer and value clips.
    model_count: components of the model hierarchy; instanced_model_count: those that are
      instances; asset_count: the different names in their assetInfo.
    primary: all prims but the descendants of instances.
    prototypes: the prims of the prototypes, only those that are active, loaded, defined and not
      abstract.
    """

    used_layer_count: int
    model_count: int
    instanced_model_count: int
    asset_count: int
    prototype_count: int
    primary: PrimCounts
    prototypes: PrimCounts

    @property
    def total_prim_count(self) -> int:
        """The prims of the stage and of its prototypes."""
        return self.primary.total + self.prototypes.total

    @property
    def total_instance_count(self) -> int:
        """The instances of the stage and of its prototypes."""
        return self.primary.instance + self.prototypes.instance

    def usd_dict(self) -> dict[str, Any]:
        """The numbers in the form of UsdUtils.ComputeUsdStageStats."""
        found: dict[str, Any] = {
            "usedLayerCount": self.used_layer_count,
            "totalPrimCount": self.total_prim_count,
            "totalInstanceCount": self.total_instance_count,
            "modelCount": self.model_count,
            "instancedModelCount": self.instanced_model_count,
            "assetCount": self.asset_count,
            "prototypeCount": self.prototype_count,
            "primary": self.primary._usd_dict(),
        }
        if self.prototype_count:
            found["prototypes"] = self.prototypes._usd_dict()
        return found


@dataclass(frozen=True, repr=False)
class Collection(Brief):
    """A collection with the paths of its members, sorted."""

    path: str
    mode: str  # "rules" or "expression"
    members: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.path.rpartition(".collection:")[2]


@dataclass(frozen=True)
class VariantSet:
    name: str
    selection: str  # empty if none is selected
    choices: tuple[str, ...]


@dataclass(frozen=True)
class Progress:
    """How far a long call is. `total` is 0 if it is not known."""

    phase: str
    done: int
    total: int


@dataclass(frozen=True)
class WarmResult:
    """Counts of what was prepared, and of what did not fit into the caches of the daemon."""

    prims: int
    attributes: int
    skipped_attributes: int
    clips: int
    skipped_clips: int
    errors: tuple[Error, ...]


@dataclass(frozen=True)
class StageSummary:
    """A stage that a daemon holds, as operators see it."""

    id: str
    root_layer: str
    snapshot: str
    lease_count: int
    client_names: tuple[str, ...]
