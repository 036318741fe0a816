"""Tests of what usd-core and a program of ours said about random scenes, recorded by tests/random."""

def recorded_test(name, program, recorded, arguments = [], **kwargs):
    """Asks `program`, run with `arguments`, all that the file `recorded` holds questions and answers of."""
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
