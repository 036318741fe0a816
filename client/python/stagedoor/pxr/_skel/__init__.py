"""Skeletons and skinning, as UsdSkel of OpenUSD has them."""
