"""Predicates of prims: Usd.PrimIsActive & ~Usd.PrimIsAbstract and the like."""

from __future__ import annotations

from typing import Any

from stagedoor._proto import Message

# A flag of a prim by its name, from the description of the prim.
_FLAGS = {
    "Active": lambda message: not message.inactive,
    "Loaded": lambda message: not message.unloaded,
    "Defined": lambda message: not message.undefined,
    "Abstract": lambda message: bool(message.abstract),
    "Model": lambda message: bool(message.model),
    "Group": lambda message: bool(message.group),
    "Instance": lambda message: bool(message.instance),
    "Component": lambda message: bool(message.model) and not message.group,
    "HasDefiningSpecifier": lambda message: message.specifier in (1, 3),
}


class Predicate:
    """Terms of which all must hold, or with `any_of` one of them.

    A term is the name of a flag and the value that it must have.
    """

    def __init__(
        self,
        terms: tuple[tuple[str, bool], ...] = (),
        any_of: bool = False,
        instance_proxies: bool = False,
    ) -> None:
        self.terms = terms
        self.any_of = any_of
        self.instance_proxies = instance_proxies

    def passes(self, message: Message) -> bool:
        found = (_FLAGS[name](message) == value for name, value in self.terms)
        return any(found) if self.any_of else all(found)

    def __and__(self, other: Predicate) -> Predicate:
        return self._joined(other, any_of=False)

    def __or__(self, other: Predicate) -> Predicate:
        return self._joined(other, any_of=True)

    def _joined(self, other: Predicate, any_of: bool) -> Predicate:
        for operand in (self, other):
            if len(operand.terms) > 1 and operand.any_of != any_of:
                raise TypeError("a predicate is either a conjunction or a disjunction of flags")
        return Predicate(self.terms + other.terms, any_of)

    def __invert__(self) -> Predicate:
        terms = tuple((name, not value) for name, value in self.terms)
        return Predicate(terms, not self.any_of if len(terms) > 1 else False)

    def __call__(self, prim: Any) -> bool:
        return self.passes(prim._message())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Predicate) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash((self.terms, self.any_of, self.instance_proxies))


def flag(name: str) -> Predicate:
    return Predicate(((name, True),))


PrimIsActive = flag("Active")
PrimIsLoaded = flag("Loaded")
PrimIsDefined = flag("Defined")
PrimIsAbstract = flag("Abstract")
PrimIsModel = flag("Model")
PrimIsGroup = flag("Group")
PrimIsInstance = flag("Instance")
PrimHasDefiningSpecifier = flag("HasDefiningSpecifier")
PrimDefaultPredicate = PrimIsActive & PrimIsDefined & PrimIsLoaded & ~PrimIsAbstract
PrimAllPrimsPredicate = Predicate()


def TraverseInstanceProxies(predicate: Predicate = PrimDefaultPredicate) -> Predicate:
    """The predicate, with which also the prims below instances are visited."""
    return Predicate(predicate.terms, predicate.any_of, instance_proxies=True)
