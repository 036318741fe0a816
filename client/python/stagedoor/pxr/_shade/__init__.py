"""Materials and shaders, as UsdShade of OpenUSD has them."""
