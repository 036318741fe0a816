"""Random text layers whose values are often malformed: tuples and lists that do not fit their type, numbers, words, strings and
asset paths where others belong, malformed path expressions, splines and array edits, as defaults, samples and metadata."""

TUPLES = {"float2": 2, "double3": 3, "color4f": 4, "half3": 3, "int2": 2, "int3": 3, "quatf": 4, "quath": 4, "texCoord2f": 2}
MATRICES = {"matrix2d": 2, "matrix3d": 3, "matrix4d": 4, "frame4d": 4}
SCALARS = {
    "number": ["float", "double", "half", "int", "int64", "uint", "uint64", "uchar", "timecode", "bool"],
    "string": ["string", "token"], "asset": ["asset"], "expression": ["pathExpression"], "unknown": ["frob", "vector3f::x", "opaque", "group"],
}
ATOMS = {
    "number": ["0", "1", "2", "-3", "4.5", "6", "7", "-0.25", "1e3"],
    "string": ['"a"', '"b c"', "'d'", '""'],
    "asset": ["@a.usda@", "@b@", "@@", '"c"'],
    "expression": ['"/A"', '"//B*"', '"/A /B"', '"/A + ~B"', '"%/A:c"', '"."', '""', '"/A//{isa:X}"'],
    "unknown": ["1", '"a"', "(1, 2)", "[1, 2]"],
}
ODD = ["nan", "inf", "-inf", "1e400", "-1e400", "99999999999", "9223372036854775808", "-1", "256", "1.5", "2147483648", "true", "no", "word",
       "a::b", '"x"', '"nan"', '"true"', "@a\tb@", "@e\x7f@", "@f\u0085@", '"g\th"', '"i\\tj"', "None", "</A>", "<>", "1e", "-", "{}",
       "1_0", ".5", "5.", "AnimationBlock", "rel"]
EXPRESSIONS = ['"//["', '"/A{"', '"/A +"', '"/A/../B"', '"%"', '"%:c"', '"//{x:}"', '"/A )"', '"(/A"', '"~"', '"/A & & /B"', '"//{isa:X"', '"/A.b.c"',
               '"/A/"', '"*"', '"/[a-"', '"/A\\n/B"', '"%_ - /A"', '"a b c"', '"//*{abstract}"', '"é"', '"/A//"', '"//B//C"', '"..//A"', '"/"']
CONTROLS = ["(", ")", "[", "]", ",", " ", ", 1", "\n", "# c\n"]


def chance(r, p):
    return r.random() < p


def atom(r, kind, odd):
    if not chance(r, odd):
        return r.choice(ATOMS[kind])
    if kind == "expression" and chance(r, 0.8):
        return r.choice(EXPRESSIONS)
    return r.choice(ODD)


def tuple_of(r, items, odd):
    """The items in parentheses, sometimes too few or too many of them, or in the wrong parentheses."""
    if chance(r, odd):
        change = r.randrange(6)
        if change == 0:
            items = items[:-1] or items
        elif change == 1:
            items = items + [r.choice(items)]
        elif change == 2:
            items = items + [r.choice(ODD)]
        elif change == 3:
            cut = r.randrange(len(items))
            items = items[:cut] + [f"({', '.join(items[cut:])})"]
        elif change == 4:
            items = [f"({items[0]})"] + items[1:]
        else:
            return ", ".join(items) if chance(r, 0.2) else f"(({', '.join(items)}))"
    return f"({', '.join(items)}{',' if chance(r, odd / 10) else ''})"


def element(r, type, odd):
    if type in TUPLES:
        return tuple_of(r, [atom(r, "number", odd / 4) for _ in range(TUPLES[type])], odd)
    if type in MATRICES:
        size = MATRICES[type]
        rows = [[atom(r, "number", odd / 16) for _ in range(size)] for _ in range(size)]
        if chance(r, odd / 2):
            return tuple_of(r, [number for row in rows for number in row], odd)
        return tuple_of(r, [tuple_of(r, row, odd / 3) for row in rows], odd)
    kind = next(kind for kind, types in SCALARS.items() if type in types)
    text = atom(r, kind, odd)
    return text if not chance(r, odd / 2) else f"({text})" if chance(r, 0.6) else f"({text}, {atom(r, kind, odd)})"


def list_of(r, type, odd, depth=0):
    items = []
    nested = depth < 3 and chance(r, 0.15)
    for _ in range(r.choice([1, 1, 2, 2, 3])):
        deeper = nested != (depth < 3 and chance(r, odd / 4))
        items.append(list_of(r, type, odd, depth + 1) if deeper else element(r, type, odd / 2))
    return f"[{', '.join(items)}]"


def value(r, type):
    """A value of a type such as float2[], well-formed at times."""
    odd = r.choice([0, 0.3, 0.3, 0.6, 0.9])
    if type.endswith("[]"):
        text = "[]" if chance(r, 0.05) else list_of(r, type[:-2], odd)
        text = element(r, type[:-2], odd) if chance(r, odd / 10) else text
    else:
        text = list_of(r, type, odd) if chance(r, odd / 10) else element(r, type, odd)
    if chance(r, odd / 10):
        cut = r.randrange(len(text) + 1)
        text = text[:cut] + r.choice(CONTROLS) + text[cut + r.randrange(2):]
    return text


def type_name(r):
    scalar = r.choice(list(SCALARS.values())[:4] * 2 + [SCALARS["unknown"]])
    name = r.choice([r.choice(list(TUPLES)), r.choice(list(TUPLES)), r.choice(list(MATRICES)), r.choice(scalar)])
    return name + r.choice(["", "[]"])


def edit(r, type):
    steps = []
    for _ in range(r.choice([1, 1, 2, 3])):
        item = lambda: r.choice([element(r, type, r.choice([0, 0.5])), "[0]", "[-1]"])  # noqa: E731
        size = r.choice(["0", "1", "3", "-1", "-5", "1.5", "99999999999999999999", "x"]) if chance(r, 0.4) else "2"
        fill = f" fill {item()}" if chance(r, 0.3) else ""
        steps.append(r.choice([f"append {item()}", f"prepend {item()}", f"write {item()} to [{size}]", f"insert {item()} at [{size}]",
                               f"erase [{size}]", f"minsize {size}{fill}", f"resize {size}{fill}", f"maxsize {size}"]))
    return f"edit [{'; '.join(steps)}]"


def number(r):
    return r.choice(["0", "1", "2.5", "-3", "nan", "inf", "-inf", "-1", "1e400", "70000", "1e39"]) if chance(r, 0.4) else r.choice("1234")


def tangent(r):
    algorithm = r.choice(["", "", "", ", custom", ", autoEase"])
    return f"({number(r)}, {number(r)}{algorithm})" if chance(r, 0.8) else f"({number(r)}{algorithm})"


def knot(r):
    text = f"{number(r)}: {number(r)}" + (f" & {number(r)}" if chance(r, 0.2) else "")
    for _ in range(r.randrange(4)):
        text += "; " + r.choice([f"pre {tangent(r)}", f"post curve {tangent(r)}", f"post curve {tangent(r)}", "post held", f"post linear {tangent(r)}"])
    return text + ("; " + dictionary(r) if chance(r, 0.1) else "")


def spline(r):
    parts = [r.choice(["bezier", "hermite", f"pre: sloped({number(r)})", "post: linear", f"pre: loop repeat({number(r)})",
                       f"loop: ({', '.join(number(r) for _ in range(5))})"])] if chance(r, 0.3) else []
    return "{" + ", ".join(parts + [knot(r) for _ in range(r.choice([1, 2, 3]))]) + "}"


def entry(r, name):
    type = type_name(r)
    return f"{type} {name} = {value(r, type)}"


def dictionary(r, depth=0):
    entries = [entry(r, f"e{i}") for i in range(r.choice([1, 1, 2]))]
    if depth < 2 and chance(r, 0.2):
        entries.append(f"dictionary d = {dictionary(r, depth + 1)}")
    return "{ " + "; ".join(entries) + " }"


def samples(r, type):
    times = r.sample(["0", "1", "2", "-1", "1.5", "inf", "1"], r.choice([1, 2, 3]))
    return "{ " + ", ".join(f"{time}: {value(r, type) if chance(r, 0.9) else 'None'}" for time in times) + " }"


def attribute_metadata(r):
    return r.choice([f"customData = {dictionary(r)}", f"customData = {dictionary(r)}", f"elementSize = {value(r, 'int')}",
                     f"hidden = {value(r, 'bool')}", f"colorSpace = {value(r, 'token')}", f"allowedTokens = {value(r, 'token[]')}",
                     f"displayName = {value(r, 'string')}", f"frob = {value(r, type_name(r))}", f"frob = {dictionary(r)}"])


def attribute(r):
    type = type_name(r)
    place = r.choices(["default", "samples", "edit", "spline", "metadata"], [5, 2, 1, 2, 2])[0]
    if place == "samples":
        return f"{type} x.timeSamples = {samples(r, type)}"
    if place == "edit":
        type = type.removesuffix("[]")
        return f"{type}[] x = {edit(r, type)}"
    if place == "spline":
        return f"{r.choice(['float', 'double', 'half', 'timecode', 'int'])} x.spline = {spline(r)}"
    if place == "metadata":
        return f"{type} x ({attribute_metadata(r)})"
    return f"{type} x = {value(r, type)}"


def layer_offset(r):
    return f" (offset = {r.choice(['nan', '1', 'inf'])})" if chance(r, 0.2) else ""


def asset(r):
    return atom(r, "asset", 0.4)


def arc(r):
    return f"references = {asset(r)}{layer_offset(r)}" if chance(r, 0.5) else f"references = @a@</B> (customData = {dictionary(r)})"


def prim_metadata(r):
    return r.choice([f"customData = {dictionary(r)}", f"assetInfo = {dictionary(r)}", arc(r), f"active = {value(r, 'bool')}",
                     f"{r.choice(['', 'prepend ', 'delete '])}apiSchemas = {value(r, 'token[]')}", f"clips = {{ dictionary d = {dictionary(r)} }}",
                     f"displayName = {value(r, 'string')}", f"variants = {{ string v = {value(r, 'string')} }}", f"kind = {value(r, 'string')}",
                     f"sdrMetadata = {dictionary(r)}", f"frob = {value(r, type_name(r))}",
                     f"{r.choice(['', 'append '])}frob = {value(r, 'int[]')}"])


def layer_metadata(r):
    return r.choice([f"subLayers = [{asset(r)}{layer_offset(r)}, {asset(r)}]", f"metersPerUnit = {value(r, 'double')}",
                     f"upAxis = {value(r, 'token')}", f"customLayerData = {dictionary(r)}", f"expressionVariables = {dictionary(r)}",
                     f"framesPerSecond = {value(r, 'double')}", f"defaultPrim = {value(r, 'token')}", f"colorConfiguration = {asset(r)}",
                     f"startTimeCode = {value(r, 'double')}", f"frob = {value(r, type_name(r))}"])


def text(r):
    places = r.choices(["attribute", "prim", "layer"], [7, 2, 1], k=r.choice([1, 1, 2]))
    metadata = f"(\n {layer_metadata(r)}\n)\n" if "layer" in places else ""
    prim = f" (\n {prim_metadata(r)}\n)" if "prim" in places else ""
    body = attribute(r) if "attribute" in places else ""
    return f'#usda 1.4\n{metadata}def "A"{prim}\n{{\nint before = 1\n{body}\nint z = 2\n}}\n'
