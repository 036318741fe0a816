"""UsdUI: the schema classes, with a method for each of their properties."""

from stagedoor.pxr._usd.schemas import make_classes as _make_classes

globals().update(_make_classes("UsdUI", {}))
