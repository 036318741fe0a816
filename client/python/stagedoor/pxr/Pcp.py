"""Pcp: the types of composition arcs."""

from stagedoor.pxr._usd.composition import ARC_TYPES as _ARC_TYPES

globals().update({arc.name: arc for arc in _ARC_TYPES.values()})
