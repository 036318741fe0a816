"""usd_core_specs.py: prints the specs that usd-core reads from layers, one JSON line for each file named on standard input.

{"file", "opens": true, "specs": {path: [type, field, …]}}; "opens" is false if usd-core rejects the file and null if it
crashes. Each file is opened in its own process. Run with a Python that has usd-core.
"""
import json
import os
import sys

# Fields that only describe the namespace.
HIDDEN = {"primChildren", "properties", "variantChildren", "variantSetChildren", "connectionChildren",
          "targetChildren", "relationshipTargetChildren", "mapperChildren", "expressionChildren"}
TYPES = {"PseudoRootSpec": "pseudoRoot", "PrimSpec": "prim", "AttributeSpec": "attribute",
         "RelationshipSpec": "relationship", "VariantSetSpec": "variantSet", "VariantSpec": "variant"}


def specs_of(layer):
    """The specs found by traversing from the root."""
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
    """Runs answer() in a process that may crash."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        try:
            text = json.dumps(answer(file))
        except Exception as error:  # the layer opened, but inspecting it failed
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
