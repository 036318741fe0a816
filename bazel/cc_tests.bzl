"""cc_tests: several tests that are compiled and linked together, and run apart.

Most of the time of compiling a test goes into what it includes, as for libraries: docs/decisions/build-time.md. So the sources
of a group are compiled a few at a time and linked into one program. Each keeps its own target, which runs its tests only, in a
process of its own. With --define=sources=separate each source is compiled by itself.
"""

load("//bazel:cc_library.bzl", "joined_sources")

# Half of the sources of a library's unit: without optimization, most of the time is the tests' own code.
_TESTS_OF_UNIT = 8

def _source_test_impl(ctx):
    script = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.write(
        script,
        "#!/bin/sh\nTEST_SOURCE=%s exec \"${0%%/*}/%s\" \"$@\"\n" % (ctx.file.source.short_path, ctx.executable.program.basename),
        is_executable = True,
    )
    return [DefaultInfo(
        executable = script,
        runfiles = ctx.runfiles([ctx.executable.program]).merge(ctx.attr.program[DefaultInfo].default_runfiles),
    )]

_source_test = rule(
    implementation = _source_test_impl,
    doc = "Runs the tests of one source of a program of the same package.",
    attrs = {
        "program": attr.label(mandatory = True, executable = True, cfg = "target"),
        "source": attr.label(mandatory = True, allow_single_file = [".cc"]),
    },
    test = True,
)

def cc_tests(name, tests, deps, tags):
    """Tests of the sources TEST_test.cc, each with the target TEST_test.

    Args:
      name: the name of the program that holds them.
      tests: the names of the tests.
      deps: what they need, except for GoogleTest and its main function. None may have another main function, such as
        //base/testing:simd_main, which would run all of the tests.
      tags: of each test.
    """
    native.cc_test(
        name = name,
        size = "small",
        srcs = joined_sources(name, [test + "_test.cc" for test in tests], _TESTS_OF_UNIT, scoped = True),
        tags = ["manual"],  # the targets below run it
        deps = deps + ["//base/testing:source_test_main"],
    )
    for test in tests:
        _source_test(
            name = test + "_test",
            size = "small",
            program = name,
            source = test + "_test.cc",
            tags = tags,
        )
