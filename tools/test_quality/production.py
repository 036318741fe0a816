"""Distinguishes production code, which is mutated and counts for coverage, from test code."""
import re

ROOTS = ("base", "resolver", "scene", "server", "client")
NOT_PRODUCTION = re.compile(r"_(test|fuzzer|benchmark)\.cc$|/testing/")


def is_production(file):
    """Whether a file is production code; `file` is relative to the repository."""
    return file.split("/")[0] in ROOTS and not NOT_PRODUCTION.search(file)
