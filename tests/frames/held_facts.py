"""The facts that frame_reference.py finds, of the parts that frame_dump prints."""
from drawn_prims import LEFT_OUT, row_name
from frame_geometry import Samples
from frame_header import of_camera_message, of_settings_message
from frame_shading import first_of_instances
from plain_values import of_message, of_packed

ALL_LIGHTS = "1"
NONE = "0"


class HeldFacts:
    """Finds out what parts refer to by their IDs. `stage` is usd-core's, to recognize prims that are the same in all instances;
    `prototypes` are the paths that roots of prototypes may have."""

    def __init__(self, stage, parts, prototypes):
        self.stage = stage
        self.parts = {kind: [] for kind in ("header", "materials", "lights", "lightSets", "prims", "visibility", "transforms",
                                            "geometry", "subsets")}
        for part in parts:
            (kind, held), = part.items()
            self.parts[kind] += held if isinstance(held, list) else [held]
        self.read_objects(prototypes)

    def read_objects(self, prototypes):
        self.visible = {held["ids"][0]: bool(of_flag(held["visible"])) for held in self.parts["visibility"]}
        self.transforms = {held["ids"][0]: Samples(held.get("times", []), list(split(of_packed(held["matrices"]))))
                           for held in self.parts["transforms"]}
        self.materials = {held["ids"][0]: self.shared_name(held["paths"][0]) for held in self.parts["materials"]}
        self.lights = {held["id"]: held["path"] for held in self.parts["lights"]}
        self.sets = {held["id"]: sorted(self.lights[light] for light in held.get("lights", [])) for held in self.parts["lightSets"]}
        self.sets.setdefault(ALL_LIGHTS, sorted(held["path"] for held in self.parts["lights"] if not held.get("isFilter")))
        self.geometry = {}
        for held in self.parts["geometry"]:
            merged = self.geometry.setdefault(held["id"], {"values": []})
            merged["values"] += held.get("values", [])
            merged.update((name, held[name]) for name in ("fields", "instances") if name in held)
        self.roots = {}
        for held in self.geometry.values():
            instances = held.get("instances", {})
            self.roots.update(zip(instances.get("prototypes", []), instances.get("prototypePaths", [])))
        self.find_other_roots(prototypes)
        self.rows = {held["ids"][0]: row_name(held["paths"][0], self.root(held["prototypes"][0])) for held in self.parts["prims"]}

    def find_other_roots(self, prototypes):
        """Those of instancers that are left out, or whose instances could not be computed, by the paths of their prims."""
        unknown = {}
        for held in self.parts["prims"]:
            if held["prototypes"][0] not in (NONE, *self.roots):
                unknown.setdefault(held["prototypes"][0], []).append(held["paths"][0])
        free = sorted(set(prototypes) - set(self.roots.values()), key=len, reverse=True)
        for name, paths in unknown.items():
            above = [root for root in free if all(path == root or path.startswith(root + "/") for path in paths)]
            self.roots[name] = above[0] if above else f"with the ID {name}"

    def root(self, prototype):
        return "" if prototype == NONE else self.roots[prototype]

    def shared_name(self, path):
        prim = self.stage.GetPrimAtPath(path)
        return first_of_instances(prim) if prim else path

    def material(self, name):
        return "" if name == NONE else self.materials[name]

    def facts(self):
        facts = self.header_facts()
        for held in self.parts["prims"]:
            facts[self.rows[held["ids"][0]]] = self.row_facts(held)
        for held in self.parts["subsets"]:
            facts[f"subset {held['path']} of {self.rows[held['prim']]}"] = {
                "element type": held.get("elementType", ""), "family": held.get("familyName", ""),
                "indices": numbers(held.get("indices")), "material": self.material(held.get("material", NONE))}
        for held in self.parts["lights"]:
            facts[f"light {held['path']}"] = self.light_facts(held)
        for held in self.parts["materials"]:
            facts[f"material {self.materials[held['ids'][0]]}"] = self.network_facts(held["networks"][0])
        return facts

    def header_facts(self):
        header, = self.parts["header"]
        facts = {"header stage": {"meters per unit": header.get("metersPerUnit", 0), "time codes per second": header.get("timeCodesPerSecond", 0),
                                 "up axis": header.get("upAxis", "")}}
        if "settings" in header:
            facts["header settings"] = of_settings_message(header["settings"])
        if "camera" in header:
            facts["header camera"] = {"path": header["cameraPath"], "samples": Samples(*of_camera_message(header["camera"]))}
        return facts

    def row_facts(self, held):
        name = held["ids"][0]
        facts = {"type": held["typeNames"][0], "purpose": held["purposes"][0].removeprefix("PURPOSE_").lower(),
                 "draw mode": held.get("drawModes", [""])[0], "visible": self.visible[name], "transform": self.transforms.get(name),
                 "material": self.material(held["materials"][0]), "lights": self.sets[held["lightSets"][0]],
                 "shadow lights": self.sets[held["shadowSets"][0]]}
        if "passMembers" in held:
            facts["pass members"] = of_flag(held["passMembers"])
        geometry = self.geometry.get(held["geometry"][0], {"values": []})
        facts.update((f"value {value['name']}", samples_of(value)) for value in geometry["values"])
        if "fields" in geometry:
            facts["fields"] = [field_of(field) for field in geometry["fields"]]
        if "instances" in geometry:
            facts["instances"] = instances_of(geometry["instances"])
        return facts

    def light_facts(self, held):
        facts = {"type": held.get("typeName", ""), "is filter": held.get("isFilter", False), "shader": held.get("shaderId", ""),
                 "filters": [self.lights[light] for light in held.get("filters", [])],
                 "portals": [self.lights[light] for light in held.get("portals", [])],
                 "material": self.material(held.get("material", NONE)), "visible": self.visible[held["id"]],
                 "transform": self.transforms.get(held["id"]), "prim": self.prim_of_light(held.get("prim", NONE))}
        facts.update((f"value {value['name']}", samples_of(value)) for value in held.get("values", []))
        return facts

    def prim_of_light(self, name):
        return "" if name == NONE else self.rows.get(name, LEFT_OUT)

    def network_facts(self, network):
        names = [self.shared_name(node["path"]) for node in network.get("nodes", [])]
        source = lambda held: names[held.get("node", 0)]  # noqa: E731
        terminals = {terminal["name"]: [source(terminal["source"]), terminal["source"]["name"]] for terminal in network.get("terminals", [])}
        nodes = {}
        for name, node in zip(names, network.get("nodes", [])):
            nodes[name] = {"id": node.get("id", "")}
            for port in node.get("inputs", []):
                outputs = [f"{source(held)}.outputs:{held['name']}" for held in port.get("connections", [])]
                values = port.get("values", [])
                nodes[name][f"inputs:{port['name']}"] = [outputs, of_message(values[0]) if values else None]
        return {"terminals": terminals, "nodes": nodes}


def of_flag(text):
    """The byte of a field that has one for each prim."""
    return of_packed({"componentType": "COMPONENT_TYPE_UINT8", "data": text, "count": 1, "rows": 1, "columns": 1}).item()


def split(array):
    """The matrices of a transform, one for each sample."""
    return [row.reshape(1, -1) for row in array]


def numbers(packed):
    return of_packed(packed).reshape(-1).tolist() if packed else []


def samples_of(value):
    about = (value.get("typeName", ""), value.get("interpolation", ""), value.get("elementSize", 0))
    return Samples(value.get("times", []), [of_message(held) for held in value.get("values", [])], False, about,
                   [of_message(held) for held in value.get("indices", [])])


def field_of(field):
    """As spaces_records has it."""
    sample, = field.get("samples") or [None]
    if sample is None:
        return [field["name"], field["path"], None]
    file = sample.get("file", {})
    return [field["name"], field["path"], [
        file.get("authored", ""), bool(file.get("resolved")), sample.get("fieldName", ""), sample.get("fieldIndex"),
        sample.get("fieldDataType", ""), sample.get("vectorDataRoleHint", ""), sample.get("fieldClass", ""), sample.get("fieldPurpose", "")]]


def instances_of(held):
    if not held:
        return None
    found = {"prototypes": held.get("prototypePaths", []), "prototype indices": numbers(held.get("prototypeIndices")),
             "instance indices": numbers(held.get("instanceIndices"))}
    if "ids" in held:
        found["ids"] = numbers(held["ids"])
    if held.get("transforms"):
        found["transforms"] = Samples(held.get("times", []), [of_packed(matrices) for matrices in held["transforms"]])
    return found
