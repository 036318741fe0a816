#!/usr/bin/env python3
"""Generates the synchronous calls of the Python package, stagedoor/_sync, from the asynchronous ones in stagedoor/_async:
python_client.py [--check]. Needs the packages unasync and ruff.
"""
import argparse
import io
import os
import re
import subprocess
import sys
import tempfile
import tokenize

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "client", "python", "stagedoor")
HEAD = "# Generated from ../_async/{name} by tools/python_client.py: ./dev python_client.\n"
# Changes to the text, comments and docstrings included, beyond those that unasync makes to the code.
TEXT = (
    (re.compile(r"\bstagedoor\.aio\b"), "stagedoor"),
    (re.compile(r"\bstagedoor\._async\b"), "stagedoor._sync"),
    (re.compile(r"\bawait "), ""),
    (re.compile(r"\basync (?=with\b|for\b|def\b)"), ""),
)
OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")


def needless(tokens, begin):
    """The index of the parenthesis that closes `(await f(x))`, which are needless without `await`; else None."""
    before = tokens[begin - 1] if begin else None
    is_call = before is not None and (before.string in CLOSE or before.type == tokenize.NAME and not is_keyword(before.string))
    if is_call or tokens[begin + 1].string != "await":
        return None
    depth, after_name = 0, False
    for index in range(begin + 2, len(tokens)):
        token = tokens[index]
        if token.string in OPEN:
            depth += 1
        elif token.string in CLOSE:
            if depth == 0:
                return index
            depth -= 1
        elif depth == 0 and token.string != "." and (token.type != tokenize.NAME or after_name):
            return None  # an operator: the parentheses may be needed
        after_name = depth == 0 and token.type == tokenize.NAME
    return None


def is_keyword(name):
    return name in ("and", "await", "else", "for", "if", "in", "is", "not", "or", "return", "yield")


def without_parentheses(text):
    """The text without the parentheses that only `await` needs."""
    tokens = [token for token in tokenize.generate_tokens(io.StringIO(text).readline) if token.type not in (tokenize.NL, tokenize.COMMENT)]
    removed = []
    for index, token in enumerate(tokens[:-1]):
        end = needless(tokens, index) if token.string == "(" else None
        if end is not None:
            removed += [token.start, tokens[end].start]
    lines = text.splitlines(keepends=True)
    for row, column in sorted(removed, reverse=True):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + line[column + 1 :]
    return "".join(lines)


def synchronous(name, text):
    """The synchronous form of a module, not yet formatted."""
    import unasync

    with tempfile.TemporaryDirectory() as work:
        source, target = (os.path.join(work, kind, name) for kind in ("_async", "_sync"))
        os.mkdir(os.path.dirname(source))
        with open(source, "w", encoding="utf-8") as file:
            file.write(without_parentheses(text))
        unasync.unasync_files([source], [unasync.Rule("/_async/", "/_sync/")])
        with open(target, encoding="utf-8") as file:
            made = file.read()
    return HEAD.format(name=name) + reworded(made)


def reworded(text):
    for pattern, replacement in TEXT:
        text = pattern.sub(replacement, text)
    return text


def formatted(path, text):
    """The text as ruff sorts its imports and formats it, with the settings of the package."""
    for command in (["check", "--quiet", "--fix", "--select", "I"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--no-cache", "--stdin-filename", path, "-"]
        text = subprocess.run(ruff, input=text, stdout=subprocess.PIPE, text=True, check=True).stdout
    return text


def generated():
    """The text of each generated file by its path."""
    found = {}
    for name in sorted(os.listdir(os.path.join(PACKAGE, "_async"))):
        if name.endswith(".py"):
            with open(os.path.join(PACKAGE, "_async", name), encoding="utf-8") as file:
                made = synchronous(name, file.read())
            path = os.path.join(PACKAGE, "_sync", name)
            found[path] = formatted(path, made)
    return found


def existing():
    folder = os.path.join(PACKAGE, "_sync")
    names = os.listdir(folder) if os.path.isdir(folder) else []
    found = {}
    for name in names:
        if name.endswith(".py"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[os.path.join(folder, name)] = file.read()
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="fail if the files are out of date instead of writing them")
    options = parser.parse_args()
    wanted, now = generated(), existing()
    stale = sorted(path for path in {**wanted, **now} if wanted.get(path) != now.get(path))
    if options.check and stale:
        names = [os.path.relpath(path, os.path.dirname(PACKAGE)) for path in stale]
        print(f"{', '.join(names)}: out of date with stagedoor/_async; run ./dev python_client")
        return 1
    for path in stale:
        if path not in wanted:
            os.remove(path)
            continue
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(wanted[path])
    return 0


if __name__ == "__main__":
    sys.exit(main())
