"""Random layers with names that are often unusual, everywhere where text or a crate has a name.

text(random) is a text layer. crate(random) is a text layer with the name PLACEHOLDER in some places, and the name to put there
in its crate: a crate holds names that text cannot.
"""

PLACEHOLDER = "SSSS"
NAMES = ["look", "look-dev", "1v", "123", ".a", "a|b", "-", "|", ".", "--", "é", "é-1", "1é", "_", "A1", "a-", "-a", "٣a", "日本"]
ODD = ["a b", "a.b", "..a", "a.", "a:b", "a::b", ":a", "a:", "a=b", "a{b", "a}b", "{", "`x`", "`", "a/b", "/", "a\tb", "(", "[", "a]", "a\x01b",
       "\u200d", "a\u200d", "\u00a0", "x" * 300]
CHARACTERS = "ab1_-|.:é٣/`={} \t\u200d日"

VARIANTS = ['variantSet "{}" = {{ "v" {{ int x = 1\n }} }}', 'variantSet "s" = {{ "{}" {{ int x = 1\n }} }}', 'variantSet "{}" = {{ "{}" {{ def "C" {{ }} }} }}',
            'variantSet "s" = {{ "v" {{ variantSet "{}" = {{ "w" {{ rel t\n }} }}\n }} }}']
BODY = VARIANTS + ['def "{}" {{ }}', 'def {} "B" {{ }}', 'int {} = 1', 'custom float ns:{} = 2', '{} b', 'rel {}', 'rel r = </A/{}>', 'rel r = </A.{}>',
                   'rel r = </A{{{}={}}}B>', 'rel r = </A{{ {} = {} }}.x>', 'int b.connect = </A.{}>', 'rel r = [</B>, <../B{}>]',
                   'reorder nameChildren = ["{}", "B"]', 'reorder properties = ["{}"]', 'int b ( customData = {{ int {} = 1 }} )',
                   'int b ( customData = {{ int "{}" = 1 }} )', 'int b ( {} = 1 )', 'string b.timeSamples = {{ 1: "{}" }}', 'token b = "{}"']
PRIM = ['variants = {{ string "{}" = "{}" }}', 'variants = {{ string {} = "v" }}', 'variantSets = "{}"', 'variantSets = ["{}", "v"]',
        'prepend variantSets = "{}"', 'inherits = </{}>', 'specializes = </A/{}>', 'references = </{}>', 'payload = @a@</{}>',
        'apiSchemas = ["{}"]', 'kind = "{}"', '{} = "a"', 'references = </A{{{}={}}}>']
LAYER = ['defaultPrim = "{}"', 'relocates = {{ </A/{}> : </A/B> }}', 'customLayerData = {{ int "{}" = 1 }}', '{} = 1']


def name(r):
    odd = r.random()
    return (r.choice(NAMES) if odd < 0.6 else r.choice(ODD) if odd < 0.75 else
            "".join(r.choice(CHARACTERS) for _ in range(r.randrange(1, 5))))


def layer(r, bodies, fill):
    """A layer with some statements, in which fill(template) puts names."""
    places = r.choices(["body", "prim", "layer"], [6, 2, 1], k=r.choice([1, 1, 2]))
    metadata = f"(\n {fill(r.choice(LAYER))}\n)\n" if "layer" in places else ""
    prim = f" (\n {fill(r.choice(PRIM))}\n)" if "prim" in places else ""
    body = fill(r.choice(bodies)) if "body" in places else ""
    return f'#usda 1.0\n{metadata}def "A"{prim}\n{{\nint before = 1\n{body}\n}}\n'


def text(r):
    return layer(r, BODY, lambda template: template.format(name(r), name(r)))


def crate(r):
    bodies = [template for template in BODY if "{} b" not in template]
    text = layer(r, bodies + 3 * VARIANTS, lambda template: template.format(PLACEHOLDER, PLACEHOLDER))
    # OpenUSD ignores these characters in path elements of variants, in which they may appear anywhere.
    return text, "".join(c for c in name(r) if c not in "={}") or "a"
