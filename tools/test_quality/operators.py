"""Mutation operators: small changes to lines of C++ that should make a test fail."""
import collections
import re

# file: its path; line: counted from 0; before, after: the text of the line; rule: the name of the operator.
Mutant = collections.namedtuple("Mutant", "file line before after rule")

# (name, pattern, replacements): each match in code, but not in strings or comments, yields a mutant per replacement.
RULES = [
    ("relation", r"(?<=[\w)\]] )<(?= [\w(*&-])", ["<=", ">="]),
    ("relation", r"(?<= )<=(?= )", ["<", ">"]),
    ("relation", r"(?<=[\w)\]] )>(?= [\w(*&-])", [">=", "<="]),
    ("relation", r"(?<= )>=(?= )", [">", "<"]),
    ("equality", r"(?<= )==(?= )", ["!="]),
    ("equality", r"(?<= )!=(?= )", ["=="]),
    ("logic", r"(?<= )&&(?= )", ["||"]),
    ("logic", r"(?<= )\|\|(?= )", ["&&"]),
    ("not", r"(?<=[ (])!(?=[\w(])", [""]),
    ("condition", r"(?<=\bif \()(?=[\w!(*])(?!absl::Status |const |auto )(?=[^;]*\)(?: \{| [\w*+-]))", ["!", ]),
    ("arithmetic", r"(?<=[\w)\]] )\+(?= [\w(*&-])", ["-"]),
    ("arithmetic", r"(?<=[\w)\]] )-(?= [\w(*&])", ["+"]),
    ("arithmetic", r"(?<=[\w)\]] )\*(?= [\w(])", ["/"]),
    ("arithmetic", r"(?<=[\w)\]] )/(?= [\w(])", ["*"]),
    ("assignment", r"(?<= )\+=(?= )", ["-=", "="]),
    ("assignment", r"(?<= )-=(?= )", ["+="]),
    ("step", r"(?<![\w+])\+\+(?=[\w(*])", ["--"]),
    ("step", r"(?<![\w-])--(?=[\w(*])", ["++"]),
    ("constant", r"(?<![\w.'])0(?![\w.'])", ["1"]),
    ("constant", r"(?<![\w.'])1(?![\w.'])", ["0", "2"]),
    ("constant", r"(?<![\w.'])(?:[2-9]|[1-9]\d+)(?![\w.'])", ["(\\g<0> + 1)"]),
    ("boolean", r"(?<!\w)true(?!\w)", ["false"]),
    ("boolean", r"(?<!\w)false(?!\w)", ["true"]),
    ("extreme", r"\bstd::min\b", ["std::max"]),
    ("extreme", r"\bstd::max\b", ["std::min"]),
    ("bound", r"\bstd::lower_bound\b", ["std::upper_bound"]),
    ("bound", r"\bstd::upper_bound\b", ["std::lower_bound"]),
    ("jump", r"^\s*break;$", ["continue;"]),
    ("jump", r"(?<=\) )continue;$", ["break;"]),
    ("removal", r"^(\s+)(?:SD_RETURN_IF_ERROR\(.*\)|[\w.>\[\]-]+(?:\.|->)\w+\(.*\)|[a-zA-Z_]\w*\(.*\));$", [r"\1;"]),
]
RULES = [(name, re.compile(pattern), replacements) for name, pattern, replacements in RULES]

LITERALS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'|//.*$')
# Lines that declare something and do not execute anything.
DECLARATION = re.compile(r"^\s*(?:#|//|\*|using |namespace |template|static_assert|friend |class |struct |enum |public:|private:|protected:|case |[})];?\s*$)")


def blanked(line):
    """The line with blanks in place of strings, characters and comments, so that positions are unchanged."""
    return LITERALS.sub(lambda match: " " * len(match.group(0)), line)


def mutants(file, lines):
    """Yields all mutants of a file's lines."""
    for number, line in enumerate(lines):
        if DECLARATION.match(line):
            continue
        code = blanked(line)
        for rule, pattern, replacements in RULES:
            for match in pattern.finditer(code):
                for replacement in replacements:
                    after = line[:match.start()] + match.expand(replacement) + line[match.end():]
                    if after != line:
                        yield Mutant(file, number, line, after, rule)
