"""Which files are production code: what mutants are made of, and what coverage counts."""
import re

ROOTS = ("base", "resolver", "scene", "server", "client")
NOT_PRODUCTION = re.compile(r"_(test|fuzzer|benchmark)\.cc$|_fixture\.h$|test_(util|text)|composed_scene|crate_maker|dump_index|/testing/")


def is_production(file):
    """Whether a path, relative to the repository, is."""
    return file.split("/")[0] in ROOTS and not NOT_PRODUCTION.search(file)
