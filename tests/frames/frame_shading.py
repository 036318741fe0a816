"""The materials and lights of a frame, by usd-core."""
from drawn_prims import is_below
from plain_values import of_usd
from pxr import Sdf, Usd, UsdLux, UsdShade
from random_networks import definition, flat_nodes, is_shader_output, ports

TERMINALS = ("surface", "displacement", "volume")
LINKS = {"lights": "lightLink", "shadow lights": "shadowLink"}


def first_of_instances(prim):
    """The path of a prim, or for a prim of an instance that of its prototype, which is the same for all instances."""
    return str(prim.GetPrimInPrototype().GetPath()) if prim.IsInstanceProxy() else str(prim.GetPath())


class Materials:
    """What prims are bound to: for the first of some purposes that has a binding of its own."""

    def __init__(self, purposes):
        self.purposes = list(purposes)

    def of(self, prims):
        """The material of each prim, or None."""
        found = [None] * len(prims)
        open_ = set(range(len(prims)))
        for purpose in self.purposes:
            materials, bindings = UsdShade.MaterialBindingAPI.ComputeBoundMaterials(prims, purpose)
            for i in list(open_):
                if bindings[i] and purpose_of(bindings[i]) == purpose:
                    found[i] = materials[i].GetPrim() if materials[i] else None
                    open_.remove(i)
        return found


def purpose_of(binding):
    """The purpose of a relationship that binds a material, by its name."""
    words = binding.GetName().split(":")[2:]
    if words[:1] == ["collection"]:
        return words[1] if len(words) > 2 else ""
    return words[0] if words else ""


def network_facts(prim, contexts, code):
    """{terminal: [node, output]} and {node: {input: [connections, value]}} of a material. usd-core's Python takes one context at most."""
    material = UsdShade.Material(prim)
    terminals, heads = {}, []
    for name in TERMINALS:
        shader, output, _ = getattr(material, f"Compute{name.capitalize()}Source")(*contexts)
        if shader:
            terminals[name] = [first_of_instances(shader.GetPrim()), str(output)]
            heads.append(shader.GetPrim())
    nodes = {first_of_instances(node): node_facts(node, code) for node in map(prim.GetStage().GetPrimAtPath, flat_nodes(heads))}
    return {"terminals": terminals, "nodes": nodes}


def node_facts(prim, code):
    source, name, _ = definition(prim)
    facts = {"id": name if source == "id" else ""}
    for port_name, port in ports(prim).items():
        if not port_name.startswith("inputs:"):
            continue
        producers = UsdShade.Utils.GetValueProducingAttributes(port)
        outputs = [a for a in producers if is_shader_output(a)]
        values = [a for a in producers if not is_shader_output(a)]
        facts[port_name] = [[f"{first_of_instances(a.GetPrim())}.{a.GetName()}" for a in outputs],
                            of_usd(values[0].Get(code), values[0].GetTypeName()) if values else None]
    return facts


def outside_of_instances(prim, collections):
    """The stage of a prim, or one on which it is not in an instance if its collections have path expressions.

    In a prototype, usd-core maps path expressions as for one of the instances, whichever of them it has made the prototype of.
    """
    stage, path = prim.GetStage(), prim.GetPath()
    if not any(Usd.CollectionAPI(prim, name).GetMembershipExpressionAttr().HasAuthoredValue() for name in collections):
        return stage
    session = Sdf.Layer.CreateAnonymous("session.usda")
    session.subLayerPaths = [stage.GetSessionLayer().identifier] if stage.GetSessionLayer() else []
    stage = Usd.Stage.Open(stage.GetRootLayer(), session)
    while (prim := stage.GetPrimAtPath(path)).IsInstanceProxy():
        while not prim.IsInstance():
            prim = prim.GetParent()
        Sdf.CreatePrimInLayer(session, prim.GetPath()).instanceable = False
    return stage


class Lights:
    """The lights and light filters of a selection, and what they are linked to."""

    def __init__(self, stage, selection):
        excluded = [Sdf.Path(path) for path in selection.get("excluded", [])]
        paths = set()
        for root in selection.get("roots", ["/"]):
            lights = UsdLux.LightListAPI(stage.GetPrimAtPath(root)).ComputeLightList(UsdLux.LightListAPI.ComputeModeIgnoreCache)
            paths.update(path for path in lights if not is_below(path, excluded))
        self.prims = [stage.GetPrimAtPath(path) for path in sorted(paths)]
        lights = [prim for prim in self.prims if not prim.IsA(UsdLux.LightFilter)]
        self.alone = {light.GetPath(): outside_of_instances(light, LINKS.values()) for light in lights}
        self.queries = {link: [(str(path), Usd.CollectionAPI(stage.GetPrimAtPath(path), link).ComputeMembershipQuery())
                               for path, stage in self.alone.items()] for link in LINKS.values()}

    def linked(self, prim):
        """{field: paths of the lights}."""
        return {field: [light for light, query in self.queries[link] if query.IsPathIncluded(prim.GetPath())]
                for field, link in LINKS.items()}

    def facts(self, prim, contexts):
        is_filter = prim.IsA(UsdLux.LightFilter)
        api = UsdLux.LightFilter(prim) if is_filter else UsdLux.LightAPI(prim)
        facts = {"type": str(prim.GetTypeName()), "is filter": is_filter, "shader": str(api.GetShaderId(contexts))}
        known = {light.GetPath() for light in self.prims}
        for field, name in (("filters", "light:filters"), ("portals", "portals")):
            relationship = prim.GetRelationship(name)
            targets = relationship.GetForwardedTargets() if relationship else []
            facts[field] = [str(path) for path in targets if path in known]
        return facts
