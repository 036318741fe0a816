#!/usr/bin/env python3
"""Writes docs/python_reference.md, the reference of the Python package, from its classes and their docstrings:
python_reference.py [--check]. The package must be importable, with what it depends on.
"""
import argparse
import dataclasses
import enum
import inspect
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "python_reference.md")
HEAD = """# Reference of the Python package

All public functions, classes and methods of `stagedoor`, generated from the package by `./dev python_reference`; the tests of the package fail
when this page is out of date. [python.md](python.md) is the guide.

`stagedoor.aio` has the same classes, in which methods that ask the daemon, and properties, are awaited, and methods that return an `Iterator`
return an asynchronous one; it has no names of `pxr.Usd`.
"""
# The name of a parameter, or several, before what it means.
PARAMETER = re.compile(r"^([A-Za-z_]\w*(?:, [A-Za-z_]\w*)*): ")
# Methods that say how an object is used in expressions; the others of Python's own are not shown.
# Methods of Client and Values for the other modules of the package.
INTERNAL = ("from_batch", "from_stream", "iterate", "renew_leases", "run", "stream", "write")
OPERATORS = ("__getitem__", "__contains__", "__iter__", "__len__", "__bool__")


def annotation(text):
    """An annotation as it is written; the package has them as strings."""
    text = getattr(text, "__forward_arg__", text)  # as NamedTuple has them
    return text if isinstance(text, str) else inspect.formatannotation(text)


def signature(name, function, skip=0):
    """A function with its parameters, as it is written; `skip`: how many parameters Python passes by itself."""
    found = inspect.signature(function)
    parts, keyword = [], False
    for parameter in list(found.parameters.values())[skip:]:
        if parameter.kind == parameter.KEYWORD_ONLY and not keyword:
            parts.append("*")
        keyword = keyword or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        star = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        parts.append(f"{star}{parameter.name}{default}")
    returned = "" if found.return_annotation is found.empty else f" → {annotation(found.return_annotation)}"
    return f"`{name}({', '.join(parts)}){returned}`"


def text(thing):
    """A docstring as Markdown: parameters are items of a list, and indented examples are blocks of code."""
    lines, listed, code = [], False, False
    for line in (inspect.getdoc(thing) or "").splitlines():
        example = line.startswith("    ") and (code or not lines or not lines[-1])
        if line and example != code:
            lines += ["```python"] if example else ["```", ""]
            code = example
        if code:
            lines.append(line[4:])
            continue
        named = PARAMETER.match(line)
        if named:
            if not listed and lines and lines[-1]:
                lines.append("")
            names = ", ".join(f"`{name}`" for name in named[1].split(", "))
            line = f"- {names}: {line[named.end():]}"
        listed = bool(named) or (listed and line.startswith("  "))
        lines.append(line)
    return "\n".join([*lines, "```"] if code else lines).strip()


def members(kind):
    """The public members of a class by name, and what Python passes to them by itself."""
    for name in sorted(dir(kind)):
        if name.startswith("_") and name not in OPERATORS:
            continue
        owner = next(base for base in kind.__mro__ if name in vars(base))
        if name in INTERNAL or (owner is not kind and issubclass(owner, Exception)):
            continue
        # Docstrings of Python's own classes differ between versions of Python.
        if owner.__module__.partition(".")[0] == "stagedoor":
            yield name, vars(owner)[name]


def member_lines(kind):
    """The members of a class, one paragraph each, and the names of pxr.Usd."""
    lines, names = [], []
    for name, member in members(kind):
        function = getattr(member, "__func__", member)
        if isinstance(member, property):
            found = inspect.signature(member.fget).return_annotation
            shown = f"`{name}` → `{annotation(found)}`"
        elif inspect.isfunction(function):
            shown = signature(name, function, 0 if isinstance(member, staticmethod) else 1)
        else:
            continue
        if name[0].isupper():
            names.append(shown)
            continue
        documented = member if isinstance(member, property) else function
        lines += [f"#### {shown}", "", *([text(documented), ""] if documented.__doc__ else [])]
    if names:
        lines += ["#### Names of `pxr.Usd`", "", *(f"- {name}" for name in names), ""]
    return lines


def class_lines(name, kind):
    lines = [f"### `{name}`", ""]
    bases = [base.__name__ for base in kind.__bases__ if base is not object and not base.__name__.startswith("_")]
    public = [base for base in bases if base not in ("Generic", "Enum", "tuple")]
    made = dataclasses.is_dataclass(kind) and (kind.__doc__ or "").startswith(f"{kind.__name__}(")
    if text(kind) and not made:
        lines += [text(kind), ""]
    if issubclass(kind, Exception):
        lines += [f"Derives from {' and '.join(f'`{base}`' for base in public)}.", ""]
    if issubclass(kind, enum.Enum):
        return [*lines, "Has " + ", ".join(f"`{member.name}`" for member in kind) + ".", ""]
    fields = [(field.name, field.type) for field in dataclasses.fields(kind)] if dataclasses.is_dataclass(kind) else []
    fields = [(field, type_) for field, type_ in fields if not field.startswith("_")]
    fields += kind.__annotations__.items() if issubclass(kind, tuple) else []
    if fields:
        lines += ["Has", "", *(f"- `{field}`: `{annotation(type)}`" for field, type in fields), ""]
    return lines + member_lines(kind)


def classes(module):
    """The public classes that a module defines, or exports of its private parts, by name, in its order."""
    exported = getattr(module, "__all__", ())
    return [
        (name, thing) for name, thing in vars(module).items()
        if inspect.isclass(thing) and not name.startswith("_") and (thing.__module__ == module.__name__ or name in exported)
    ]


def page():
    import stagedoor
    from stagedoor import _names
    from stagedoor._sync.edit_block import SyncEditBlock

    lines = [HEAD, "## Functions", ""]
    public = {name: getattr(stagedoor, name) for name in stagedoor.__all__}
    for name, thing in public.items():
        if inspect.isfunction(thing):
            lines += [f"#### {signature(f'stagedoor.{name}', thing)}", "", text(thing), ""]
    groups = [("Classes", [(name, thing) for name, thing in public.items() if inspect.isclass(thing)])]
    for title, module in (("Results", stagedoor.results), ("Types", stagedoor.types), ("Errors", stagedoor.errors)):
        groups.append((f"{title}: `{module.__name__}`", classes(module)))
    handles = [found for found in classes(_names) if found[0].endswith("Handle")]
    groups.append(("Returned by methods", [*handles, ("SyncEditBlock", SyncEditBlock)]))
    shown = set()
    for title, found in groups:
        lines += [f"## {title}", ""]
        for name, thing in found:
            if thing not in shown:
                lines += class_lines(name, thing)
            shown.add(thing)
    return "\n".join(lines).rstrip() + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the page is out of date")
    arguments = parser.parse_args()
    made = page()
    if arguments.check:
        with open(PAGE, encoding="utf-8") as file:
            if file.read() != made:
                sys.exit("docs/python_reference.md is out of date; run ./dev python_reference")
        return
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(made)


if __name__ == "__main__":
    main()
