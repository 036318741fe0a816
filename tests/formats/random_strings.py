"""Random text layers with odd characters, zero bytes above all, in every place where a string, token, key, name or asset path may be.

A format ends what it writes at the first zero byte, and so does OpenUSD: nothing may follow it, or take its place.
"""

PARTS = ["a", "b", "c", "a.usda", "/A", " ", "\\x00", "\\x00", "\\000", "\\0", "\\x00\\x00", "\\n", "\\t", "\\\\", "\\x7f", "\\x01", "é", "日", "\\q", "\\x4", "\\xg",
         "#", "//", "$", "`", "@", "@@@", "<", ">", "\u0085", "\u200d"]
DOUBLE, SINGLE = PARTS + ["'", '\\"'], PARTS + ['"', "\\'"]
LONG = ["\n", "''", "\r\n", "\t"]

BODY = ["string x = {}", "token x = {}", "string[] x = [{}, {}]", "token[] x = [{}, {}]", "asset x = {}", "asset[] x = [{}, {}]", "pathExpression x = {}",
        "string x.timeSamples = {{ 1: {}, 2: {} }}", "token x.timeSamples = {{ 1: {} }}", "asset x.timeSamples = {{ 1: {} }}",
        "string[] x = edit [append {}; prepend {}]", "frob x = {}", "frob x = [{}, ({}, 1)]", "string x ( {} )", "string x ( doc = {} )",
        "string x ( displayName = {} )", "string x ( displayGroup = {} )", "token x ( allowedTokens = [{}, {}] )", "color3f x ( colorSpace = {} )",
        "string x ( customData = {{ string {} = {} }} )", "string x ( customData = {{ dictionary {} = {{ token t = {} }} }} )",
        "string x ( customData = {{ string[] t = [{}, {}] }} )", "string x ( frob = {} )", "string x ( frob = {{ string {} = {} }} )",
        "string x ( prepend frob = [{}, {}] )", "string x ( bool = {} )", "float x.spline = {{ 1: 2; {{ string {} = {} }} }}",
        "reorder nameChildren = [{}, {}]", "reorder properties = [{}, {}]", 'variantSet "s" = {{ {} {{ string x = {} }} }}',
        'variantSet {} = {{ "v" {{ }} }}', "def {} {{ }}", "uniform token info:id = {}"]
PRIM = ["doc = {}", "kind = {}", "displayName = {}", "apiSchemas = [{}, {}]", "prepend apiSchemas = [{}]", "variants = {{ string {} = {} }}",
        "variantSets = [{}, {}]", "prefixSubstitutions = {{ {}: {} }}", "suffixSubstitutions = {{ {}: {} }}", "assetInfo = {{ string {} = {} }}",
        "assetInfo = {{ asset identifier = {} }}", "clips = {{ dictionary {} = {{ string primPath = {} }} }}", "customData = {{ token {} = {} }}",
        "references = @a@</B> ( customData = {{ string {} = {} }} )", "{}", "frob = [{}, {}]", "symmetricPeer = {}", "symmetryArguments = {{ string {} = {} }}"]
LAYER = ["doc = {}", "defaultPrim = {}", "comment = {}", "customLayerData = {{ string {} = {} }}", "expressionVariables = {{ string {} = {} }}", "{}",
         "owner = {}", "sessionOwner = {}", "upAxis = {}", "frob = {}", "colorManagementSystem = {}"]


def string(r):
    def inside(parts):
        return "".join(r.choice(parts) for _ in range(r.choice([0, 1, 1, 2, 3, 4])))
    shape = r.random()
    if shape < 0.6:
        return f'"{inside(DOUBLE)}"'
    if shape < 0.8:
        return f"'{inside(SINGLE)}'"
    return f'"""{inside(PARTS + LONG)}"""'


def text(r):
    def fill(templates):
        return r.choice(templates).format(string(r), string(r), string(r))
    places = r.choices(["body", "prim", "layer"], [5, 3, 2], k=r.choice([1, 1, 2]))
    metadata = f"(\n {fill(LAYER)}\n)\n" if "layer" in places else ""
    prim = f" (\n {fill(PRIM)}\n)" if "prim" in places else ""
    body = fill(BODY) if "body" in places else ""
    return f'#usda 1.4\n{metadata}def "A"{prim}\n{{\nint before = 1\n{body}\nstring z = "z"\n}}\n'
