"""A random conformance case: layers with everything that a stage consists of, and the questions about them."""
import json
import os
import random

ROOTS = ["A", "B", "C", "D", "_class_E"]
CHILDREN = ["X", "Y", "Z"]
SETS = ["v", "w", "u"]
VARIANTS = ["a", "b"]
VARIABLES = ["ROOT", "N", "NAME", "FLAG", "LIST", "MISSING", "NESTED"]

# Weights of the features of a scene. The base weights apply to all themes.
BASE = {"arc": 0.15, "variant": 0.1, "property": 0.5, "metadata": 0.15, "list_ops": 0.5, "types": 0.3}
THEMES = {
    "arcs": {"arc": 0.3, "variant": 0.2, "relocate": 0.2, "error": 0.3},
    "relocates": {"arc": 0.25, "relocate": 1.0, "target": 0.5, "variant": 0.1, "error": 0.2},
    "variants": {"variant": 0.5, "selection": 0.4, "fallback": 0.6, "arc": 0.15, "session": 0.4, "expression": 0.2},
    "payloads": {"payload": 0.4, "load": 0.6, "mask": 0.6, "arc": 0.15, "instance": 0.1},
    "expressions": {"expression": 0.8, "arc": 0.2, "variant": 0.3, "session": 0.3, "asset": 0.6, "error": 0.1},
    "instancing": {"instance": 0.5, "arc": 0.35, "target": 0.5, "proxies": 0.7, "variant": 0.1, "mask": 0.2,
                   "collection": 0.1},
    "collections": {"collection": 0.7, "arc": 0.15, "instance": 0.1, "target": 0.4, "variant": 0.05, "relocate": 0.1},
    "schema": {"types": 0.9, "schema": 0.8, "metadata": 0.2, "arc": 0.15, "fallback_types": 0.3},
    "metadata": {"metadata": 0.7, "arc": 0.2, "offset": 0.4, "variant": 0.1, "asset": 0.4, "session": 0.3, "kind": 0.4},
    "targets": {"target": 1.0, "arc": 0.3, "relocate": 0.2, "instance": 0.2, "variant": 0.15, "proxies": 0.4},
    "time": {"samples": 0.8, "offset": 0.7, "arc": 0.3, "asset": 0.1, "session": 0.2, "metadata": 0.2},
    "order": {"order": 0.6, "arc": 0.2, "variant": 0.15, "relocate": 0.1},
    "models": {"kind": 0.8, "active": 0.2, "arc": 0.15, "instance": 0.2, "proxies": 0.4, "mask": 0.2},
    "errors": {"error": 1.0, "arc": 0.35, "relocate": 0.3, "expression": 0.2, "permission": 0.2},
    "flatten": {"flatten": 1.0, "arc": 0.25, "instance": 0.2, "offset": 0.3, "target": 0.4, "asset": 0.3,
                "samples": 0.3, "relocate": 0.15, "variant": 0.15, "metadata": 0.3, "list_ops": 0.6},
    "everything": {k: 0.2 for k in (
        "arc", "variant", "payload", "relocate", "target", "error", "selection", "fallback", "session", "expression",
        "load", "mask", "instance", "proxies", "collection", "schema", "offset", "asset", "kind", "samples", "order",
        "active", "permission")},
}

TYPES = ["Xform", "Scope", "Mesh", "Cube", "Material", "Shader", "Camera", "SphereLight", "NoSuchType", "SkelRoot",
         "PointInstancer", "GeomSubset", "Points", "NodeGraph", "RenderSettings", "DomeLight", "Plane"]
APIS = ["MaterialBindingAPI", "CollectionAPI:lit", "CollectionAPI:lit:inner", "ShapingAPI", "ShadowAPI", "LightAPI",
        "GeomModelAPI", "NoSuchAPI", "NoSuchMultiAPI:x", "SkelBindingAPI", "MotionAPI", "PrimvarsAPI", "ModelAPI",
        "CoordSysAPI:cam", "CollectionAPI", "PhysicsLimitAPI:rotX", "PhysicsDriveAPI:linear", "PhysicsRigidBodyAPI",
        "VisibilityAPI", "NodeDefAPI", "ConnectableAPI", "AccessibilityAPI:default", "AssetPreviewsAPI", "ClipsAPI"]
BUILTIN_ATTRIBUTES = [
    ("uniform token", "purpose", ['"render"', '"proxy"']), ("token", "visibility", ['"invisible"']),
    ("double", "size", ["3", "0.5"]), ("float3[]", "extent", ["[(0,0,0),(1,1,1)]"]),
    ("uniform token[]", "xformOpOrder", ['["xformOp:translate"]', "[]"]),
    ("double3", "xformOp:translate", ["(1,2,3)"]), ("uniform token", "subdivisionScheme", ['"none"']),
    ("float", "inputs:intensity", ["2.5", "None"]), ("color3f", "inputs:color", ["(1,0,0)"]),
    ("token", "outputs:surface", ['"x"']), ("uniform token", "info:id", ['"UsdPreviewSurface"']),
    ("bool", "doubleSided", ["1"]), ("point3f[]", "points", ["[(0,0,0)]"]), ("int", "size", ["4"]),
    ("token", "size", ['"word"']), ("uniform bool", "collection:lit:includeRoot", ["1"]),
]


class Scene:
    def __init__(self, seed, theme):
        r = self.rng = random.Random(seed)
        self.w = dict(BASE)
        for key, value in THEMES[theme].items():
            self.w[key] = value * r.choice([0.3, 0.7, 1, 1])
        for key in list(self.w):
            if r.random() < 0.1:
                self.w[key] = 0
        # Arcs to arcs multiply, so most scenes have few arcs and some have many.
        self.w["arc"] *= r.choice([0.3, 0.5, 0.5, 1])
        self.theme = theme
        self.files = [f"l{i}.usda" for i in range(r.choice([1, 2, 2, 3, 4]))]
        if len(self.files) > 1 and r.random() < 0.3:
            self.files[-1] = "sub/" + self.files[-1]
        self.max_depth = r.choice([1, 2, 2, 3])
        self.layer = self.prim = 0
        self.in_variant = False

    def chance(self, p):
        return self.rng.random() < p

    def has(self, name, scale=1.0):
        return self.rng.random() < self.w.get(name, 0) * scale

    # ---------------------------------------------------------------- names and paths

    def path(self, later=True, children=(0, 0, 0, 1, 1, 2)):
        r = self.rng
        roots = ROOTS[self.prim + 1:] if later and not self.chance(0.03) else ROOTS
        text = "/" + r.choice(roots or ROOTS[-1:])
        for _ in range(r.choice(children)):
            text += "/" + r.choice(CHILDREN)
        return text

    def file(self, name):
        """A file's name as written in the current layer."""
        here = self.files[self.layer]
        relative = os.path.relpath(name, os.path.dirname(here) or ".")
        return relative if relative.startswith(".") else "./" + relative

    def offset(self):
        r = self.rng
        if not self.has("offset"):
            return ""
        scale = r.choice([1, 2, 0.5, 3])
        if self.has("error", 0.2):
            scale = r.choice([0, -1])
        return f"offset = {r.randint(-5, 5)}; scale = {scale}"

    def asset(self, name):
        """An asset path, possibly as an expression."""
        r = self.rng
        if not self.has("expression"):
            return f"@{name}@"
        stem = os.path.basename(name)
        number = stem[1] if len(stem) > 1 and stem[1].isdigit() else "9"
        forms = [f'`"{name}"`', f"`if(eq(${{N}}, 1), '{name}', '{name}')`", f"`'{name}' `",
                 f"`\"{name.replace(stem, 'l${N}.usda')}\"`",
                 f'`if(${{FLAG}}, "{name}")`', f'`if(defined("N"), "{name}", "")`',
                 f"`if(contains(${{LIST}}, 'l{number}'), '{name}')`",
                 f'`"{name.replace(stem, "${NAME}.usda")}"`', f'`at(["{name}", "x.usda"], ${{N}})`',
                 '`${MISSING}`', f"`${{NESTED}}`"]
        return "@" + r.choice(forms) + "@"

    def expression(self):
        """A variable expression of any type, valid or invalid."""
        r = self.rng

        def value(depth=0):
            simple = ['"text"', "'b'", "${N}", "${NAME}", "${FLAG}", "${LIST}", "${MISSING}", "1", "-3", "true",
                      "False", "None", "[]", "['a', 'b']", "[1, 2]", '"${NAME}_${N}"', "'${ROOT}'", "'a'", "${NESTED}",
                      '"\\${NAME}"', "[True]", "['a', 1]", "9999999999999999999", '"${MISSING}x"', "['${NAME}']"]
            if depth > 2 or r.random() < 0.4:
                return r.choice(simple)
            v = lambda: value(depth + 1)  # noqa: E731
            name = r.choice(["if", "eq", "neq", "lt", "leq", "gt", "geq", "and", "or", "not", "contains", "at", "len",
                             "defined", "nosuch", "if", "eq"])
            count = {"if": r.choice([2, 3, 3]), "not": 1, "len": 1, "defined": r.choice([1, 2])}.get(name, 2)
            if r.random() < 0.05:
                count += 1
            if name == "defined" and r.random() < 0.9:
                return f"defined({', '.join(repr(r.choice(VARIABLES)) for _ in range(count))})"
            return f"{name}({', '.join(v() for _ in range(count))})"
        return "`" + value() + "`"

    # ---------------------------------------------------------------- list edits

    def edit(self):
        if self.has("list_ops"):
            return self.rng.choice(["prepend ", "append ", "add ", "delete ", "prepend ", "reorder "])
        return self.rng.choice(["", "prepend "])

    def statement(self, field, make, unique=None):
        r = self.rng
        out = []
        edits = {self.edit() for _ in range(r.choice([1, 1, 1, 2]))}
        if "" in edits:
            edits = {""}
        for edit in sorted(edits):
            items = list(dict.fromkeys(make() for _ in range(r.choice([1, 1, 2, 2, 3]))))
            text = "[" + ", ".join(items) + "]"
            if edit == "" and self.chance(0.05):
                text = "None"
            out.append(f"{edit}{field} = {text}")
        return out

    def arc_target(self, payload=False):
        r = self.rng
        later = self.files[self.layer + 1:]
        parts = []
        offset = self.offset()
        if offset:
            parts.append(offset)
        if not payload and self.has("metadata", 0.2):
            parts.append('customData = { int n = 1 }')
        tail = f" ({'; '.join(parts)})" if parts else ""
        if self.has("error", 0.1):
            return r.choice(["@./missing.usda@", "@./bad.usda@", "</Nowhere>"])
        if (self.chance(0.4) or not later) and not self.has("expression", 0.5):
            return f"<{self.path()}>{tail}"
        name = r.choice(later or self.files[-1:] if not self.has("error", 0.1) else self.files)
        path = "" if self.chance(0.15) else f"<{self.path(later=False)}>"
        return self.asset(self.file(name)) + path + tail

    def class_path(self):
        if self.chance(0.3):
            return f"</{ROOTS[self.prim]}/{self.rng.choice(CHILDREN)}>"
        if self.has("error", 0.05):
            return "<../X>"
        return f"<{self.path()}>"

    # ---------------------------------------------------------------- metadata

    def dictionary(self, depth=0):
        r = self.rng
        out = []
        for name in r.sample(["one", "two", "three", "four"], r.randint(0, 3)):
            kind = r.choice(["int", "string", "double[]", "dictionary", "asset", "token", "bool", "float3"])
            value = {"int": str(r.randint(0, 5)), "string": f'"{r.choice(VARIANTS)}"', "double[]": "[1.5, 2]",
                     "asset": self.asset("./tex.png") if self.has("asset") else "@./tex.png@", "token": '"t"',
                     "bool": "1", "float3": "(1, 2, 3)"}.get(kind)
            if kind == "dictionary":
                value = self.dictionary(depth + 1) if depth < 2 else "{}"
            out.append(f"{kind} {name} = {value}")
        return "{\n" + "\n".join(out) + "\n}"

    def general_metadata(self):
        r = self.rng
        out = []
        if self.has("metadata"):
            out.append(f"customData = {self.dictionary()}")
        if self.has("metadata", 0.5):
            out.append(f"assetInfo = {self.dictionary()}")
        if self.has("metadata", 0.4):
            out.append(f'doc = "doc {r.randint(0, 9)}"')
        if self.has("metadata", 0.4):
            out.insert(0, f'"c{r.randint(0, 9)}"')
        if self.has("metadata", 0.3):
            out.append(f'displayName = "n{r.randint(0, 9)}"')
        if self.has("metadata", 0.3):
            out.append(f"hidden = {r.choice(['true', 'false'])}")
        if self.has("metadata", 0.3):
            out.append(f"sdrMetadata = {{\nstring a = \"{r.randint(0, 9)}\"\n}}")
        if self.has("metadata", 0.3):
            out.append(f'displayGroup = "g{r.randint(0, 9)}"')
        if self.has("permission"):
            out.append(f"permission = {r.choice(['private', 'public'])}")
        return out

    def prim_metadata(self, sets):
        r, out = self.rng, self.general_metadata()
        if self.has("arc"):
            out += self.statement("references", self.arc_target)
        if self.has("payload") or self.has("arc", 0.3):
            out += self.statement("payload", lambda: self.arc_target(True))
        if self.has("arc"):
            out += self.statement("inherits", self.class_path)
        if self.has("arc", 0.6):
            out += self.statement("specializes", self.class_path)
        if self.has("instance"):
            out.append(f"instanceable = {r.choice(['true', 'true', 'true', 'false'])}")
        if self.has("active", 0.5) or self.chance(0.01):
            out.append(f"active = {r.choice(['false', 'true'])}")
        if self.has("kind"):
            out.append('kind = "%s"' % r.choice(["component", "group", "assembly", "subcomponent", "model", "mine", ""]))
        if self.has("schema") or self.has("collection"):
            names = APIS if self.has("schema") else ["CollectionAPI:c1", "CollectionAPI:c2"]
            out += self.statement("apiSchemas", lambda: f'"{r.choice(names)}"')
        if sets:
            edit = self.edit()
            out.append(f"{edit}variantSets = [" + ", ".join(f'"{s}"' for s in sets) + "]")
        if self.has("selection") or self.has("variant", 0.7):
            chosen = r.sample(SETS, r.randint(1, 2))
            out.append("variants = {\n" + "\n".join(f"string {s} = {self.selection()}" for s in chosen) + "\n}")
        return "(\n" + "\n".join(out) + "\n)" if out else ""

    def selection(self):
        r = self.rng
        if self.has("expression"):
            return json.dumps(r.choice(["`${NAME}`", "`if(${FLAG}, 'a', 'b')`", "`'a'`", "`''`", "`None`", "`${N}`",
                                        self.expression()]))
        return '"' + r.choice(VARIANTS + VARIANTS + ["", "nosuch"]) + '"'

    # ---------------------------------------------------------------- properties

    def target_path(self):
        r = self.rng
        if self.chance(0.15) and not self.in_variant:  # relative paths cannot be written in variants
            return r.choice(["<../Up>", "<Low>", "<Low.x>", "<.q>", "<../Up.x>", "<Low/Z>"])
        path = self.path(later=False, children=(0, 1, 1, 2, 2, 3))
        if self.chance(0.3):
            path = f"/{ROOTS[self.prim]}" + "".join("/" + r.choice(CHILDREN) for _ in range(r.choice([0, 1, 1, 2])))
        return f"<{path}{r.choice(['', '', '', '.x', '.rel1', '.y'])}>"

    def value(self, kind):
        r = self.rng
        if kind == "asset":
            if self.has("expression"):
                return self.rng.choice(["@`\"./${NAME}.png\"`@", "@" + self.expression() + "@", "@`${MISSING}`@"])
            return r.choice(["@./tex.png@", "@tex.png@", "@../up.png@", "@@", "@/abs/x.png@", "@./sub/t.png@"])
        if kind == "asset[]":
            return "[" + ", ".join(self.value("asset") for _ in range(r.randint(0, 2))) + "]"
        return {"int": lambda: str(r.randint(0, 9)), "double": lambda: str(r.random() * 10)[:6],
                "string": lambda: '"%s"' % r.choice("pqrs"), "token": lambda: '"%s"' % r.choice("tu"),
                "float3": lambda: f"({r.randint(0, 9)}, 1, 2)", "int[]": lambda: f"[1, {r.randint(0, 9)}]",
                "timecode": lambda: str(r.randint(0, 20)), "timecode[]": lambda: f"[1, {r.randint(0, 9)}]",
                "bool": lambda: r.choice(["true", "false"]), "matrix4d": lambda:
                "((1,0,0,0),(0,1,0,0),(0,0,1,0),(1,2,3,1))", "quatf": lambda: "(1, 0, 0, 0)",
                "dictionary": self.dictionary}[kind]()

    def attribute(self, name, in_variant=False):
        r = self.rng
        kinds = ["int", "double", "string", "token", "float3", "int[]", "timecode", "timecode[]", "bool", "matrix4d"]
        # When flattening, each name has one type, since a value of another type cannot be read back.
        kind = r.choice(kinds) if self.chance(0.3) and not self.has("flatten", 9) else {"x": "int", "y": "double", "z": "token"}.get(name, "int")
        if self.has("asset") and not self.has("flatten", 9):
            kind = r.choice(["asset", "asset[]"])
        elif name == "ns:q":
            kind = "asset"
        uniform = r.choice(["", "", "uniform "])
        prefix = r.choice(["", "", "custom "]) + uniform
        meta = self.general_metadata()
        if self.has("metadata", 0.2):
            meta.append('allowedTokens = ["t", "u"]' if kind == "token" else 'customData = { int k = 1 }'
                        if not any(m.startswith("customData") for m in meta) else "")
        text = ""
        head = f"{prefix}{kind} {name}"
        value = "None" if self.chance(0.08) else self.value(kind)
        text += head + (f" = {value}" if self.chance(0.8) else "")
        meta = [m for m in meta if m]
        if meta:
            text += " (\n" + "\n".join(meta) + "\n)"
        text += "\n"
        if self.has("samples"):
            times = sorted(r.sample(range(-5, 20), r.randint(0, 3)))
            samples = ", ".join(f"{t}: {'None' if self.chance(0.1) else self.value(kind)}" for t in times)
            text += f"{uniform}{kind} {name}.timeSamples = {{ {samples} }}\n"
        if self.has("target", 0.6):
            for line in self.statement(f"{uniform}{kind} {name}.connect", self.target_path):
                text += line + "\n"
        return text

    def relationship(self, name):
        r = self.rng
        text = ""
        prefix = r.choice(["", "", "custom ", "varying "])
        for line in self.statement(f"rel {name}", self.target_path):
            edit, rest = (line.split("rel ", 1)[0], "rel " + line.split("rel ", 1)[1])
            text += (f"{edit}{rest}" if edit else prefix + rest) + "\n"
        if self.chance(0.2):
            meta = self.general_metadata()
            if meta:
                text += f"{prefix}rel {name} (\n" + "\n".join(meta) + "\n)\n"
        return text

    def collection(self, name):
        r = self.rng
        out = []
        paths = lambda n: "[" + ", ".join(dict.fromkeys(self.member() for _ in range(n))) + "]"  # noqa: E731
        if self.chance(0.6):
            rule = r.choice(["expandPrims", "explicitOnly", "expandPrimsAndProperties", "expandPrims", "nonsense"])
            out.append(f'uniform token collection:{name}:expansionRule = "{rule}"')
        if self.chance(0.25):
            out.append(f"uniform bool collection:{name}:includeRoot = {r.choice(['true', 'false'])}")
        if self.chance(0.7):
            out.append(f"{r.choice(['', 'prepend ', 'append ', 'delete '])}rel collection:{name}:includes = "
                       f"{paths(r.randint(1, 3))}")
        if self.chance(0.4):
            out.append(f"rel collection:{name}:excludes = {paths(r.randint(1, 2))}")
        if self.chance(0.5):
            out.append(f'pathExpression collection:{name}:membershipExpression = "{self.path_expression()}"')
        return "\n".join(out)

    def member(self):
        if self.chance(0.25):
            return f"<{self.path(later=False)}.collection:{self.rng.choice(['c1', 'c2'])}>"
        return self.target_path()

    def path_expression(self, depth=0):
        r = self.rng

        def pattern():
            path = self.path(later=False)
            predicate = r.choice(["", "", "", "{isa:Xform}", "{defined}", "{abstract}", "{model}", "{kind:component}",
                                  "{isa:Imageable}", "{not active}", "{specifier:def}", "{hasAPI:CollectionAPI}",
                                  "{kind:group, strict}", "{isa:Mesh strict:true}", "{isa('Cube', strict=true)}",
                                  "{defined and not abstract}", "{active:false or model}", "{group}",
                                  "{specifier(over)}", "{nosuch}", "{variant:v=a}",
                                  "{variant(v='a*')}", "{hasAPI('CollectionAPI', instanceName='c1')}",
                                  "{kind('model', strict=false)}"])
            return r.choice([path, path + "//", path + "/*", "//" + r.choice(CHILDREN), path + "//" +
                             r.choice(CHILDREN), "//*" + predicate, path + "//" + predicate, path + predicate, "//",
                             "X", "X//", "../*", "//*.x", path + ".x", path + "//*.*", "%:c1", "%_",
                             f"%{self.path(later=False)}:c2", "/" + r.choice("AB*") + "/[XY]", "//" + predicate,
                             ".", path + "//X//Y", path + "/?", "//{" + "defined}//X", ".//Y", "*/Y", "_class_E",
                             "/_*//", "//[!X]", "/A/X?", "//" + predicate + "/X"])
        if depth > 2 or r.random() < 0.5:
            return pattern()
        a, b = self.path_expression(depth + 1), self.path_expression(depth + 1)
        return r.choice([f"{a} {b}", f"{a} + {b}", f"{a} - {b}", f"{a} & {b}", f"~{pattern()}", f"({a} - {b})",
                         f"~({a})", f"{a} + ({b})"])

    def body(self, depth):
        r, out = self.rng, []
        if self.has("order", 0.6):
            out.append("reorder nameChildren = [" + ", ".join(
                f'"{c}"' for c in r.sample(CHILDREN + ["R"], r.randint(1, 3))) + "]")
        if self.has("order", 0.6):
            out.append("reorder properties = [" + ", ".join(
                f'"{c}"' for c in r.sample(["x", "y", "z", "rel1", "rel2"], r.randint(1, 4))) + "]")
        names = r.sample(["x", "y", "z", "ns:q"], r.choice([0, 0, 1, 1, 2])) if self.has("property") else []
        if self.has("order"):
            names = r.sample(["x", "y", "z", "ns:q", "a10", "a9"], r.randint(0, 4))
        for name in names:
            out.append(self.attribute(name))
        if self.has("target"):
            out += [self.relationship(n) for n in r.sample(["rel1", "rel2"], r.choice([1, 1, 2]))]
        if self.has("schema"):
            kind, name, values = r.choice(BUILTIN_ATTRIBUTES)
            out.append(f"{kind} {name} = {r.choice(values)}")
        if self.has("schema", 0.3):
            out.append(f"rel {r.choice(['material:binding', 'proxyPrim', 'collection:lit:includes'])} = "
                       f"{self.target_path()}")
        if self.has("collection"):
            out += [self.collection(n) for n in r.sample(["c1", "c2"], r.choice([1, 1, 2]))]
        if depth < self.max_depth:
            for name in r.sample(CHILDREN, 3) if self.has("order") else CHILDREN:
                if self.chance(0.3):
                    out.append(self.prim_text(name, depth + 1))
        return "\n".join(out)

    def prim_text(self, name, depth):
        r = self.rng
        sets = [s for s in SETS if self.has("variant", 0.6)]
        kind = r.choice(["def", "def", "def", "over", "class"])
        if name.startswith("_class"):
            kind = "class"
        type_name = " " + r.choice(TYPES) if self.has("types") else ""
        text = f'{kind}{type_name} "{name}" {self.prim_metadata(sets)}\n{{\n{self.body(depth)}\n'
        outside = self.in_variant
        self.in_variant = True
        for s in sets:
            text += f'variantSet "{s}" = {{\n'
            for v in VARIANTS:
                if v == "b" or self.chance(0.8):
                    nested = [t for t in SETS if t not in sets and self.has("variant", 0.3)]
                    inner = "".join(f'variantSet "{t}" = {{\n"a" {{\n{self.body(depth)}\n}}\n"b" {{\n}}\n}}\n'
                                    for t in nested)
                    text += f'"{v}" {self.prim_metadata(nested)} {{\n{self.body(depth)}\n{inner}}}\n'
            text += "}\n"
        self.in_variant = outside
        return text + "}\n"

    # ---------------------------------------------------------------- layers and the case

    def relocate(self):
        r = self.rng
        source = self.path(later=False)
        if source.count("/") < 2 and not self.has("error", 0.3):
            source += "/" + r.choice(CHILDREN)
        target = source.rsplit("/", 1)[0] + "/" + r.choice(CHILDREN + ["R", "S", "R"])
        if self.chance(0.3):
            target = self.path(later=False) + "/" + r.choice(["R", "S"])
        if self.has("error", 0.2):
            target = r.choice([source, source + "/Below", "/" + source.split("/")[1], "/New"])
        return f"<{source}>: <{'' if self.chance(0.1) else target}>"

    def head(self, index, session=False):
        r, out = self.rng, []
        later = self.files[index + 1:]
        if session:
            later = []
        if later and self.chance(0.45):
            names = r.sample(later, r.randint(1, min(2, len(later))))
            items = []
            for name in names:
                offset = self.offset()
                items.append(self.asset(self.file(name)) + (f" ({offset})" if offset else ""))
            if self.has("error", 0.2):
                items.append(r.choice(["@./missing.usda@", "@./bad.usda@", items[0], f"@{self.file(self.files[0])}@"]))
            out.append("subLayers = [" + ", ".join(items) + "]")
        if self.chance(0.6):
            out.append(f'defaultPrim = "{r.choice(ROOTS + ["A/X", "Nowhere"])}"')
        if self.has("offset", 0.6):
            out.append(f"timeCodesPerSecond = {r.choice([24, 48, 30, 12])}")
        if self.has("offset", 0.2):
            out.append(f"framesPerSecond = {r.choice([24, 48, 30, 12])}")
        if self.has("metadata", 0.4):
            out.append(f"startTimeCode = {r.randint(-3, 9)}")
        if self.has("metadata", 0.3):
            out.append(f"customLayerData = {self.dictionary()}")
        if self.has("metadata", 0.3):
            out.append(f'upAxis = "{r.choice("YZ")}"')
        if self.has("metadata", 0.2):
            out.append(f'doc = "layer {index}"')
        if self.has("fallback_types"):
            out.append('fallbackPrimTypes = {\ntoken[] NoSuchType = ["Nope", "%s"]\ntoken[] Mesh = ["Scope"]\n}' %
                       r.choice(TYPES))
        if self.has("expression") and not self.chance(0.15):
            out.append("expressionVariables = {\n" + "\n".join(dict.fromkeys(
                self.variable(n) for n in r.sample(VARIABLES[:5] + ["NESTED"], r.randint(1, 5)))) + "\n}")
        if self.has("relocate", 0.7):
            pairs = {}
            for _ in range(r.choice([1, 1, 2, 3])):
                pair = self.relocate()
                pairs.setdefault(pair.split(":")[0], pair)
            out.append("relocates = {\n" + ",\n".join(pairs.values()) + "\n}")
        return out

    def variable(self, name):
        r = self.rng
        return {"ROOT": 'string ROOT = "l"', "N": f"int N = {r.randint(0, 3)}",
                "NAME": f'string NAME = "{r.choice(["a", "b", "l1", "l2", "${ROOT}2"])}"',
                "FLAG": f"bool FLAG = {r.choice(['true', 'false'])}",
                "LIST": r.choice(['string[] LIST = ["a", "l1", "l2"]', "int[] LIST = [1, 2]", "bool[] LIST = [true]"]),
                "NESTED": r.choice(['string NESTED = "`${NAME}`"', 'string NESTED = "`\'./${NAME}.usda\'`"',
                                    'string NESTED = "`${NESTED}`"', 'string NESTED = "./l1.usda"'])}[name]

    def layer_text(self, index, session=False):
        self.layer = min(index, len(self.files) - 1)
        head = self.head(index, session)
        text = "#usda 1.0\n" + ("(\n" + "\n".join(head) + "\n)\n" if head else "")
        if self.has("order", 0.5):
            text += "reorder rootPrims = [" + ", ".join(f'"{p}"' for p in self.rng.sample(ROOTS, 3)) + "]\n"
        for self.prim, name in enumerate(ROOTS):
            if self.chance(0.3 if session else 0.75):
                text += self.prim_text(name, 1) + "\n"
        return text

    def case(self):
        r = self.rng
        case = {"kind": "stage", "group": "random", "about": self.theme, "origin": "random_stages.py",
                "root": self.files[0], "times": ["default"], "stack": True}
        if self.has("flatten"):
            case.update(kind="flatten", out="result.usda")
        if self.has("session", 0.8):
            case["session"] = "session.usda"
        if self.has("load", 0.6):
            case["load"] = "none"
        if self.has("mask", 0.6):
            case["mask"] = [self.path(later=False) for _ in range(r.randint(1, 2))]
        if self.has("fallback"):
            case["variantFallbacks"] = {s: r.choice([["a"], ["b"], ["nosuch", "b"]])
                                        for s in r.sample(SETS, r.randint(1, 2))}
        if self.has("proxies"):
            case["instanceProxies"] = True
        if self.has("collection", 2):
            case["collections"] = True
        if self.has("samples", 2) or self.has("offset"):
            case["times"] = ["default", "earliest", 0, 1, 2.5, "pre:3", 7, 30]
        return case

    def write(self, folder):
        case = self.case()
        texts = {name: self.layer_text(i) for i, name in enumerate(self.files)}
        if "session" in case:
            self.files.append("session.usda")
            texts["session.usda"] = self.layer_text(0, session=True)
        texts["bad.usda"] = "#usda 1.0\ndef {\n"
        for name, text in texts.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as f:
                f.write(text)
        with open(os.path.join(folder, "case.json"), "w") as f:
            json.dump(case, f, indent=1)
        return case, texts
