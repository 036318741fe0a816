#!/usr/bin/env python3
"""Finds phrases that docs/writing.md rules out: lint_words.py [FILES]. Prints FILE:LINE: PHRASE, and what to write instead.

Checks the comments and strings of C++, TypeScript, protos and scripts, and Markdown; tests and this list itself are exempt. Comments
anywhere that begin with "What" or "The same" are findings, too: they cannot be understood without the code below them.
"""
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
EXEMPT = re.compile(r"_test\.(cc|py)$|^tests/|testing/|^docs/writing\.md$|^tools/lint_words\.py$|^third_party/")
KINDS = (".cc", ".h", ".inc", ".proto", ".ts", ".py", ".sh", ".bzl", ".md")
HASH_KINDS = (".py", ".sh", ".bzl")  # whose comments begin with "#"

# (pattern, what to write instead). Matched in text only, ignoring case.
PHRASES = [
    (r"\bwhoever\b", "name who: the caller, the client, the reader"),
    (r"\b(?:is|are|was|were|be) told\b|\btold (?:per|by|to|of|in|as)\b", "reported, stated"),
    (r"\bfor want of\b", "because of missing …, without …"),
    (r"\blets? go of\b|\blet go\b", "released, evicted"),
    (r"\bmend(?:s|ed|ing)?\b", "fix"),
    (r"\b(?:is|are|was|were) no (?:\w+ )?(?:absolute|prim|path|file|directory|folder|layer|number|asset|message|package|crate|text|attribute)\b", "is not a …"),
    (r"\bthere is no (?:flag|option|command)\b", "unknown …"),
    (r"\bhave it that\b|\bhas it that\b", "ensure that"),
    (r"\bthereof\b|\bwhereof\b|\bthereby\b", "a plain clause"),
    (r"\bso that nobody\b", "so that no client, caller or thread …"),
    (r"(?:^|(?<=//)|(?<=#)) (?-i:Of) (?:the|a|an|all|each|one|it|both|its|two|those|this)\b", "a whole sentence or noun phrase: 'Applies to …', 'Size of …'"),
    (r"\bnobody's\b", "unowned"),
    (r"\btell(?:s)? apart\b", "distinguish"),
]
# First words of a comment, and what to write instead.
OPENINGS = [
    (re.compile(r"What\b"), "the noun: 'The fields of a request …' instead of 'What a request has'"),
    (re.compile(r"The same\b"), "the noun, or 'Like Name, but …': readers may not have seen the line above"),
]
COMPILED = [(re.compile(pattern, re.I), advice) for pattern, advice in PHRASES]
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')


def comment_mark(path):
    return "#" if path.endswith(HASH_KINDS) else "//"


def opening_findings(path, lines):
    """As findings, of the first words of comments; a question may begin with "What"."""
    if path.endswith(".md"):
        return
    mark = comment_mark(path)
    above = False  # whether the line above is part of the comment
    for number, line in enumerate(lines, 1):
        text = line.strip()
        is_comment = text.startswith(mark)
        if text.startswith("/*") or (is_comment and not above):
            words = text.lstrip("/*#").strip()
            for pattern, advice in OPENINGS:
                match = pattern.match(words)
                if match and "?" not in words:
                    yield number, match[0], advice
        above = is_comment


def prose(path, line):
    """The parts of a line that a person reads."""
    if path.endswith(".md"):
        return line
    mark = comment_mark(path)
    text = [match[1] for match in STRING.finditer(line)]
    bare = STRING.sub(lambda match: " " * len(match[0]), line)
    if mark in bare:
        text.append(bare[bare.index(mark):])
    return " \0 ".join(text)


def findings(path, lines):
    """Yields (line number, phrase, advice)."""
    for number, line in enumerate(lines, 1):
        text = prose(path, line)
        for pattern, advice in COMPILED:
            match = pattern.search(text)
            if match:
                yield number, match[0].strip(), advice
    yield from opening_findings(path, lines)


def main(arguments):
    files = arguments or subprocess.check_output(["git", "-C", ROOT, "ls-files"], text=True).split("\n")
    found = 0
    for path in files:
        if not path.endswith(KINDS):
            continue
        check = opening_findings if EXEMPT.search(path) else findings
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            for number, phrase, advice in check(path, file.read().split("\n")):
                print(f"{path}:{number}: '{phrase}': write {advice}")
                found += 1
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
