"""Geometry, as UsdGeom of OpenUSD has it."""
