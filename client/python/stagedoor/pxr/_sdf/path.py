"""Paths of prims and properties: Sdf.Path."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from stagedoor.pxr._errors import ErrorException
from stagedoor.pxr._sdf.path_text import (
    IDENTIFIER,
    KINDS,
    NAMESPACED,
    PRIM_KINDS,
    Part,
    parsed,
    text_of,
)


class Path:
    """The path of a prim or property; empty if it is not valid. Corresponds to Sdf.Path."""

    __slots__ = ("_text",)
    absoluteIndicator = "/"
    childDelimiter = "/"
    propertyDelimiter = "."
    namespaceDelimiter = ":"
    parentPathElement = ".."
    reflexiveIndicator = "."
    absoluteRootPath: Path
    reflexiveRelativePath: Path
    emptyPath: Path

    def __init__(self, path: Any = "") -> None:
        if isinstance(path, Path):
            self._text: str = path._text
            return
        if not isinstance(path, str):
            raise TypeError(f"a path is text, not {path!r}")
        found = parsed(path) if path else None
        if path and found is None:
            print(f"Warning: ill-formed SdfPath <{path}>", file=sys.stderr)
        self._text = text_of(*found) if found else ""

    @classmethod
    def _of(cls, text: str) -> Path:
        """That of text that is known to be a path."""
        made = cls.__new__(cls)
        made._text = text
        return made

    @classmethod
    def _from(cls, absolute: bool, parts: Iterable[Part]) -> Path:
        return cls._of(text_of(absolute, parts))

    @property
    def _parts(self) -> tuple[Part, ...]:
        found = parsed(self._text) if self._text else None
        return found.parts if found else ()

    # -------------------------------------------------------------------------------- what it is

    @property
    def isEmpty(self) -> bool:
        return not self._text

    @property
    def pathString(self) -> str:
        return self._text

    def GetString(self) -> str:
        return self._text

    def GetAsString(self) -> str:
        return self._text

    def IsEmpty(self) -> bool:
        return not self._text

    def IsAbsolutePath(self) -> bool:
        return self._text.startswith("/")

    def IsAbsoluteRootPath(self) -> bool:
        return self._text == "/"

    def IsAbsoluteRootOrPrimPath(self) -> bool:
        return self._text == "/" or self.IsPrimPath()

    def _kind(self) -> str:
        """The kind of the last part; empty without parts."""
        parts = self._parts
        return parts[-1].kind if parts else ""

    def IsPrimPath(self) -> bool:
        return self._kind() in ("prim", "parent") or self._text == "."

    def IsRootPrimPath(self) -> bool:
        return len(self._parts) == 1 and self._kind() == "prim" and self.IsAbsolutePath()

    def IsPrimVariantSelectionPath(self) -> bool:
        return self._kind() == "variant"

    def IsPrimOrPrimVariantSelectionPath(self) -> bool:
        return self.IsPrimPath() or self.IsPrimVariantSelectionPath()

    def IsPropertyPath(self) -> bool:
        return self._kind() in ("property", "attribute")

    def IsPrimPropertyPath(self) -> bool:
        return self._kind() == "property"

    def IsNamespacedPropertyPath(self) -> bool:
        return self.IsPropertyPath() and ":" in self._parts[-1].name

    def IsTargetPath(self) -> bool:
        return self._kind() == "target"

    def IsRelationalAttributePath(self) -> bool:
        return self._kind() == "attribute"

    def IsMapperPath(self) -> bool:
        return self._kind() == "mapper"

    def IsMapperArgPath(self) -> bool:
        return self._kind() == "mapper_arg"

    def IsExpressionPath(self) -> bool:
        return self._kind() == "expression"

    def ContainsPrimVariantSelection(self) -> bool:
        return any(part.kind == "variant" for part in self._parts)

    def ContainsPropertyElements(self) -> bool:
        return any(part.kind == "property" for part in self._parts)

    def ContainsTargetPath(self) -> bool:
        return any(part.kind in ("target", "mapper") for part in self._parts)

    # ------------------------------------------------------------------------------ what it names

    @property
    def name(self) -> str:
        parts = self._parts
        if not parts:
            return self._text
        return parts[-1].name if parts[-1].kind != "variant" else parts[-1].more

    @property
    def elementString(self) -> str:
        parts = self._parts
        return parts[-1].text if parts else ""

    @property
    def targetPath(self) -> Path:
        for part in reversed(self._parts):
            if part.kind in ("target", "mapper"):
                return Path._of(part.more)
        return Path.emptyPath

    @property
    def pathElementCount(self) -> int:
        return len(self._parts)

    def GetVariantSelection(self) -> tuple[str, str]:
        parts = self._parts
        found = parts and parts[-1].kind == "variant"
        return (parts[-1].name, parts[-1].more) if found else ("", "")

    # ---------------------------------------------------------------------------------- ancestors

    def GetParentPath(self) -> Path:
        parts = self._parts
        absolute = self.IsAbsolutePath()
        if not self._text or self._text == "/":
            return Path.emptyPath
        if not absolute and (not parts or parts[-1].kind == "parent"):
            return Path._from(False, (*parts, Part("parent", "..", "..")))
        return Path._from(absolute, parts[:-1])

    def GetPrimPath(self) -> Path:
        parts = self._leading("prim", "parent", "variant")
        while parts and parts[-1].kind == "variant":
            parts.pop()
        return Path._from(self.IsAbsolutePath(), parts) if parts else Path.emptyPath

    def GetPrimOrPrimVariantSelectionPath(self) -> Path:
        found = self._leading("prim", "parent", "variant")
        return Path._from(self.IsAbsolutePath(), found) if found else Path.emptyPath

    def GetAbsoluteRootOrPrimPath(self) -> Path:
        return self if self._text == "/" else self.GetPrimPath()

    def _leading(self, *kinds: str) -> list[Part]:
        found: list[Part] = []
        for part in self._parts:
            if part.kind not in kinds:
                break
            found.append(part)
        return found

    def StripAllVariantSelections(self) -> Path:
        parts = [part for part in self._parts if part.kind != "variant"]
        return Path._from(self.IsAbsolutePath(), parts) if self._text else self

    def GetPrefixes(self, numPrefixes: int = 0) -> list[Path]:
        """The path and those above it, without the root: the shortest first."""
        parts, absolute = self._parts, self.IsAbsolutePath()
        found = [Path._from(absolute, parts[: n + 1]) for n in range(len(parts))]
        return found[-numPrefixes:] if numPrefixes else found

    def GetAncestorsRange(self) -> list[Path]:
        """The path and those above it: the longest first."""
        if self._text in ("/", "."):
            return [self]
        found = self.GetPrefixes()[::-1]
        return (
            [*found, Path.reflexiveRelativePath]
            if self._text[0] == "." and self._text[1] != "."
            else found
        )

    def HasPrefix(self, prefix: Any) -> bool:
        other = prefix if isinstance(prefix, Path) else Path(prefix)
        if not self._text or not other._text or self.IsAbsolutePath() != other.IsAbsolutePath():
            return False
        return self._parts[: len(other._parts)] == other._parts

    def GetCommonPrefix(self, other: Any) -> Path:
        path = other if isinstance(other, Path) else Path(other)
        if not self._text or not path._text or self.IsAbsolutePath() != path.IsAbsolutePath():
            return Path.emptyPath
        common = []
        for mine, theirs in zip(self._parts, path._parts):
            if mine != theirs:
                break
            common.append(mine)
        return Path._from(self.IsAbsolutePath(), common)

    # --------------------------------------------------------------------------------- other paths

    def _extended(self, text: str) -> Path:
        """The path with text at its end; empty if that is not a path."""
        joint = self._text + text
        found = parsed(joint)
        if found is None:
            print(f"Warning: ill-formed SdfPath <{joint}>", file=sys.stderr)
            return Path.emptyPath
        return Path._from(*found)

    def AppendChild(self, name: str) -> Path:
        if self._text == "/":
            return self._extended(name)
        if self._text == ".":
            return Path(name)
        if not (self.IsPrimPath() or self.IsPrimVariantSelectionPath()):
            return Path.emptyPath
        return self._extended(name if self._kind() == "variant" else f"/{name}")

    def AppendProperty(self, name: str) -> Path:
        if not (self.IsPrimPath() or self.IsPrimVariantSelectionPath()):
            return Path.emptyPath
        if not NAMESPACED.match(name):
            return Path.emptyPath
        if self._text == ".":
            return Path._of(f".{name}")
        return self._extended(f"/.{name}" if self._kind() == "parent" else f".{name}")

    def AppendVariantSelection(self, variantSet: str, variant: str) -> Path:
        if self._kind() not in ("prim", "parent", "variant"):
            raise ErrorException(f"cannot append a variant selection to <{self._text}>")
        return self._extended(f"{{{variantSet}={variant}}}")

    def AppendTarget(self, target: Any) -> Path:
        return self._extended(f"[{target}]") if self.IsPropertyPath() else Path.emptyPath

    def AppendRelationalAttribute(self, name: str) -> Path:
        return self._extended(f".{name}") if self.IsTargetPath() else Path.emptyPath

    def AppendMapper(self, target: Any) -> Path:
        return self._extended(f".mapper[{target}]")

    def AppendMapperArg(self, name: str) -> Path:
        return self._extended(f".{name}")

    def AppendExpression(self) -> Path:
        return self._extended(".expression")

    def AppendElementString(self, element: str) -> Path:
        if not self._text:
            raise ErrorException(f"cannot append {element!r} to the empty path")
        if element[:1] == ".":
            return (
                self.AppendProperty(element[1:]) if self.IsPrimPath() else self._extended(element)
            )
        if element[:1] == "{":
            return self.AppendVariantSelection(*element[1:-1].split("=", 1))
        prim = element[:1] != "["
        return self.AppendChild(element) if prim else self._extended(element)

    def AppendPath(self, suffix: Any) -> Path:
        other = suffix if isinstance(suffix, Path) else Path(suffix)
        if not self._text or not other._text:
            raise ErrorException("cannot append to the empty path, or the empty path")
        if other.IsAbsolutePath():
            raise ErrorException(f"cannot append the absolute path <{other._text}>")
        if other._text == ".":
            return self
        if self._text == ".":
            return other
        if not (self.IsAbsoluteRootOrPrimPath() or self.IsPrimVariantSelectionPath()):
            return Path.emptyPath
        if other._parts and other._parts[0].kind == "parent":
            rest = Path._from(False, other._parts[1:])
            parent = self.GetParentPath()
            return parent.AppendPath(rest) if parent._text else Path.emptyPath
        joint = other._text
        if other._parts and other._parts[0].kind in ("prim", "parent"):
            separator = "" if self._text == "/" or self._kind() == "variant" else "/"
            joint = separator + joint
        if self._text == "/" and joint.startswith("."):
            return Path.emptyPath
        if self._kind() == "parent" and joint.startswith("."):
            joint = f"/{joint}"
        return self._extended(joint)

    def ReplaceName(self, name: str) -> Path:
        kind = self._kind()
        parent = self.GetParentPath()
        if kind in ("prim", "parent") or self._text == ".":
            return parent.AppendChild(name)
        if kind == "property":
            return parent.AppendProperty(name)
        if kind == "attribute":
            return parent._extended(f".{name}")
        raise ErrorException(f"<{self._text}> is not the path of a prim or property")

    def ReplacePrefix(self, old: Any, new: Any, fixTargetPaths: bool = True) -> Path:
        """The path with another prefix, also in the targets that it names."""
        before = old if isinstance(old, Path) else Path(old)
        after = new if isinstance(new, Path) else Path(new)
        if not self._text or not before._text or not after._text:
            return Path.emptyPath
        parts = self._parts
        has = self.HasPrefix(before)
        rest = parts[len(before._parts) :] if has else parts
        if fixTargetPaths:
            rest = tuple(_retargeted(part, before, after) for part in rest)
        head = after if has else Path._from(self.IsAbsolutePath(), ())
        joined = [*head._parts, *rest]
        return Path._from(head.IsAbsolutePath(), joined)

    def ReplaceTargetPath(self, target: Any) -> Path:
        parts = list(self._parts)
        for i in reversed(range(len(parts))):
            if parts[i].kind in ("target", "mapper"):
                text = parts[i].text.replace(parts[i].more, str(target))
                parts[i] = parts[i]._replace(text=text, more=str(target))
                return Path._from(self.IsAbsolutePath(), parts)
        return self

    def MakeAbsolutePath(self, anchor: Any) -> Path:
        base = anchor if isinstance(anchor, Path) else Path(anchor)
        if not self._text or not base._text or not base.IsAbsolutePath():
            return Path.emptyPath
        if self.IsAbsolutePath():
            return self
        parts = list(base._parts)
        for part in self._parts:
            if part.kind != "parent":
                parts.append(part)
            elif parts:
                while parts and parts[-1].kind == "variant":
                    parts.pop()
                if parts:
                    parts.pop()
            else:
                return Path.emptyPath
        return Path._from(True, parts)

    def MakeRelativePath(self, anchor: Any) -> Path:
        base = anchor if isinstance(anchor, Path) else Path(anchor)
        if not self._text or not base.IsAbsolutePath():
            return Path.emptyPath
        path = self if self.IsAbsolutePath() else self.MakeAbsolutePath(base)
        if not path._text:
            return Path.emptyPath
        common = len(path.GetCommonPrefix(base)._parts)
        ups = [Part("parent", "..", "..")] * (len(base._parts) - common)
        return Path._from(False, [*ups, *path._parts[common:]])

    # ------------------------------------------------------------------------------ static methods

    @staticmethod
    def IsValidPathString(path: str) -> bool:
        return path == "" or parsed(path) is not None

    @staticmethod
    def IsValidIdentifier(name: str) -> bool:
        return bool(IDENTIFIER.match(name))

    @staticmethod
    def IsValidNamespacedIdentifier(name: str) -> bool:
        return bool(NAMESPACED.match(name))

    @staticmethod
    def TokenizeIdentifier(name: str) -> list[str]:
        return name.split(":") if NAMESPACED.match(name) else []

    @staticmethod
    def JoinIdentifier(*names: Any) -> str:
        parts = names[0] if len(names) == 1 and not isinstance(names[0], str) else names
        return ":".join(part for part in parts if part)

    @staticmethod
    def StripNamespace(name: str) -> str:
        return name.rpartition(":")[2]

    @staticmethod
    def StripPrefixNamespace(name: str, prefix: str) -> tuple[str, bool]:
        namespace = prefix if prefix.endswith(":") else f"{prefix}:"
        if prefix and name.startswith(namespace):
            return name[len(namespace) :], True
        return name, False

    @staticmethod
    def RemoveDescendentPaths(paths: Iterable[Path]) -> list[Path]:
        found: list[Path] = []
        for path in sorted(paths):
            if not found or not path.HasPrefix(found[-1]):
                found.append(path)
        return found

    @staticmethod
    def RemoveAncestorPaths(paths: Iterable[Path]) -> list[Path]:
        ordered = sorted(paths)
        pairs = zip(ordered, [*ordered[1:], None])
        return [path for path, after in pairs if after is None or not after.HasPrefix(path)]

    @staticmethod
    def GetConciseRelativePaths(paths: Iterable[Path]) -> list[Path]:
        return list(paths)

    # ----------------------------------------------------------------------------------- operators

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Path):
            return self._text == other._text
        return isinstance(other, str) and self._text == other

    def __hash__(self) -> int:
        return hash(self._text)

    def _order(self) -> Any:
        prims = [part.text for part in self._parts if part.kind in PRIM_KINDS]
        others = [
            (KINDS.index(part.kind), part.more or part.name)
            for part in self._parts
            if part.kind not in PRIM_KINDS
        ]
        return bool(self._text), not self.IsAbsolutePath(), prims, others

    def __lt__(self, other: Path) -> bool:
        return bool(self._order() < Path(other)._order())

    def __gt__(self, other: Path) -> bool:
        return Path(other) < self

    def __le__(self, other: Path) -> bool:
        return self == other or self < other

    def __ge__(self, other: Path) -> bool:
        return self == other or self > other

    def __bool__(self) -> bool:
        return bool(self._text)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Sdf.Path({self._text!r})" if self._text else "Sdf.Path.emptyPath"

    def __reduce__(self) -> Any:
        return Path, (self._text,)


def _retargeted(part: Part, old: Path, new: Path) -> Part:
    if part.kind not in ("target", "mapper"):
        return part
    target = str(Path._of(part.more).ReplacePrefix(old, new))
    return part._replace(text=part.text.replace(part.more, target), more=target)


Path.absoluteRootPath = Path._of("/")
Path.reflexiveRelativePath = Path._of(".")
Path.emptyPath = Path._of("")
