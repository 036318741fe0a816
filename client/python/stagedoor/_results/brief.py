"""How results with large members are shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from stagedoor import _html


class Brief:
    """Shows the sizes of arrays and long tuples instead of their items, and only what there is."""

    def __repr__(self) -> str:
        shown = [
            f"{name}={brief(value)}"
            for name, value in vars(self).items()
            if value is not None and not (isinstance(value, (str, tuple)) and not value)
        ]
        return f"{type(self).__name__}({', '.join(shown)})"


def brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return _html.short(value)
    return f"tuple of {len(value)}" if isinstance(value, tuple) and len(value) > 16 else repr(value)
