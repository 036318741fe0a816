#!/usr/bin/env python3
"""Checks what a library exports: symbols.py LIBRARY HEADER... The headers are those of the C interface.

Each function of the C interface is exported; all other symbols are of the public C++ classes and messages, and have
a version. The soname is that of the file.
"""
import os
import re
import subprocess
import sys

# The symbols, demangled, that public headers declare.
PUBLIC = re.compile(r"""(vtable\ for\ |typeinfo\ for\ |typeinfo\ name\ for\ |guard\ variable\ for\ |non-virtual\ thunk\ to\ |virtual\ thunk\ to\ )?(
    stagedoor::v1:: | stagedoor::(Client|Cancellation|CancellationHook|SampleAssembler|ValueBatch)::
  | stagedoor::(ErrorReason|ErrorMetadata|ReasonName|WithReason|ItemError|ItemErrorAt|UnknownStateError)\b
  | stagedoor::sdk::(Attribute|ChangeSubscription|Connection|Frame|FrameChanges|FrameContents|Prim|Stage|StageChanges|StageView|TimeCode|Times|Value|Values|Watch)::
  | stagedoor::sdk::(DescribeError|IsLostLease|IsUnreachable)\b | stagedoor::sdk::ValueGetter<
  | TableStruct_stagedoor_2fv1_ | descriptor_table_stagedoor_2fv1_ )
  | .*google::protobuf::Arena::CreateMaybeMessage<stagedoor::v1::
  | STAGEDOOR_1$""", re.X)
# Parts of public classes that are private to the library.
PRIVATE = re.compile(r"(vtable for |typeinfo for )?stagedoor::(Client::Impl|Cancellation::State|sdk::Frame::(Call|State))\b")
# Functions of the standard library that the linker exports because other libraries have them too.
STANDARD = re.compile(r"std::")


def run(*command, text=None):
    return subprocess.run(command, input=text, stdout=subprocess.PIPE, check=True, text=True).stdout


def exported(library):
    """Names of the symbols, with their version: mangled and demangled."""
    names = [line.split()[-1] for line in run("nm", "-D", "--defined-only", library).splitlines()]
    plain = "\n".join(name.split("@")[0] for name in names)
    return list(zip(names, run("c++filt", text=plain).splitlines()))


def declared(header):
    """The names of the functions that a header declares."""
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"^\w[\w\s*]*?\b(sd_\w+)\(", re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S), re.M))


def main():
    library, *headers = sys.argv[1:]
    problems = [f"no functions were found in {header}" for header in headers if not declared(header)]
    symbols = exported(library)
    functions = set().union(*map(declared, headers))
    problems += [f"{name} is declared but not exported" for name in sorted(functions - {plain for _, plain in symbols})]
    for name, plain in symbols:
        if plain in functions or STANDARD.match(plain):
            pass
        elif PRIVATE.match(plain) or not PUBLIC.match(plain):
            problems.append(f"{plain} is exported, but not public: see client/sdk/libstagedoor.map")
        if "@" not in name and plain != "STAGEDOOR_1" and not STANDARD.match(plain):
            problems.append(f"{plain} has no version")
    soname = re.search(r"\(SONAME\).*\[(.*)\]", run("readelf", "-d", library))
    if soname is None or soname[1] != os.path.basename(library):
        problems.append(f"the soname is {soname and soname[1]}")
    if not headers:
        problems.append("no headers are given")
    for problem in problems[:20]:
        print(f"cpp-sdk: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
