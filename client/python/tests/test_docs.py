"""The examples and tables of docs/python.md."""

from __future__ import annotations

import doctest
import re

import pytest
from conftest import REPOSITORY

import stagedoor

GUIDE = REPOSITORY / "docs" / "python.md"


def test_examples(daemon, monkeypatch):
    monkeypatch.setenv("STAGEDOOR_ADDRESS", daemon.address)
    monkeypatch.chdir(REPOSITORY)
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", GUIDE.read_text(), flags=re.S))
    examples = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(GUIDE), 0)
    assert len(examples.examples) > 20
    runner = doctest.DocTestRunner()
    runner.run(examples, clear_globs=False)
    examples.globs["stage"].close()
    assert runner.summarize().failed == 0


def test_version_is_that_of_the_daemon():
    header = (REPOSITORY / "base" / "version.h").read_text()
    assert f'kVersion[] = "{stagedoor.__version__}"' in header


@pytest.mark.parametrize("name", ["Stage", "Prim", "Attribute", "Relationship", "TimeCode"])
def test_names_of_openusd_are_those_of_the_table(name):
    row = re.search(rf"^\| `{name}` \| (.*) \|$", GUIDE.read_text(), flags=re.M)
    documented = set(re.findall(r"`(\w+)`", row.group(1)))
    kind = getattr(stagedoor, name)
    assert documented == {found for found in dir(kind) if found[0].isupper()}
