"""Generates builtin_schemas.cc from the files in builtin/: embed_builtins.py OUT FILE…"""
import os
import sys

DELIMITER = "~schema~"


def literal(path):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    assert DELIMITER not in text
    return 'R"%s(%s)%s"' % (DELIMITER, text, DELIMITER)


def main():
    out, files = sys.argv[1], sorted(sys.argv[2:])
    layers = [f for f in files if f.endswith(".usda")]
    (info,) = [f for f in files if f.endswith(".json")]
    entries = ["    {\"%s\", %s},\n" % (os.path.basename(f)[:-len(".usda")], literal(f)) for f in layers]
    with open(out, "w", encoding="utf-8") as f:
        f.write('#include "scene/schema/builtin_schemas.h"\n\nnamespace stagedoor {\nnamespace {\n\n'
                "constexpr BuiltinSchemaFile kFiles[] = {\n%s};\n\n"
                "constexpr std::string_view kPlugInfo = %s;\n\n}  // namespace\n\n"
                "std::span<const BuiltinSchemaFile> BuiltinSchemaFiles() { return kFiles; }\n"
                "std::string_view BuiltinPlugInfo() { return kPlugInfo; }\n\n"
                "}  // namespace stagedoor\n" % ("".join(entries), literal(info)))


if __name__ == "__main__":
    main()
