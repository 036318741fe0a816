"""The changelog as a release needs it: a dated section of the version below an empty one for what comes next."""
import re

UNRELEASED = "## Unreleased"


def sections(text):
    """(heading, lines that are not empty) of each section, in the order of the file."""
    found = []
    for line in text.splitlines():
        if line.startswith("## "):
            found.append((line, []))
        elif found and line.strip():
            found[-1][1].append(line)
    return found


def errors(text, version):
    """Why the changelog cannot be released with `version`."""
    heading = re.compile(rf"## {re.escape(version)} - \d{{4}}-\d\d-\d\d")
    found = sections(text)
    headings = [name for name, _ in found]
    if not headings or headings[0] != UNRELEASED:
        return [f"CHANGELOG.md must begin with the section '{UNRELEASED}'"]
    problems = []
    if found[0][1]:
        problems.append(f"CHANGELOG.md has entries in '{UNRELEASED}'; move them to the section of the version")
    matching = [lines for name, lines in found if heading.fullmatch(name)]
    if len(matching) != 1 or not heading.fullmatch(headings[1]):
        problems.append(f"CHANGELOG.md must have one section '## {version} - YYYY-MM-DD', below '{UNRELEASED}'")
    elif not matching[0]:
        problems.append(f"CHANGELOG.md: the section of {version} is empty")
    return problems
