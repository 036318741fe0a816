"""The examples and tables of docs/python.md, and the examples of docs/tasks.md and frames.md."""

from __future__ import annotations

import doctest
import importlib
import re

import pytest
from conftest import REPOSITORY

import stagedoor

GUIDE = REPOSITORY / "docs" / "python.md"
TASKS = REPOSITORY / "docs" / "tasks.md"
FRAMES = REPOSITORY / "docs" / "frames.md"


@pytest.mark.parametrize(
    ("page", "least"),
    [(GUIDE, 15), (TASKS, 15), (FRAMES, 15)],
    ids=["guide", "tasks", "frames"],
)
def test_examples(daemon, monkeypatch, page, least):
    monkeypatch.setenv("STAGEDOOR_ADDRESS", daemon.address)
    monkeypatch.chdir(REPOSITORY)
    text = "\n".join(re.findall(r"```pycon\n(.*?)```", page.read_text(), flags=re.S))
    examples = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    assert len(examples.examples) >= least
    runner = doctest.DocTestRunner()
    runner.run(examples, clear_globs=False)
    examples.globs["stage"].close()
    assert runner.summarize().failed == 0


def test_each_task_is_shown_in_three_ways():
    for task in TASKS.read_text().split("\n## ")[1:]:
        found = re.findall(r"^```(\w+)\n(.*?)^```$", task, flags=re.M | re.S)
        assert [kind for kind, _ in found] == ["pycon", "cpp", "text", "console"], task
        commands = re.findall(r"^(?:>>>|\.\.\.) ", found[0][1], flags=re.M)
        assert 1 <= len(commands) <= 3, task


def test_version_is_that_of_the_daemon():
    header = (REPOSITORY / "base" / "version.h").read_text()
    assert f'kVersion[] = "{stagedoor.__version__}"' in header


@pytest.mark.parametrize("name", ["Stage", "Prim", "Attribute", "Relationship", "TimeCode"])
def test_names_of_openusd_are_those_of_the_table(name):
    row = re.search(rf"^\| `{name}` \| (.*) \|$", GUIDE.read_text(), flags=re.M)
    documented = set(re.findall(r"`(\w+)`", row.group(1)))
    kind = getattr(stagedoor, name)
    assert documented == {found for found in dir(kind) if found[0].isupper()}


def test_reference_is_that_of_the_package(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY / "tools"))
    page = importlib.import_module("python_reference").page()
    written = (REPOSITORY / "docs" / "python_reference.md").read_text(encoding="utf-8")
    assert page == written, "run ./dev python_reference"
