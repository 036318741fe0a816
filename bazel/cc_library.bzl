"""cc_library: a C++ library that compiles several of its sources at a time.

Most of the time of compiling a source goes into what it includes and into templates that it shares with its neighbours. So
the sources of a library are compiled as a few units, each of which holds up to _SOURCES_OF_UNIT of them one after the other:
docs/decisions/build-time.md. Names in the anonymous namespaces of a library must therefore differ.

With --define=sources=separate each source is compiled by itself, for tools that work on single sources.
"""

_SOURCES_OF_UNIT = 16

def _compilation_unit_impl(ctx):
    args = ctx.actions.args()
    args.add(ctx.outputs.out)
    args.add("1" if ctx.attr.scoped else "")
    args.add_all(ctx.files.srcs)
    ctx.actions.run_shell(
        inputs = ctx.files.srcs,
        outputs = [ctx.outputs.out],
        arguments = [args],
        # Diagnostics and debuggers show the sources.
        command = """
out=$1 scoped=$2
shift 2
for source; do
  name=${source##*/}
  echo "#line 1 \\"$source\\""
  sed "s/^namespace {$/namespace ${scoped:+${name%.cc} }{/" "$source"
done >"$out"
""",
        mnemonic = "CompilationUnit",
    )

compilation_unit = rule(
    implementation = _compilation_unit_impl,
    doc = "A source that holds other sources, one after the other.",
    attrs = {
        "srcs": attr.label_list(mandatory = True, allow_files = [".cc"]),
        "out": attr.output(mandatory = True),
        "scoped": attr.bool(doc = "Whether the anonymous namespace of each source gets its name, so that others may repeat its names."),
    },
)

def _compiled_alone(source):
    # Highway compiles a source once per instruction set, and includes it by its name.
    return not source.endswith(".cc") or source.endswith("_kernels.cc")

def joined_sources(name, srcs, most = _SOURCES_OF_UNIT, scoped = False):
    """The sources of a target `name` as a few compilation units.

    Args:
      name: the name of the target, from which the names of the units are made.
      srcs: its sources and private headers.
      most: the number of sources in a unit.
      scoped: whether the names in their anonymous namespaces may be the same.
    Returns:
      what the target compiles instead: a value for `srcs`.
    """
    joined = [source for source in srcs if not _compiled_alone(source)]
    if len(joined) < 2:
        return srcs
    count = -(-len(joined) // most)
    units = []
    for i in range(count):
        unit = "%s_unit_%d" % (name, i + 1)
        compilation_unit(
            name = unit,
            srcs = joined[i * len(joined) // count:(i + 1) * len(joined) // count],
            out = unit + ".cc",
            scoped = scoped,
            visibility = ["//visibility:private"],
        )
        units.append(unit + ".cc")
    return [source for source in srcs if _compiled_alone(source)] + select({
        "//bazel:separate_sources": joined,
        "//conditions:default": units,
    })

def cc_library(name, srcs = [], **kwargs):
    """A native.cc_library whose sources are compiled together.

    Args:
      name: target name.
      srcs: sources and private headers.
      **kwargs: passed to native.cc_library.
    """
    native.cc_library(name = name, srcs = joined_sources(name, srcs), **kwargs)
