"""Hostile scenes for composition, stages and the text format; see scenes.py. Each function is one trick; ALL lists them."""

HEADER = "#usda 1.0\n"


def _prim(name, metadata="", body="", kind="def"):
    return f'{kind} "{name}" (\n{metadata}\n)\n{{\n{body}}}\n' if metadata else f'{kind} "{name}"\n{{\n{body}}}\n'


def _root(text, **others):
    return {"root.usda": HEADER + text, **{name + ".usda": HEADER + t for name, t in others.items()}}


def _variables(levels, form, last="x"):
    lines = [f"string V{i} = '`{form.replace('@', 'V' + str(i + 1))}`'" for i in range(levels)]
    return "expressionVariables = {\n" + "\n".join(lines) + f'\nstring V{levels} = "{last}"\n}}\n'


def doubling_expression_errors():
    """or(A, A) reports the errors of both sides: 2^40 messages."""
    return _root("(\n" + _variables(40, "or(${@}, ${@})") + ")\n" + _prim("A", 'references = @`${V0}`@'))


def many_costly_expressions():
    """Each of 20,000 references evaluates an expression whose cost is close to the limit."""
    refs = ", ".join(f'@`if(false, "{i}", "${{V0}}")`@' for i in range(20000))
    return _root("(\n" + _variables(19, '"${@}${@}"') + ")\n" + _prim("A", f"references = [{refs}]"))


def doubling_variables():
    """Two ways into each layer, each with different variables: 2^n sets of variables, so 2^n layer stacks."""
    files = {}
    filler = "\n".join(f'string F{i} = "x"' for i in range(3000))
    for i in range(14):
        for side in "ab":
            refs = f"[@a{i + 1}.usda@, @b{i + 1}.usda@]"
            files[f"{side}{i}.usda"] = (HEADER + f'(\ndefaultPrim = "A"\nexpressionVariables = {{\nstring {side}{i} = "y"\n}}\n)\n' +
                                        _prim("A", f"references = {refs}"))
    for side in "ab":
        files[f"{side}14.usda"] = HEADER + '(\ndefaultPrim = "A"\n)\n' + _prim("A")
    files["root.usda"] = (HEADER + f"(\nexpressionVariables = {{\n{filler}\n}}\n)\n" +
                          _prim("A", "references = [@a0.usda@, @b0.usda@]"))
    return files


def _chain(arc, n, kind="class"):
    return _root("".join(_prim(f"C{i}", f"{arc} = </C{i + 1}>", kind=kind) for i in range(n)) + _prim(f"C{n}", kind=kind) +
                 _prim("A", f"{arc} = </C0>"))


def inherit_chain_1600():
    return _chain("inherits", 1600)


def specializes_chain():
    return _chain("specializes", 3000)


def reference_chain():
    return _chain("references", 30000, "def")


def payload_chain():
    return _chain("payload", 10000, "def")


def reference_chain_below_roots():
    """Targets below root prims are indexed recursively."""
    n = 3000
    text = "".join(_prim(f"C{i}", body=_prim("X", f"references = </C{i + 1}/X>")) for i in range(n))
    return _root(text + _prim(f"C{n}", body=_prim("X")) + _prim("A", "references = </C0/X>"))


def alternating_classes():
    """A chain of alternating inherits and specializes arcs."""
    n = 2000
    arcs = ["inherits", "specializes"]
    return _root("".join(_prim(f"C{i}", f"{arcs[i % 2]} = </C{i + 1}>", kind="class") for i in range(n)) + _prim(f"C{n}") +
                 _prim("A", "inherits = </C0>"))


def wide_inherits():
    n = 20000
    paths = ", ".join(f"</C{i}>" for i in range(n))
    return _root("".join(f'class "C{i}"\n{{\n}}\n' for i in range(n)) + _prim("A", f"inherits = [{paths}]"))


def wide_specializes():
    return {k: t.replace("inherits", "specializes") for k, t in wide_inherits().items()}


def wide_references():
    """32,000 references of one prim, each with its own child and property."""
    n = 32000
    paths = ", ".join(f"</C{i}>" for i in range(n))
    return _root("".join(f'def "C{i}"\n{{\n    int p{i} = 1\n    def "c{i}"\n    {{\n    }}\n}}\n' for i in range(n)) +
                 _prim("A", f"references = [{paths}]"))


def classes_across_references():
    """Chains of classes that are implied across references, level by level."""
    files, levels, n = {}, 40, 60
    for k in range(levels):
        text = "".join(_prim(f"C{i}", f"inherits = </C{i + 1}>", kind="class") for i in range(n)) + _prim(f"C{n}", kind="class")
        arcs = "inherits = </C0>\n" + (f"references = @l{k + 1}.usda@</A>" if k < levels - 1 else "")
        files[f"l{k}.usda" if k else "root.usda"] = HEADER + text + _prim("A", arcs)
    return files


def specializes_across_references():
    return {k: t.replace("inherits", "specializes") for k, t in classes_across_references().items()}


def crossed_inherits():
    """Every class inherits all following ones."""
    n = 200
    text = ""
    for i in range(n):
        paths = ", ".join(f"</C{j}>" for j in range(i + 1, n))
        text += _prim(f"C{i}", f"inherits = [{paths}]" if paths else "", kind="class")
    return _root(text + _prim("A", "inherits = </C0>"))


def nested_classes():
    """Classes as children of inherited prims, implied at each level."""
    n = 60
    inner = ""
    for i in reversed(range(n)):
        inner = f'class "K{i}" (\n    inherits = </A/B{i + 1}>\n)\n{{\n{inner}}}\n'
    text = "".join(_prim(f"B{i}", f"inherits = </A/B{i + 1}>", _prim("K", f"inherits = </A/B{i + 1}/K>")) for i in range(400))
    return _root(_prim("A", body=inner + text + _prim("B400", body=_prim("K"))) + _prim("Z", "inherits = </A/B0>"))


def many_variant_sets():
    n = 3000
    listed = ", ".join(f'"s{i}"' for i in range(n))
    sets = "".join(f'variantSet "s{i}" = {{\n"a" {{\n}}\n}}\n' for i in range(n))
    chosen = "\n".join(f'string s{i} = "a"' for i in range(n))
    return _root(_prim("A", f"variantSets = [{listed}]\nvariants = {{\n{chosen}\n}}", sets))


def nested_variants():
    n = 120
    inner = ""
    for i in reversed(range(n)):
        inner = f'variantSet "s{i}" = {{\n"a" (\nvariantSets = "s{i + 1}"\nvariants = {{ string s{i + 1} = "a" }}\n) {{\n{inner}}}\n}}\n'
    return _root(_prim("A", 'variantSets = "s0"\nvariants = { string s0 = "a" }', inner))


def variants_of_many_references():
    """Each reference adds a variant set without a selection, and each selected variant triggers a retry of all."""
    n = 1500
    refs = ", ".join(f"</R{i}>" for i in range(n))
    text = "".join(_prim(f"R{i}", f'variantSets = "s{i}"\nvariants = {{ string s{(i * 7) % n} = "a" }}',
                         f'variantSet "s{i}" = {{\n"a" (\nvariants = {{ string s{i + 1} = "a" }}\n) {{\n}}\n}}\n') for i in range(n))
    return _root(text + _prim("A", f"references = [{refs}]"))


def long_variant_fallback_search():
    """A set with 100,000 variants on each of many prims."""
    variants = "".join(f'"v{i}" {{\n}}\n' for i in range(100000))
    text = _prim("R", 'variantSets = "s"', f'variantSet "s" = {{\n{variants}}}\n')
    return _root(text + "".join(_prim(f"A{i}", "references = </R>") for i in range(300)))


def many_relocates():
    n = 20000
    moves = ", ".join(f"</A/p{i}>: </A/q{i}>" for i in range(n))
    return _root(f"(\nrelocates = {{\n{moves}\n}}\n)\n" + _prim("R", body="".join(f'def "p{i}"\n{{\n}}\n' for i in range(n))) +
                 _prim("A", "references = </R>"))


def chained_relocates():
    n = 3000
    moves = ", ".join(f"</A/p{i}>: </A/p{i + 1}>" for i in range(n))
    return _root(f"(\nrelocates = {{\n{moves}\n}}\n)\n" + _prim("R", body='def "p0"\n{\n}\n') + _prim("A", "references = </R>"))


def nested_relocates():
    """Each layer in a chain of references relocates what the one below relocated."""
    files, levels = {}, 150
    for k in range(levels):
        ref = f"references = @l{k + 1}.usda@</A>" if k < levels - 1 else ""
        moves = ", ".join(f"</A/p{i}_{levels - 1 - k}>: </A/p{i}_{levels - k}>" for i in range(20))
        body = "" if ref else "".join(f'def "p{i}_0"\n{{\n}}\n' for i in range(20))
        files[f"l{k}.usda" if k else "root.usda"] = HEADER + (f"(\nrelocates = {{\n{moves}\n}}\n)\n" if ref else "") + _prim("A", ref, body)
    return files


def doubling_sublayers():
    """Each layer has two sublayers, which both have the same two: 2^n entries of the stack from 2n files."""
    files, levels = {}, 40
    for k in range(levels):
        subs = f"(\nsubLayers = [@a{k + 1}.usda@, @b{k + 1}.usda@]\n)\n"
        for side in "ab":
            files[f"{side}{k}.usda"] = HEADER + subs
    leaf = HEADER + "".join(f'def "P{i}"\n{{\n    int a = 1\n}}\n' for i in range(2000))
    files[f"a{levels}.usda"] = files[f"b{levels}.usda"] = leaf
    files["root.usda"] = HEADER + "(\nsubLayers = [@a0.usda@, @b0.usda@]\n)\n"
    return files


def doubling_sublayers_with_prims():
    """13 levels of doubling sublayers with prims, which is within the limits: every prim has 8,192 opinions."""
    files, levels = {}, 12
    for k in range(levels):
        subs = f"(\nsubLayers = [@a{k + 1}.usda@, @b{k + 1}.usda@]\n)\n"
        for side in "ab":
            files[f"{side}{k}.usda"] = HEADER + subs
    leaf = HEADER + "".join(f'def "P{i}"\n{{\n    int a = 1\n}}\n' for i in range(20000))
    files[f"a{levels}.usda"] = files[f"b{levels}.usda"] = leaf
    files["root.usda"] = HEADER + "(\nsubLayers = [@a0.usda@, @b0.usda@]\n)\n"
    return files


def sublayer_list():
    """One file 300,000 times in the list of sublayers."""
    return _root("(\nsubLayers = [" + ", ".join(["@x.usda@"] * 300000) + "]\n)\n", x='over "A"\n{\n}\n')


def missing_sublayers():
    return _root("(\nsubLayers = [" + ", ".join(f"@missing{i}.usda@" for i in range(100000)) + "]\n)\n")


def missing_references():
    n = 1000
    refs = ", ".join(f"@missing{i}.usda@" for i in range(n))
    return _root(_prim("R", f"references = [{refs}]") + "".join(_prim(f"A{i}", "references = </R>") for i in range(2000)))


def long_names_in_errors():
    """An asset path of one megabyte in an error of each of 20,000 prims."""
    return _root(_prim("R", f"references = @{'x' * 1000000}.usda@") +
                 "".join(f'def "A{i}" (references = </R>)\n{{\n}}\n' for i in range(20000)))


def list_edits():
    """Every layer deletes, orders and adds a hundred thousand items."""
    n = 100000
    order = ", ".join(f"</C{(i * 7919) % n}>" for i in range(n))
    files = {f"l{k}.usda": HEADER + f'over "A" (\ndelete inherits = [{order}]\nadd inherits = [{order}]\nreorder inherits = [{order}]\n)\n{{\n}}\n'
             for k in range(3)}
    files["root.usda"] = HEADER + '(\nsubLayers = [@l0.usda@, @l1.usda@, @l2.usda@]\n)\ndef "A"\n{\n}\n'
    return files


def api_schema_edits():
    """Different lists of applied schemas on many prims, so that each needs its own prim definition."""
    n = 2000
    apis = ", ".join(f'"CollectionAPI:c{i}"' for i in range(1000))
    text = _prim("R", f"prepend apiSchemas = [{apis}]", kind="class")
    return _root(text + "".join(_prim(f"A{i}", f'inherits = </R>\nprepend apiSchemas = ["CollectionAPI:x{i}"]') for i in range(n)))


def reorder_children():
    """Many referenced prims that each reorder their children, one of them with 50,000 children."""
    n, refs = 50000, 300
    order = ", ".join(f'"c{(i * 7919) % n}"' for i in range(n))
    children = "".join(f'def "c{i}"\n{{\n}}\n' for i in range(n))
    text = _prim("R", body=children + f"reorder nameChildren = [{order}]\n")
    return _root(text + _prim("A", "references = [" + ", ".join(f"</S{i}>" for i in range(refs)) + "]") +
                 "".join(_prim(f"S{i}", "references = </R>" if i == 0 else "", f'reorder nameChildren = ["c1", "c{i}"]\ndef "d{i}"\n{{\n}}\n') for i in range(refs)))


def deep_namespace_by_references():
    """Each prim's child references the next: a namespace 50,000 levels deep."""
    n = 50000
    return _root("".join(f'def "L{i}"\n{{\n    def "c" (references = </L{i + 1}>)\n    {{\n    }}\n}}\n' for i in range(n)) + _prim(f"L{n}"))


def doubling_children_with_properties():
    """2^22 prims in 22 levels, with properties at the leaves."""
    text = ""
    for level in range(22, 0, -1):
        text += f'def "L{level}"\n{{\n' + "".join(f'    def "{c}" (references = </L{level - 1}>)\n    {{\n    }}\n' for c in "ab") + "}\n"
    return _root(text + 'def "L0"\n{\n    double a = 1\n}\n')


def many_prototypes():
    """Instances that each select a different variant, so that each needs its own prototype with a subtree."""
    n = 3000
    body = 'variantSet "s" = {\n' + "".join(f'"v{i}" {{\n}}\n' for i in range(n)) + "}\n" + "".join(f'def "c{i}"\n{{\n}}\n' for i in range(1000))
    text = _prim("R", 'variantSets = "s"', body, "class")
    return _root(text + "".join(_prim(f"A{i}", f'references = </R>\ninstanceable = true\nvariants = {{ string s = "v{i}" }}') for i in range(n)))


def long_instance_keys():
    """Thousands of instances whose keys are megabytes each."""
    n = 3000
    chosen = "\n".join(f'string s{i} = "a"' for i in range(20000))
    return _root(_prim("R", f"variants = {{\n{chosen}\n}}", 'def "c"\n{\n}\n', "class") +
                 "".join(_prim(f"A{i}", "references = </R>\ninstanceable = true") for i in range(n)))


def collection_chain():
    """Each collection includes the 39 following ones."""
    n = 1500
    apis = ", ".join(f'"CollectionAPI:c{i}"' for i in range(n))
    body = "".join(f"rel collection:c{i}:includes = [" + ", ".join(f"</A.collection:c{j}>" for j in range(i + 1, min(n, i + 40))) + "]\n" for i in range(n))
    return _root(_prim("A", f"apiSchemas = [{apis}]", body + "".join(f'def "p{i}"\n{{\n}}\n' for i in range(1000))))


def collection_excludes():
    """Thousands of included and excluded paths, and as many prims."""
    n = 20000
    inc = ", ".join(f"</A/p{i}>" for i in range(n))
    exc = ", ".join(f"</A/p{i}/q>" for i in range(n))
    return _root(_prim("A", 'apiSchemas = ["CollectionAPI:c"]', f"rel collection:c:includes = [{inc}]\nrel collection:c:excludes = [{exc}]\n" +
                       "".join(f'def "p{i}"\n{{\n    def "q"\n    {{\n    }}\n}}\n' for i in range(n))))


def _collections(expressions, body=""):
    apis = ", ".join(f'"CollectionAPI:c{i}"' for i in range(len(expressions)))
    return _root(_prim("A", f"apiSchemas = [{apis}]", "".join(f'pathExpression collection:c{i}:membershipExpression = "{e}"\n' for i, e in enumerate(expressions)) + body))


def doubling_path_expressions():
    """Each expression refers to the next one twice."""
    return _collections([f"%/A:c{i + 1} + %/A:c{i + 1}" for i in range(60)] + ["/A//"], "".join(f'def "p{i}"\n{{\n}}\n' for i in range(1000)))


def big_path_expression():
    """A union of 50,000 patterns, matched against 20,000 prims."""
    return _collections([" ".join(f"//*a{i}*" for i in range(50000))], "".join(f'def "p{i}"\n{{\n}}\n' for i in range(20000)))


def starred_path_expression():
    """Patterns that backtrack in names and in levels."""
    deep = "".join('def "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"\n{\n' for _ in range(60)) + "}\n" * 60
    return _collections(["//" + "*a" * 40 + "b", "//*" * 30 + "//b", "//[a-z]*" * 30 + "//c", "//*{isa:Mesh}" * 20 + "//d"], deep)


def nested_path_expression():
    return _collections(["(" * 100000 + "/A" + ")" * 100000, "~" * 100000 + "/A", "//*{" + "not " * 100000 + "defined}"])


def predicates_times_prims():
    return _collections(["//{" + " or ".join(f"kind:k{i}" for i in range(5000)) + "}"], "".join(f'def "p{i}"\n{{\n}}\n' for i in range(20000)))


def doubling_relationships():
    """Each relationship targets the next two."""
    n = 3000
    return _root(_prim("A", body="".join(f"rel r{i} = [</A.r{i + 1}>, </A.r{i + 2}>]\n" for i in range(n)) + f"rel r{n}\nrel r{n + 1}\n"))


def relationship_chain():
    n = 100000
    return _root(_prim("A", body="".join(f"rel r{i} = </A.r{i + 1}>\n" for i in range(n)) + f"rel r{n}\n"))


def targets_times_nodes():
    """A relationship with 20,000 targets through a chain of 1,000 references."""
    n = 1000
    targets = ", ".join(f"</C{n}/p{i}>" for i in range(20000))
    return _root("".join(_prim(f"C{i}", f"references = </C{i + 1}>") for i in range(n)) + _prim(f"C{n}", body=f"rel r = [{targets}]\n"))


def deep_dictionaries():
    depth = 60
    return _root("(\ncustomLayerData = {\n" + 'dictionary a = {\n' * depth + "int x = 1\n" + "}\n" * depth + "}\n)\n")


def merged_dictionaries():
    """A chain of references, each with a dictionary of thousands of different keys."""
    n, keys = 300, 2000
    return _root("".join(_prim(f"C{i}", (f"references = </C{i + 1}>\n" if i < n - 1 else "") + "customData = {\n" +
                               "".join(f"int k{(i * keys + j) * 7919 % 1000003} = {j}\n" for j in range(keys)) + "}") for i in range(n)))


def nested_text():
    """Prims nested 100,000 levels deep, without closing brackets."""
    return _root('def "A"\n{\n' * 100000)


def nested_lists():
    return _root(_prim("A", body="double[] a = " + "[" * 1000000 + "\n"))


def nested_dictionaries_text():
    return _root("(\ncustomLayerData = {\n" + "dictionary a = {\n" * 200000)


def long_token():
    return _root(_prim("A", body=f'token a = "{"x" * 5000000}"\n'))


def many_tokens():
    return _root(_prim("A", body="token[] a = [" + ", ".join(f'"{i}x"' for i in range(300000)) + "]\n"))


def comments_only():
    return _root("# comment\n" * 500000)


def many_properties():
    return _root(_prim("A", body="".join(f"double p{i} = {i}\n" for i in range(100000))))


def repeated_specs():
    """One prim that is defined a hundred thousand times."""
    return _root(_prim("A") * 100000)


def reordered_properties():
    n = 100000
    return _root(_prim("A", body="".join(f"int p{i}\n" for i in range(n)) + "reorder properties = [" + ", ".join(f'"p{(i * 7919) % n}"' for i in range(n)) + "]\n"))


def time_samples():
    return _root(_prim("A", body="double a.timeSamples = {\n" + "".join(f"{(i * 7919) % 200000}: {i},\n" for i in range(200000)) + "}\n"))


def long_path():
    """A path of a hundred thousand names as reference, target and connection."""
    path = "/A" + "/b" * 100000
    return _root(_prim("A", f"references = <{path}>", f"rel r = <{path}>\ndouble a.connect = <{path}.x>\n"))


def nested_target_paths():
    path = "/A.r" + "[/A.r" * 50000 + "]" * 50000
    return _root(_prim("A", body=f"rel r = <{path}>\n"))


def asset_edges():
    """Asset paths of missing files as values of a hundred thousand attributes."""
    return _root(_prim("A", body="".join(f"asset a{i} = @missing{i}.png@\n" for i in range(100000))))


ALL = [
    doubling_expression_errors,
    many_costly_expressions,
    doubling_variables,
    inherit_chain_1600,
    specializes_chain,
    reference_chain,
    payload_chain,
    reference_chain_below_roots,
    alternating_classes,
    wide_inherits,
    wide_specializes,
    wide_references,
    classes_across_references,
    specializes_across_references,
    crossed_inherits,
    nested_classes,
    many_variant_sets,
    nested_variants,
    variants_of_many_references,
    long_variant_fallback_search,
    many_relocates,
    chained_relocates,
    nested_relocates,
    doubling_sublayers,
    doubling_sublayers_with_prims,
    sublayer_list,
    missing_sublayers,
    missing_references,
    long_names_in_errors,
    list_edits,
    api_schema_edits,
    reorder_children,
    deep_namespace_by_references,
    doubling_children_with_properties,
    many_prototypes,
    long_instance_keys,
    collection_chain,
    collection_excludes,
    doubling_path_expressions,
    big_path_expression,
    starred_path_expression,
    nested_path_expression,
    predicates_times_prims,
    doubling_relationships,
    relationship_chain,
    targets_times_nodes,
    deep_dictionaries,
    merged_dictionaries,
    nested_text,
    nested_lists,
    nested_dictionaries_text,
    long_token,
    many_tokens,
    comments_only,
    many_properties,
    repeated_specs,
    reordered_properties,
    time_samples,
    long_path,
    nested_target_paths,
    asset_edges,
]
