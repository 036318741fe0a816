"""Applies random edits to the session layers of random scenes with usd-core and with our program: they must agree.

    random_edits.py PROGRAM [--seed N] [--count N] [--jobs N] [--record FILE] …

Compares the edited layers and which edits are refused, and the derived stage with one that is opened anew. Edits on which
usd-core and we differ on purpose are not made: usd-core authors a prim that it then reports as an error because it is not
populated, does not set an attribute that it has created in a variant that is not selected, and authors overs when it
clears nothing. It does not map times into a variant either.
"""
import argparse
import difflib
import json
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../random"))

from random_run import Checker, add_options, numbers, run  # noqa: E402

from pxr import Gf, Sdf, Tf, Usd, Vt  # noqa: E402

TYPES = {
    "double": lambda r: ("doubleValue", r.choice([0.5, 2, -3])),
    "float": lambda r: ("floatValue", r.choice([0.5, 2, -3])),
    "int": lambda r: ("intValue", r.randrange(-9, 9)),
    "token": lambda r: ("tokenValue", r.choice("abc")),
    "string": lambda r: ("stringValue", r.choice("abc")),
    "bool": lambda r: ("boolValue", r.choice([True, False])),
    "timecode": lambda r: ("timeCodeValue", r.choice([12.0, 24.0])),
    "asset": lambda r: ("assetPathValue", {"authored": r.choice(["a.usda", "b.png"])}),
    "string[]": lambda r: ("stringArray", {"values": [r.choice("abc") for _ in range(r.randrange(3))]}),
}
SCHEMAS = ["", "Xform", "Mesh", "Sphere", "Scope"]
NAMES = ["A", "B", "C"]
PROPERTIES = ["p", "q", "radius", "purpose", "r", "proxyPrim", "xformOpOrder"]


class Scene:
    """The text of a layer with random prims."""

    def __init__(self, r, session, rates):
        self.r, self.session = r, session
        rate = r.choice(["", "", "(\n    timeCodesPerSecond = 48\n)\n", "(\n    framesPerSecond = 12\n)\n"]) if rates else ""
        self.text = rate + "".join(self.prim(name, "/" + name, 0) for name in NAMES if r.random() < 0.8)

    def prim(self, name, path, depth):
        r = self.r
        over = self.session or r.random() < 0.15
        word = "over" if over else r.choice(["def", "def", "def", "class"])
        schema = "" if over else r.choice(SCHEMAS)
        meta = []
        if not self.session and depth == 0:
            others = [other for other in NAMES if "/" + other != path]
            arc = r.random()
            if arc < 0.2:
                meta.append(f"references = </{r.choice(others)}>")
                if r.random() < 0.5:
                    meta.append("instanceable = true")
            elif arc < 0.3:
                meta.append(f"inherits = </{r.choice(others)}>")
        if r.random() < 0.05:
            meta.append("active = false")
        variants = not self.session and r.random() < 0.3
        if variants:
            meta += ['variants = {\n    string v = "x"\n}', 'prepend variantSets = "v"']
        body = self.properties()
        if depth < 2:
            body += "".join(self.prim(child, f"{path}/{child}", depth + 1) for child in NAMES if r.random() < 0.35)
        if variants:
            inner = "".join(f'"{choice}" {{\n{self.properties()}}}\n' for choice in "xy")
            body += f'variantSet "v" = {{\n{inner}}}\n'
        head = f'{word} {schema} "{name}"' + (" (\n" + "\n".join(meta) + "\n)" if meta else "")
        return f"{head} {{\n{body}}}\n"

    def properties(self):
        r = self.r
        text = ""
        if r.random() < 0.4:
            text += r.choice(["", "custom "]) + r.choice(["double p = 1\n", "uniform double p = 1\n", "double p\n"])
        if r.random() < 0.3:
            text += "float q.timeSamples = {\n    1: 1,\n    24: 2,\n}\n"
        if r.random() < 0.3:
            text += r.choice(["rel r\n", "custom rel r = </A>\n"])
        return text


class Edits:
    """Random edits, as JSON of v1.Edit."""

    def __init__(self, r):
        self.r = r

    def path(self):
        path = ""
        for _ in range(self.r.choice([1, 1, 2, 2, 3])):
            path += "/" + self.r.choice(NAMES)
        return path

    def time(self):
        return self.r.choice([None, None, {"defaultTime": {}}, {"numeric": 24.0}, {"numeric": 1.0}])

    def edit(self):
        kind = self.r.choice(["set_value"] * 4 + ["clear_value", "set_field", "set_field", "select_variant", "set_targets",
                                                  "define_prim", "define_prim", "remove_spec"])
        return getattr(self, kind)()

    def set_value(self):
        r = self.r
        type_name = r.choice(list(TYPES))
        kind, value = TYPES[type_name](r)
        if r.random() < 0.1:
            kind, value = "block", {}
        edit = {"path": f"{self.path()}.{r.choice(PROPERTIES)}", "value": {kind: value}}
        if (time := self.time()) is not None:
            edit["time"] = time
        if r.random() < 0.4:
            edit["path"] = f"{self.path()}.new_{type_name.replace('[]', 's')}"
            edit["typeName"] = type_name
            edit["custom"] = r.random() < 0.5
            edit["variability"] = r.choice(["VARIABILITY_VARYING", "VARIABILITY_UNIFORM"])
        return {"setValue": edit}

    def clear_value(self):
        edit = {"path": f"{self.path()}.{self.r.choice(PROPERTIES)}"}
        if (time := self.time()) is not None:
            edit["time"] = time
        return {"clearValue": edit}

    def set_field(self):
        r = self.r
        name, kind, value, keys = r.choice([
            ("active", "boolValue", r.choice([True, False]), ""),
            ("instanceable", "boolValue", r.choice([True, False]), ""),
            ("kind", "tokenValue", "component", ""),
            ("hidden", "boolValue", True, ""),
            ("documentation", "stringValue", "text", ""),
            ("customData", "intValue", r.randrange(5), r.choice(["a", "a:b", "c:d:e"])),
            ("customData", "doubleValue", 1.5, r.choice(["a", "a:b", "c:d:e"])),
            ("displayName", "intValue", 3, ""),
            ("apiSchemas", "listOp", {"prependedItems": [{"tokenValue": "CollectionAPI:x"}]}, ""),
            ("references", "listOp", {"prependedItems": [{"reference": {"primPath": "/" + r.choice(NAMES)}}]}, ""),
            ("inheritPaths", "listOp", {"isExplicit": True, "explicitItems": [{"pathValue": "/" + r.choice(NAMES)}]}, ""),
        ])
        path = self.path()
        if name in ("hidden", "documentation", "customData", "displayName") and r.random() < 0.4:
            path += "." + r.choice(PROPERTIES)
        edit = {"path": path, "name": name, "keyPath": keys}
        if r.random() < 0.8:
            edit["value"] = {kind: value}
        return {"setField": edit}

    def select_variant(self):
        r = self.r
        edit = {"path": self.path(), "variantSet": r.choice(["v", "w"]), "variant": r.choice(["x", "y", "", "no name"])}
        if r.random() < 0.2:
            edit["clear"] = True
        return {"selectVariant": edit}

    def set_targets(self):
        r = self.r
        edit = {"path": f"{self.path()}.{r.choice(['r', 'proxyPrim', 'p', 'newrel'])}", "custom": r.random() < 0.5}
        if r.random() < 0.8:
            items = [{"pathValue": r.choice(["/A", "/B.p", "../C", "/A/B", "/A"])} for _ in range(r.randrange(4))]
            edit["targets"] = {"isExplicit": True, "explicitItems": items}
        return {"setTargets": edit}

    def define_prim(self):
        r = self.r
        specifier = r.choice(["SPECIFIER_DEF", "SPECIFIER_DEF", "SPECIFIER_OVER", "SPECIFIER_CLASS"])
        edit = {"path": self.path(), "specifier": specifier}
        if specifier == "SPECIFIER_DEF":
            edit["typeName"] = r.choice(SCHEMAS)
        return {"definePrim": edit}

    def remove_spec(self):
        return {"removeSpec": {"path": self.path() + (("." + self.r.choice(PROPERTIES)) if self.r.random() < 0.4 else "")}}


class Refused(Exception):
    """usd-core, or we in its place, do not make an edit."""


class Skipped(Exception):
    """An edit about which we differ on purpose."""


def to_value(value):
    (kind, held), = value.items()
    if kind == "block":
        return Sdf.ValueBlock()
    if kind == "assetPathValue":
        return Sdf.AssetPath(held["authored"])
    if kind == "stringArray":
        return Vt.StringArray(held["values"])
    if kind == "timeCodeValue":
        return Sdf.TimeCode(held)
    if kind == "intValue":
        return int(held)
    if kind != "listOp":
        return held
    def item(one):
        if "reference" in one:
            return Sdf.Reference("", one["reference"]["primPath"])
        return one.get("tokenValue", one.get("pathValue"))
    items = [item(one) for one in held.get("prependedItems", held.get("explicitItems", []))]
    op = {str: Sdf.TokenListOp, Sdf.Reference: Sdf.ReferenceListOp}[type(items[0])]()
    if isinstance(items[0], str) and items[0].startswith("/"):
        op, items = Sdf.PathListOp(), [Sdf.Path(one) for one in items]
    if held.get("isExplicit"):
        op.explicitItems = items
    else:
        op.prependedItems = items
    return op


class Oracle:
    """Makes the edits with usd-core."""

    def __init__(self, root, session):
        self.root = Sdf.Layer.CreateAnonymous("root.usda")
        self.root.ImportFromString("#usda 1.0\n" + root)
        self.session = Sdf.Layer.CreateAnonymous("session.usda")
        if session is not None:
            self.session.ImportFromString("#usda 1.0\n" + session)
        self.stage = self.target = None

    def retarget(self):
        # Opened anew, because usd-core does not always notice what an edit has changed: that the prim exists now which
        # an instance refers to, for example.
        self.stage = Usd.Stage.Open(self.root, self.session)
        if self.target:
            target = Usd.EditTarget.ForLocalDirectVariant(self.session, Sdf.Path(self.target))
        else:
            target = self.stage.GetEditTargetForLocalLayer(self.session)
        self.stage.SetEditTarget(target)

    def apply(self, edit):
        """Whether the edit was made. The layer is as before if it was not."""
        backup = Sdf.Layer.CreateAnonymous("backup.usda")
        backup.TransferContent(self.session)
        self.retarget()
        (kind, fields), = edit.items()
        try:
            getattr(self, kind)(**fields)
            return True
        except (Refused, ValueError, Tf.ErrorException):
            self.session.TransferContent(backup)
            return False

    def prim(self, path):
        prim = self.stage.GetPrimAtPath(path)
        if not prim and self.target and self.spec(path):
            raise Skipped  # in a variant that is not selected
        if not prim or prim.IsInstanceProxy():
            raise Refused
        return prim

    def spec(self, path):
        return self.session.GetObjectAtPath(self.stage.GetEditTarget().MapToSpecPath(path))

    def clears(self, path):
        """Whether there is a spec to clear something of. We also clear what is not populated."""
        if self.spec(path) is None:
            return False
        if not self.stage.GetObjectAtPath(path) or self.stage.GetPrimAtPath(path.partition(".")[0]).IsInstanceProxy():
            raise Skipped
        return True

    def property(self, path):
        owner, _, name = path.partition(".")
        found = self.prim(owner).GetProperty(name)
        if not found:
            raise Refused
        return found

    @staticmethod
    def code(time):
        return Usd.TimeCode(time["numeric"]) if time and "numeric" in time else Usd.TimeCode.Default()

    def setValue(self, path, value, time=None, typeName="", custom=False, variability=""):
        owner, _, name = path.partition(".")
        prim = self.prim(owner)
        found = prim.GetProperty(name)
        if not found:
            if not typeName:
                raise Refused
            kind = Sdf.VariabilityUniform if variability.endswith("UNIFORM") else Sdf.VariabilityVarying
            found = prim.CreateAttribute(name, Sdf.ValueTypeNames.Find(typeName), custom, kind)
            if not found.IsDefined():
                raise Skipped  # in a variant that is not selected, where usd-core does not set it
        if not isinstance(found, Usd.Attribute):
            raise Refused
        if typeName and found.GetTypeName() != Sdf.ValueTypeNames.Find(typeName):
            raise Refused  # we check that
        if not found.Set(to_value(value), self.code(time)):
            raise Refused

    def clearValue(self, path, time=None):
        spec = self.spec(path)
        if not isinstance(spec, Sdf.AttributeSpec) or not self.clears(path):
            return
        attribute = self.stage.GetAttributeAtPath(path)
        if not attribute:
            raise Skipped  # hidden by another opinion
        if time is None:
            attribute.Clear()
        else:
            attribute.ClearAtTime(self.code(time))

    def setField(self, path, name, keyPath="", value=None):
        if value is None:
            if not self.clears(path):
                return
            found = self.property(path) if "." in path else self.prim(path)
            found.ClearMetadataByDictKey(name, keyPath) if keyPath else found.ClearMetadata(name)
            return
        found = self.property(path) if "." in path else self.prim(path)
        held = to_value(value)
        done = found.SetMetadataByDictKey(name, keyPath, held) if keyPath else found.SetMetadata(name, held)
        if not done:
            raise Refused

    def selectVariant(self, path, variantSet, variant, clear=False):
        if clear and not self.clears(path):
            return
        sets = self.prim(path).GetVariantSet(variantSet)
        if clear:
            sets.ClearVariantSelection()
        elif not (sets.SetVariantSelection(variant) if variant else sets.BlockVariantSelection()):
            raise Refused

    def setTargets(self, path, targets=None, custom=False):
        if targets is None and not self.clears(path):
            return
        owner, _, name = path.partition(".")
        prim = self.prim(owner)
        found = prim.GetProperty(name)
        if not found:
            found = prim.CreateRelationship(name, custom)
            if not found.IsDefined():
                raise Skipped
        paths = None if targets is None else [
            # In a variant, usd-core cannot anchor relative ones.
            Sdf.Path(one["pathValue"]).MakeAbsolutePath(owner) for one in targets["explicitItems"]]
        if isinstance(found, Usd.Attribute):
            done = found.ClearConnections() if paths is None else found.SetConnections(paths)
        else:
            done = found.ClearTargets(False) if paths is None else found.SetTargets(paths)
        if not done:
            raise Refused

    def definePrim(self, path, specifier, typeName=""):
        try:
            if specifier == "SPECIFIER_CLASS" or self.target:
                prims = [self.stage.GetPrimAtPath(prefix) for prefix in Sdf.Path(path).GetPrefixes()[:-1]]
                if any(prim and prim.IsInstance() for prim in prims):
                    raise Skipped  # which usd-core allows
            if specifier == "SPECIFIER_DEF":
                self.stage.DefinePrim(path, typeName)
            elif specifier == "SPECIFIER_CLASS":
                self.stage.CreateClassPrim(path)
            else:
                self.stage.OverridePrim(path)
        except Tf.ErrorException as error:
            if "Failed to define" in str(error):
                raise Skipped from error  # authored, but not populated
            raise

    def removeSpec(self, path):
        spec = self.spec(path)
        if spec is None:
            return
        if spec.path.IsPrimVariantSelectionPath():
            raise Skipped
        if "." in path:
            spec.owner.RemoveProperty(spec)
        else:
            edit = Sdf.BatchNamespaceEdit()
            edit.Add(spec.path, Sdf.Path.emptyPath)
            if not self.session.Apply(edit):
                raise Refused


class EditChecker(Checker):
    def check(self, number, folder):
        r = random.Random(f"{self.options.seed}/{number}")
        target = r.choice(["/A{v=x}", "/A{v=y}", "/B{v=x}", "/A/B{v=x}"]) if r.random() < 0.25 else None
        # usd-core does not map times for the edit target of a variant; we do.
        root = Scene(r, False, not target).text
        session = Scene(r, True, not target).text if r.random() < 0.5 else None
        oracle = Oracle(root, session)
        oracle.target = target
        edits, refused = [], []
        source = Edits(r)
        for _ in range(r.randrange(1, 12)):
            edit = source.edit()
            backup = Sdf.Layer.CreateAnonymous("backup.usda")
            backup.TransferContent(oracle.session)
            try:
                made = oracle.apply(edit)
            except Skipped:
                oracle.session.TransferContent(backup)
                continue
            if not made:
                refused.append(len(edits))
            edits.append(edit)
        request = {"edits": edits}
        if oracle.target:
            request["target"] = {"variantPath": oracle.target}
        question = {"root": root, "request": request}
        if session is not None:
            question["session"] = session
        line = json.dumps(question)
        try:
            answer = json.loads(next(self.program.ask(line)))
        except RuntimeError as error:
            self.forget_program()
            return f"scene {number} of seed {self.options.seed}: {error}\n{line}"
        found = self.differences(oracle, refused, answer)
        if not found:
            self.record(folder, {}, line, [json.dumps(answer)])
        else:
            found.append(line)
        return self.report(number, folder, found, 60)

    @staticmethod
    def differences(oracle, refused, answer):
        if "failed" in answer:
            return [answer["failed"]]
        found = []
        if answer["errors"] != refused:
            found.append(f"refused {answer['errors']}, but usd-core {refused}")
        if not answer["agrees"]:
            found.append("the derived stage is not the one that is opened anew")
        ours = Sdf.Layer.CreateAnonymous("ours.usda")
        ours.ImportFromString(answer["session"])
        found += difflib.unified_diff(oracle.session.ExportToString().splitlines(), ours.ExportToString().splitlines(),
                                      "usd-core", "ours", lineterm="")
        return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="apply_edits")
    add_options(parser, 200)
    options = parser.parse_args()
    return run(options, numbers(options), EditChecker(options), 60)


if __name__ == "__main__":
    sys.exit(main())
