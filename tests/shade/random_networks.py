#!/usr/bin/env python3
"""Compares the shader networks of random scenes in usd-core and in our engine.

    random_networks.py SHADE_DUMP [--count N] [--seed S] [--keep DIR] [--only I] [--stop-after N] [--jobs N]

SHADE_DUMP is the program //tests/tools:shade_dump. Prints the disagreements on the first such scenes and exits 1.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "../random"), os.path.join(HERE, "../geometry")]

from scene_checks import dumped, facts_by_path, facts_of, main  # noqa: E402

from network_scene import CONTEXTS, TERMINALS, NetworkScene  # noqa: E402
from pxr import Usd, UsdShade  # noqa: E402

SOURCES = {"sourceAsset": "GetSourceAsset", "sourceCode": "GetSourceCode"}


def paths(attributes):
    return [str(attribute.GetPath()) for attribute in attributes]


def ports(prim):
    connectable = UsdShade.ConnectableAPI(prim)
    return {port.GetFullName(): port for port in connectable.GetInputs(True) + connectable.GetOutputs(True)}


def is_shader_output(attribute):
    return attribute.GetName().startswith("outputs:") and not UsdShade.ConnectableAPI(attribute.GetPrim()).IsContainer()


def definition(prim):
    """What a shader is: (implementation source, id, {type: (source, sub-identifier)})."""
    api = UsdShade.NodeDefAPI(prim)
    kind = api.GetImplementationSource()
    if kind == "id":
        return [kind, api.GetShaderId() or "", {}]
    sources = {}
    shared = prim.GetAttribute(f"info:{kind}")
    for name in ([""] if shared and shared.IsAuthored() else []) + list(api.GetSourceTypes()):
        source = getattr(api, SOURCES[kind])(name)
        part = api.GetSourceAssetSubIdentifier(name) if kind == "sourceAsset" else ""
        sources[name] = [getattr(source, "path", source) or "", part or ""]
    return [kind, "", sources]


def terminals(material, context):
    """{name: [node, output]} for a context."""
    found = {}
    for name in TERMINALS:
        shader, output, _ = getattr(material, f"Compute{name.capitalize()}Source")(context)
        if shader:
            found[name] = [str(shader.GetPath()), output]
    return found


def flat_nodes(heads):
    """{node: {input: [connected outputs, attribute of the value]}} of what leads to the prims `heads`."""
    nodes, todo = {}, list(heads)
    while todo:
        prim = todo.pop()
        path = str(prim.GetPath())
        if path in nodes:
            continue
        nodes[path] = {}
        for name, port in ports(prim).items():
            if name.startswith("inputs:"):
                found = UsdShade.Utils.GetValueProducingAttributes(port)
                outputs = [a for a in found if is_shader_output(a)]
                values = [a for a in found if not is_shader_output(a)]
                nodes[path][name] = [paths(outputs), paths(values[:1])]
                todo += [a.GetPrim() for a in outputs]
    return nodes


def material_of(prim, prototypes):
    material = UsdShade.Material(prim)
    stage = prim.GetStage()
    record = {"base": str(material.GetBaseMaterialPath())}
    for prototype, instance in prototypes.items():  # ours is that of the instance
        if record["base"].startswith(prototype + "/"):
            at = next(str(p) for p in prim.GetPath().GetPrefixes() if stage.GetPrimAtPath(p).IsInstance())
            record["base"] = at + record["base"][len(prototype):]
    for context in CONTEXTS:
        found = terminals(material, context)
        record[f"terminals {context}"] = found
        record[f"nodes {context}"] = flat_nodes([stage.GetPrimAtPath(node) for node, _ in found.values()])
    return record


def theirs(root):
    """Records by path, by usd-core."""
    stage = Usd.Stage.Open(root)
    prototypes = {str(p.GetPath()): p for p in stage.GetPrototypes()}
    found = {}
    for prim in list(Usd.PrimRange(stage.GetPseudoRoot(), Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate)))[1:]:
        path = str(prim.GetPath())
        found[path] = {"definition": definition(prim)}
        for name, port in ports(prim).items():
            found[f"{path}.{name}"] = {"producers": paths(UsdShade.Utils.GetValueProducingAttributes(port)),
                                       "outputs": paths(UsdShade.Utils.GetValueProducingAttributes(port, True))}
        if prim.IsA(UsdShade.Material):
            found[path].update(material_of(prim, prototypes))
    return found


def ours(program, root):
    """The records of our program, in the form of `theirs`."""
    return facts_by_path(dumped(program, root, "networks"))


if __name__ == "__main__":
    sys.exit(main(NetworkScene, lambda root: facts_of(theirs(root)), ours))
