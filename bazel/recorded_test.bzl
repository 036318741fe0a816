"""Tests that compare a program with results of usd-core recorded for random scenes (tests/random)."""

def recorded_test(name, program, recorded, arguments = [], **kwargs):
    """Runs `program` with `arguments` and compares its output with the results in the file `recorded`."""
    native.py_test(
        name = name,
        srcs = ["//tests/random:replay.py"],
        main = "//tests/random:replay.py",
        args = ["$(rootpath %s)" % recorded, "$(rootpath %s)" % program] + arguments,
        data = [
            program,
            recorded,
        ],
        python_version = "PY3",
        deps = ["//tests/random:recorded"],
        **kwargs
    )
