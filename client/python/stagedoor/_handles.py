"""Names and paths, which handles of both clients know without a call."""

from __future__ import annotations

from typing import Any, TypeVar

from stagedoor._prims import BASIC, Group, PrimData
from stagedoor._proto import Message

H = TypeVar("H", bound="Handle")
P = TypeVar("P", bound="PrimHandle")


class Unpicklable:
    """An object that belongs to the connection of this process."""

    def _again(self) -> str:
        """The Python that makes the same object in another process."""
        raise NotImplementedError

    def __reduce__(self) -> Any:
        kind = type(self)
        raise TypeError(
            f"a {kind.__name__} cannot be pickled, because its connection belongs to this process: "
            f"pass its path or address, and in the other process use {self._again()}"
        )


class Handle(Unpicklable):
    """An object that only names what it stands for, so that copies would not differ from it."""

    def __copy__(self: H) -> H:
        return self

    def __deepcopy__(self: H, _: Any) -> H:
        return self


class CameraHandle(Handle):
    """The path of a camera."""

    def __init__(self, stage: Any, path: str) -> None:
        self._stage = stage
        self._path = path

    @property
    def path(self) -> str:
        return self._path

    def _again(self) -> str:
        return f"{self._stage._again()}.camera({self._path!r})"

    def __repr__(self) -> str:
        return f"<Camera {self._path}>"


class PrimHandle(Handle):
    """The path of a prim, and what is known about it."""

    def __init__(
        self,
        stage: Any,
        path: str,
        message: Message | None = None,
        group: Group | None = None,
    ) -> None:
        self._stage = stage
        self._session = stage._session
        self._path = path
        self._group = group
        self._data: PrimData | None = None
        if message is not None and group is not None:
            self._data = PrimData(message, BASIC, group.generation)

    @property
    def path(self) -> str:
        return self._path

    @property
    def name(self) -> str:
        return self._path.rpartition("/")[2]

    @property
    def parent(self: P) -> P | None:
        """None for the pseudo-root."""
        if self._path == "/":
            return None
        return type(self)(self._stage, self._path.rpartition("/")[0] or "/")

    def child(self: P, name: str) -> P:
        """The child of a name, whether it exists or not."""
        return type(self)(self._stage, f"{self._path.rstrip('/')}/{name}")

    def _beside(self, path: str, group: Group) -> Any:
        """The handle of another prim of the stage, which is described together with its group."""
        return type(self)(self._stage, path, group=group)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, PrimHandle)
            and other._session is self._session
            and other._path == self._path
        )

    def __hash__(self) -> int:
        return hash(self._path)

    def __repr__(self) -> str:
        if self._data is None:
            return f"<Prim {self._path}>"
        return f"<Prim {self._path} ({self._data.message.type_name or 'untyped'})>"

    def _again(self) -> str:
        return f"{self._stage._again()}[{self._path!r}]"

    def _known(self, level: int) -> PrimData | None:
        """The description at the newest snapshot, if it is as complete as `level`."""
        data = self._data
        if data is None or data.level < level or data.generation != self._session.generation:
            return None
        return data


class PropertyHandle(Handle):
    """The path of a property."""

    def __init__(self, prim: Any, name: str) -> None:
        self._prim = prim
        self._name = name

    @property
    def name(self) -> str:
        return self._name

    @property
    def path(self) -> str:
        return f"{self._prim.path}.{self._name}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and other._prim == self._prim
            and other._name == self._name
        )

    def __hash__(self) -> int:
        return hash((self._prim, self._name))

    def _again(self) -> str:
        kind = "relationship" if type(self).__name__ == "Relationship" else "attribute"
        return f"{self._prim._again()}.{kind}({self._name!r})"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"
