"""Vectors, matrices, rotations and so on, as Gf of OpenUSD has them."""
