"""Hostile looks and lights: tricks with bindings, collections, networks and light links. As in scenes.py, each function is one trick and returns
the files of a scene, whose root is "root.usda"."""
from scenes import HEADER


def bindings_in_circles():
    """Bindings and collections that lead to each other and to themselves, for purposes and with strengths, on a chain of prims."""
    prims = ""
    for i in range(200):
        after, far = (i + 1) % 200, (i + 7) % 200
        prims += (f'def Xform "p{i}" (\n    apiSchemas = ["MaterialBindingAPI", "CollectionAPI:a", "CollectionAPI:b"]\n)\n{{\n'
                  f'rel material:binding = </p{after}.material:binding> (\n    bindMaterialAs = "strongerThanDescendants"\n)\n'
                  f'rel material:binding:full = [</p{after}.material:binding:full>, </p{far}.to>]\n'
                  f'rel to = [</p{far}.to>, </p{i}.to>, </M>]\n'
                  f'rel material:binding:collection:a = [</p{i}.collection:a>, </p{after}.to>]\n'
                  f'rel material:binding:collection:full:b = [</p{far}.collection:b>, </p{far}.material:binding:collection:full:b>]\n'
                  f'rel collection:a:includes = [</p{after}.collection:a>, </p{far}.collection:b>, </p{i}>]\n'
                  f'rel collection:b:includes = [</p{i}.collection:a>, </p{i}.collection:b>]\n'
                  f'pathExpression collection:a:membershipExpression = "%/p{after}:a + %:b + //g*"\ndef Mesh "g"\n{{\n}}\n}}\n')
    return {"root.usda": HEADER + 'def Material "M"\n{\n}\n' + prims}


def million_collections():
    """A thousand prims that each have a thousand collections, which bind materials, include others and exclude prims."""
    names = [f"c{i}" for i in range(1000)]
    schemas = ", ".join(f'"CollectionAPI:{name}"' for name in names)
    rules = "".join(f"rel collection:{name}:includes = [</Set>, </Set.collection:{names[i - 1]}>]\nrel collection:{name}:excludes = </Set/g>\n"
                    f"rel material:binding:collection:{name} = [</Set.collection:{name}>, </Set/M>]\n" for i, name in enumerate(names))
    copies = "".join(f'def "s{i}" (\n    references = </Set>\n)\n{{\n}}\n' for i in range(999))
    return {"root.usda": HEADER + f'def Xform "Set" (\n    apiSchemas = ["MaterialBindingAPI", {schemas}]\n)\n{{\n{rules}'
            f'def Material "M"\n{{\n}}\ndef Mesh "g"\n{{\n}}\ndef Mesh "h"\n{{\n}}\n}}\n{copies}'}


def million_shaders():
    """A network of a thousand instances of a node graph with a thousand shaders, whose connections are a single circle."""
    shaders = "".join(f'def Shader "s{i}"\n{{\nfloat outputs:o\nfloat inputs:x.connect = </G/s{i + 1}.outputs:o>\n}}\n' for i in range(999))
    last = 'def Shader "s999"\n{\nfloat outputs:o\nfloat inputs:x.connect = </G.inputs:i>\n}\n'
    graph = f'class NodeGraph "G"\n{{\nfloat inputs:i\nfloat outputs:o.connect = </G/s0.outputs:o>\n{shaders}{last}}}\n'
    graphs = "".join(f'def "g{i}" (\n    references = </G>\n    instanceable = true\n)\n{{\nfloat inputs:i.connect = </M/g{(i + 1) % 1000}.outputs:o>\n}}\n' for i in range(1000))
    return {"root.usda": HEADER + f'{graph}def Material "M"\n{{\ntoken outputs:surface.connect = </M/g0.outputs:o>\n{graphs}}}\n'}


def multiplying_links():
    """Lights whose links include collections that include the next two, forty levels deep, each with prims of their own: 2^40 rules."""
    levels = 40
    schemas = ", ".join(f'"CollectionAPI:{name}{i}"' for i in range(levels) for name in "cd")
    rules = ""
    for i in range(levels):
        for name in "cd":
            more = f", </Set.collection:c{i + 1}>, </Set.collection:d{i + 1}>" if i + 1 < levels else ""
            rules += f"rel collection:{name}{i}:includes = [</Set/p{i}>{more}]\nrel collection:{name}{i}:excludes = </Set/p{i}/q>\n"
    prims = "".join(f'def Xform "p{i}"\n{{\ndef Mesh "q"\n{{\n}}\ndef Mesh "r"\n{{\n}}\n}}\n' for i in range(1000))
    links = "".join(f"rel collection:{link}:includes = [</Set.collection:c0>, </Set.collection:d0>]\nuniform bool collection:{link}:includeRoot = 0\n"
                    for link in ("lightLink", "shadowLink"))
    lights = "".join(f'def SphereLight "l{i}" (\n    inherits = </Linked>\n)\n{{\n}}\n' for i in range(500))
    return {"root.usda": HEADER + f'class "Linked"\n{{\n{links}}}\ndef Xform "Set" (\n    apiSchemas = [{schemas}]\n)\n{{\n{rules}{prims}}}\n{lights}'}


ALL = (bindings_in_circles, million_collections, million_shaders, multiplying_links)
