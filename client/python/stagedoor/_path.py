"""Where Python looks for modules below `stagedoor`."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator


class SharedPath(list[str]):
    """The folders of the package: its own, then all others of its name on sys.path.

    The protos of the API are of the packages stagedoor.v1 and stagedoor.resolver.v1, and protoc
    puts what it generates from them into folders of these names, which have no __init__.py. Python
    would not look there, because this package has one.

    sys.path is read for each import, so that a program may add a folder to it later.
    """

    def __iter__(self) -> Iterator[str]:
        own = list(super().__iter__())
        yield from own
        none: list[str] = []
        for folder in pkgutil.extend_path(none, "stagedoor"):
            if folder not in own:
                yield folder
