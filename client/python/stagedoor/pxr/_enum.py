"""Values of enums, which print as the names that OpenUSD gives them."""

from __future__ import annotations

from typing import Any


class Enum:
    """A value of an enum of C++, such as Sdf.SpecifierDef. Corresponds to Tf.Enum."""

    def __init__(self, full_name: str, value: int = 0, display: str = "", text: str = "") -> None:
        self._full_name = full_name
        self.name = full_name.rpartition(".")[2]
        self.value = value
        self.displayName = display or self.name
        self._text = text or full_name

    def __repr__(self) -> str:
        return self._full_name

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Enum) and self._full_name == other._full_name

    def __lt__(self, other: Any) -> bool:
        return bool(self.value < other.value)

    def __hash__(self) -> int:
        return hash(self._full_name)

    def __int__(self) -> int:
        return self.value

    def __reduce__(self) -> Any:
        return Enum, (self._full_name, self.value, self.displayName, self._text)
