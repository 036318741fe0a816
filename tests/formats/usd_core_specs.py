"""usd_core_specs.py: what usd-core makes of layers, one JSON line for each file named on standard input.

{"file", "opens": true, "specs": {path: [type, field, …]}}; "opens" is false where it refuses the file and null where
it does not survive it. Each file is opened in a process of its own. Run with a Python that has usd-core.
"""
import json
import os
import sys

# What states the namespace only.
HIDDEN = {"primChildren", "properties", "variantChildren", "variantSetChildren", "connectionChildren",
          "targetChildren", "relationshipTargetChildren", "mapperChildren", "expressionChildren"}
TYPES = {"PseudoRootSpec": "pseudoRoot", "PrimSpec": "prim", "AttributeSpec": "attribute",
         "RelationshipSpec": "relationship", "VariantSetSpec": "variantSet", "VariantSpec": "variant"}


def specs_of(layer):
    """As found from the root along what specs list."""
    from pxr import Sdf
    found = {}

    def visit(path):
        spec = layer.GetObjectAtPath(path)
        kind = TYPES.get(type(spec).__name__) if spec else None
        if path == Sdf.Path.absoluteRootPath:
            kind = "pseudoRoot"
        if kind is None:
            return
        found[str(path)] = [kind] + sorted(set(spec.ListInfoKeys()) - HIDDEN)

    layer.Traverse(Sdf.Path.absoluteRootPath, visit)
    return found


def answer(file):
    from pxr import Sdf, Tf
    try:
        layer = Sdf.Layer.FindOrOpen(file)
    except Tf.ErrorException:
        return {"file": file, "opens": False}
    if not layer:
        return {"file": file, "opens": False}
    return {"file": file, "opens": True, "specs": specs_of(layer)}


def answer_apart(file):
    """answer(), from a process that may die of it."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            text = json.dumps(answer(file))
        except Exception as error:  # not of opening: of looking at what was opened
            text = json.dumps({"file": file, "opens": True, "error": str(error)[-300:]})
        with os.fdopen(write, "w") as out:
            out.write(text)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as source:
        text = source.read()
    os.waitpid(child, 0)
    return text or json.dumps({"file": file, "opens": None})


def main():
    from pxr import Sdf  # once, before forking
    Sdf.Layer.CreateAnonymous(".usdc").ExportToString()
    for line in sys.stdin:
        print(answer_apart(line.rstrip("\n")), flush=True)


if __name__ == "__main__":
    main()
