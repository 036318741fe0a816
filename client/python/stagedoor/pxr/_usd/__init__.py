"""Stages, prims and properties, as Usd of OpenUSD has them."""
