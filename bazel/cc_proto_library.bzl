"""cc_proto_library and cc_grpc_library: C++ of one proto_library each, compiled a few sources at a time.

Parsing the headers of protobuf and gRPC takes most of the time of a small generated source; the native
cc_proto_library compiles each by itself. Either the proto_library's strip_import_prefix names the package of
the library, so that files, imports and includes have the names that the proto package implies
("stagedoor/v1/x.proto"), or it has none, and they have those of the tree.
"""

# Names of file scope that every generated source of messages has.
_REPEATED = ["schemas", "file_default_instances"]

def import_name(src, info):
    """The name by which other protos import `src`."""
    for root in info.transitive_proto_path.to_list():
        if root != "." and src.path.startswith(root + "/"):
            return src.path[len(root) + 1:]
    if info.proto_source_root == ".":
        return src.path
    fail("%s is not below a proto path" % src.path)

def _include(source):
    """Lines of a unit that include a generated source."""
    own = source.basename.split(".")[0]
    lines = ["#define %s %s_%s" % (name, name, own) for name in _REPEATED]
    lines.append("#include \"%s\"" % source.path)
    return lines + ["#undef %s" % name for name in _REPEATED]

def tool(name):
    """A private attribute of a rule: a program that generates sources."""
    return attr.label(default = name, executable = True, cfg = "exec", allow_single_file = True)

def _write_units(ctx, sources):
    units = []
    for i in range(ctx.attr.units):
        some = sources[i * len(sources) // ctx.attr.units:(i + 1) * len(sources) // ctx.attr.units]
        unit = ctx.actions.declare_file("%s_unit_%d.cc" % (ctx.label.name, i + 1))
        ctx.actions.write(unit, "\n".join([line for source in some for line in _include(source)] + [""]))
        units.append(unit)
    return units

def _protoc_cc_impl(ctx):
    info = ctx.attr.proto[ProtoInfo]
    suffix = ".grpc.pb" if ctx.attr.services else ".pb"
    stems = [import_name(src, info)[:-len(".proto")] for src in info.direct_sources]
    folder = ctx.bin_dir.path
    package = ctx.label.package + "/"
    if stems[0].startswith(package):
        stems = [stem[len(package):] for stem in stems]
    else:
        folder += "/" + ctx.label.package
    headers = [ctx.actions.declare_file(stem + suffix + ".h") for stem in stems]
    sources = [ctx.actions.declare_file(stem + suffix + ".cc") for stem in stems]

    args = ctx.actions.args()
    if ctx.attr.services:
        args.add(ctx.executable._plugin, format = "--plugin=protoc-gen-grpc=%s")
        args.add(folder, format = "--grpc_out=%s")
    else:
        args.add(folder, format = "--cpp_out=%s")
    args.add_all(info.transitive_proto_path, format_each = "-I%s")
    args.add_all(info.direct_sources)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        tools = [ctx.executable._plugin],
        inputs = info.transitive_sources,
        outputs = headers + sources,
        arguments = [args],
        mnemonic = "ProtocCpp",
        progress_message = "Generating C++ for %s" % ctx.attr.proto.label,
    )
    units = _write_units(ctx, sources)
    return [
        DefaultInfo(files = depset(headers + sources + units)),
        OutputGroupInfo(headers = depset(headers), sources = depset(sources), units = depset(units)),
    ]

_protoc_cc = rule(
    implementation = _protoc_cc_impl,
    attrs = {
        "proto": attr.label(mandatory = True, providers = [ProtoInfo]),
        "services": attr.bool(doc = "Whether to generate gRPC's stubs instead of messages."),
        "units": attr.int(default = 1, doc = "The number of sources that are compiled."),
        "_protoc": tool("@com_google_protobuf//:protoc"),
        "_plugin": tool("@com_github_grpc_grpc//:grpc_cpp_plugin"),
    },
)

def _library(name, proto, deps, services, units, **kwargs):
    _protoc_cc(name = name + "_gen", proto = proto, services = services, units = units, visibility = ["//visibility:private"])
    for group in ["headers", "sources", "units"]:
        native.filegroup(
            name = "%s_%s" % (name, group),
            srcs = [name + "_gen"],
            output_group = group,
            visibility = ["//visibility:private"],
        )
    native.cc_library(
        name = name,
        srcs = [name + "_units"],
        hdrs = [name + "_headers"],
        includes = ["."],
        textual_hdrs = [name + "_sources"],
        deps = deps,
        **kwargs
    )

def cc_proto_library(name, proto, deps = [], units = 1, **kwargs):
    """A cc_library with the messages of `proto`.

    Args:
      name: target name.
      proto: a proto_library.
      deps: the cc_proto_library targets of the protos that it imports, but for those of protobuf itself.
      units: the number of sources that are compiled.
      **kwargs: passed to cc_library.
    """
    _library(name, proto, deps + ["@com_google_protobuf//:protobuf"], False, units, **kwargs)

def cc_grpc_library(name, proto, deps, **kwargs):
    """A cc_library with the gRPC stubs of `proto`.

    Args:
      name: target name.
      proto: a proto_library.
      deps: the cc_proto_library of `proto`.
      **kwargs: passed to cc_library.
    """
    _library(name, proto, deps + ["@com_github_grpc_grpc//:grpc++"], True, 1, **kwargs)
