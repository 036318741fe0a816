"""py_grpc_library: Python messages and gRPC stubs from proto_library targets.

The strip_import_prefix of the proto_library targets must name the package of
the py_grpc_library.
"""

load("//bazel:cc_proto_library.bzl", "import_name", "tool")

def _py_grpc_srcs_impl(ctx):
    outs = []
    args = ctx.actions.args()
    args.add(ctx.executable._plugin, format = "--plugin=protoc-gen-grpc=%s")
    out_dir = "/".join([p for p in [ctx.bin_dir.path, ctx.label.package] if p])
    args.add("--python_out=" + out_dir)
    args.add("--grpc_out=" + out_dir)
    infos = [proto[ProtoInfo] for proto in ctx.attr.protos]
    paths = depset(transitive = [info.transitive_proto_path for info in infos])
    args.add_all(paths, format_each = "-I%s")
    for info in infos:
        for src in info.direct_sources:
            stem = import_name(src, info)[:-len(".proto")]
            outs.append(ctx.actions.declare_file(stem + "_pb2.py"))
            outs.append(ctx.actions.declare_file(stem + "_pb2_grpc.py"))
        args.add_all(info.direct_sources)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        tools = [ctx.executable._plugin],
        inputs = depset(transitive = [info.transitive_sources for info in infos]),
        outputs = outs,
        arguments = [args],
        mnemonic = "GrpcPython",
        progress_message = "Generating Python for %s" % ctx.label,
    )
    return [DefaultInfo(files = depset(outs))]

_py_grpc_srcs = rule(
    implementation = _py_grpc_srcs_impl,
    attrs = {
        "protos": attr.label_list(mandatory = True, providers = [ProtoInfo]),
        "_protoc": tool("@com_google_protobuf//:protoc"),
        "_plugin": tool("@com_github_grpc_grpc//:grpc_python_plugin"),
    },
)

def py_grpc_library(name, protos, **kwargs):
    """A py_library with the messages and stubs of `protos`; needs grpcio and protobuf at run time.

    Args:
      name: target name.
      protos: proto_library targets.
      **kwargs: passed to py_library.
    """
    _py_grpc_srcs(name = name + "_gen", protos = protos, visibility = ["//visibility:private"])
    native.py_library(name = name, srcs = [name + "_gen"], imports = ["."], **kwargs)
