"""Paths, layers, types and values, as Sdf of OpenUSD has them."""
