"""py_grpc_library: Python messages and gRPC stubs from one proto_library."""

def _py_grpc_srcs_impl(ctx):
    info = ctx.attr.proto[ProtoInfo]
    outs = []
    for src in info.direct_sources:
        stem = src.basename[:-len(".proto")]
        outs.append(ctx.actions.declare_file(stem + "_pb2.py", sibling = src))
        outs.append(ctx.actions.declare_file(stem + "_pb2_grpc.py", sibling = src))
    args = ctx.actions.args()
    args.add(ctx.executable._plugin, format = "--plugin=protoc-gen-grpc=%s")
    args.add("--python_out=" + ctx.bin_dir.path)
    args.add("--grpc_out=" + ctx.bin_dir.path)
    args.add_all(info.transitive_proto_path, format_each = "-I%s")
    args.add_all(info.direct_sources)
    ctx.actions.run(
        executable = ctx.executable._protoc,
        tools = [ctx.executable._plugin],
        inputs = info.transitive_sources,
        outputs = outs,
        arguments = [args],
        mnemonic = "GrpcPython",
        progress_message = "Generating Python for %s" % ctx.attr.proto.label,
    )
    return [DefaultInfo(files = depset(outs))]

_py_grpc_srcs = rule(
    implementation = _py_grpc_srcs_impl,
    attrs = {
        "proto": attr.label(mandatory = True, providers = [ProtoInfo]),
        "_protoc": attr.label(
            default = "@com_google_protobuf//:protoc",
            executable = True,
            cfg = "exec",
            allow_single_file = True,
        ),
        "_plugin": attr.label(
            default = "@com_github_grpc_grpc//:grpc_python_plugin",
            executable = True,
            cfg = "exec",
            allow_single_file = True,
        ),
    },
)

def py_grpc_library(name, proto, **kwargs):
    """A py_library with the messages and stubs of `proto`; needs grpcio and protobuf at run time.

    Args:
      name: target name.
      proto: a proto_library.
      **kwargs: passed to py_library.
    """
    _py_grpc_srcs(name = name + "_gen", proto = proto, visibility = ["//visibility:private"])
    native.py_library(name = name, srcs = [name + "_gen"], **kwargs)
