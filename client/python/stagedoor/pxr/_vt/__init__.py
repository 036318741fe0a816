"""Arrays, as Vt of OpenUSD has them."""
