"""Results of queries about physics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stagedoor._results.tables import path_text
from stagedoor.types import Array


@dataclass(frozen=True)
class CollisionGroup:
    """A group of colliders. Corresponds to UsdPhysics.CollisionGroup."""

    path: str
    merge_group: str | None  # groups of the same value count as one; None if it is not authored
    inverted: bool  # whether physics:filteredGroups are those that it collides with


@dataclass(frozen=True)
class ColliderGroups:
    """The groups that a prim is in, and the prims that it does not collide with."""

    groups: tuple[str, ...]  # the paths of the groups
    filtered_pairs: tuple[str, ...]  # the targets of physics:filteredPairs


@dataclass(frozen=True, eq=False)
class CollisionGroupTable:
    """The collision groups of a stage. Corresponds to UsdPhysics.CollisionGroupTable."""

    groups: tuple[CollisionGroup, ...]
    enabled: Array  # for each two groups, whether they collide; a symmetric array of bool
    snapshot: str  # the fingerprint of the stage's contents

    def collide(self, a: Any, b: Any) -> bool:
        """Whether colliders of two groups collide; KeyError for a path without a group."""
        return bool(self.enabled[self._index(a), self._index(b)])

    def _index(self, path: Any) -> int:
        text = path_text(path)
        for i, group in enumerate(self.groups):
            if group.path == text:
                return i
        raise KeyError(text)


@dataclass(frozen=True, eq=False)
class ColliderMass:
    """The contribution of a collider to the mass of a rigid body."""

    path: str
    volume: float  # 0 for a plane, and for prims that are not shapes
    density: float  # not used if the collider has a mass of its own
    mass: float
    material: str  # the physics material that it is bound to; empty if there is none
    center_of_mass: Array  # in the space of the body, without its scale


@dataclass(frozen=True, eq=False)
class RigidBodyMass:
    """The mass of a rigid body, as UsdPhysics.RigidBodyAPI.ComputeMassProperties has it."""

    mass: float  # -1 if the body has neither a mass nor colliders
    center_of_mass: Array  # in the space of the body, without its scale
    diagonal_inertia: Array  # the moments about the principal axes
    principal_axes: Array  # the rotation to them: real, i, j, k
    colliders: tuple[ColliderMass, ...]  # if they were asked for
