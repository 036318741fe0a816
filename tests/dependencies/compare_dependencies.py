"""Generates small scenes and compares `stagedoor deps` and `stagedoor localize` with OpenUSD.

Runs in a Python that has usd-core: compare_dependencies.py STAGEDOOR [SCENE…]

For each scene the layers, assets and unresolved paths must be those of UsdUtils.ComputeAllDependencies. The output of
localize, as a folder and as a package, must compose to the same values in OpenUSD after the originals are deleted, even
where UsdUtils.LocalizeAsset loses something. Prints the differences; the exit status is 1 if there are any.
"""
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

from pxr import Sdf, Usd, UsdUtils


class Scene:
    """A folder with shot/root.usda and its dependencies."""

    def __init__(self, folder):
        self.folder = folder
        self.root = os.path.join(folder, "shot/root.usda")

    def path(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def file(self, name, content="content"):
        with open(self.path(name), "w") as out:
            out.write(content + " of " + name)

    def layer(self, name, body, head=""):
        with open(self.path(name), "w") as out:
            out.write('#usda 1.0\n(\n%s\n)\n%s\n' % (head, body))

    def crate(self, name, body, head=""):
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.ImportFromString('#usda 1.0\n(\n%s\n)\n%s\n' % (head, body))
        layer.Export(self.path(name))

    def package(self, name, files):
        with Sdf.ZipFileWriter.CreateNew(self.path(name)) as out:
            for source, inside in files:
                out.AddFile(self.path(source), inside)

    def packages(self):
        """Writes lib/outer.usdz, which contains another package; each has a texture."""
        self.file("src/tex.png")
        self.file("src/other.png")
        self.layer("src/inner.usda", 'def "I" {\n asset t = @./tex.png@\n double v = 3\n}', 'defaultPrim = "I"')
        self.package("lib/inner.usdz", [("src/inner.usda", "inner.usda"), ("src/tex.png", "tex.png")])
        self.layer("src/outer.usda", 'def "O" {\n asset t = @./maps/other.png@\n'
                   ' def "C" (references = @./inner.usdz@) {\n }\n}', 'defaultPrim = "O"')
        self.layer("src/part.usda", 'def "P" {\n double p = 7\n}', 'defaultPrim = "P"')
        self.package("lib/outer.usdz", [("src/outer.usda", "outer.usda"), ("src/other.png", "maps/other.png"),
                                        ("lib/inner.usdz", "inner.usdz"), ("src/part.usda", "part.usda")])
        shutil.rmtree(self.path("src"))
        os.remove(self.path("lib/inner.usdz"))


def arcs(s):
    s.layer("lib/chair.usda", 'def "Chair" (references = @./leg.usda@</Leg>) {\n}', 'defaultPrim = "Chair"')
    s.layer("lib/leg.usda", 'def "Leg" {\n double l = 1\n}')
    s.crate("shot/sub/part.usdc", 'def "P" {\n double p = 2\n}')
    s.layer("shot/sub.usda", 'over "A" {\n double o = 4\n}')
    s.layer("shot/root.usda", 'def "A" (references = @../lib/chair.usda@) {\n}\n'
            'def "B" (payload = @./sub/part.usdc@</P>) {\n}\n'
            'def "C" (references = [@../lib/chair.usda@, @./gone.usda@]) {\n}', 'subLayers = [@./sub.usda@]')


def same_names(s):
    for folder in "abc":
        s.layer("%s/x.usda" % folder, 'def "%s" {\n}' % folder.upper())
        s.file("%s/t.png" % folder)
    s.layer("shot/0/x.usda", 'def "Zero" {\n asset t = @../../c/t.png@\n}')
    s.layer("shot/root.usda", 'def "R" {\n asset[] t = [@../a/t.png@, @../b/t.png@]\n}',
            "subLayers = [@../a/x.usda@, @../b/x.usda@, @../c/x.usda@, @./0/x.usda@]")


def textures(s):
    for name in ("a.png", "b.png", "var.png"):
        s.file("tex/" + name)
    s.file("shot/near.png")
    s.layer("shot/root.usda", 'def "R" (customData = {\n asset cd = @../tex/b.png@\n}) {\n asset t = @../tex/a.png@\n'
            ' asset near = @./near.png@\n asset plain = @near.png@\n asset gone = @./gone.png@\n asset search = @gone2.png@\n'
            ' asset far = @../nowhere/x.png@\n asset[] l = [@../tex/a.png@, @./nope.png@]\n'
            ' asset s.timeSamples = {\n 1: @../tex/a.png@,\n 2: @../tex/var.png@\n }\n}')


def tiles(s):
    for tile in (1001, 1002, 1011):
        s.file("tex/u.%d.png" % tile)
        s.file("shot/v.%d.exr" % tile)
    s.layer("shot/root.usda", 'def "R" {\n asset far = @../tex/u.<UDIM>.png@\n asset near = @./v.<UDIM>.exr@\n'
            ' asset none = @./none.<UDIM>.exr@\n}')


def other_formats(s):
    s.file("other/m.mtlx", '<?xml version="1.0"?><materialx version="1.38"></materialx>')
    s.file("other/g.abc")
    s.layer("other/named.usda", 'def "N" (references = @./deeper.usda@</Q>) {\n}')
    s.layer("other/deeper.usda", 'def "Q" {\n}')
    s.layer("shot/root.usda", 'def "R" {\n asset m = @../other/m.mtlx@\n asset g = @../other/g.abc@\n'
            ' asset n = @../other/named.usda@\n asset gone = @../other/gone.usda@\n}')


def variants(s):
    for name in "ab":
        s.layer("lib/%s.usda" % name, 'def "V" {\n string v = "%s"\n}' % name)
    s.layer("shot/root.usda", 'def "R" (variants = {\n string v = "a"\n}\n prepend variantSets = "v") {\n variantSet "v" = {\n'
            ' "a" (references = @../lib/a.usda@</V>) {\n }\n "b" (payload = @../lib/b.usda@</V>) {\n }\n }\n}')


def clips(s):
    for i in (1, 2, 3):
        body = 'def "M" {\n double x.timeSamples = {\n %d: %d.5\n }\n}' % (i, i)
        s.layer("clips/c.%03d.usda" % i, body)
        s.layer("shot/near/n.%d.usda" % i, body)
    s.layer("clips/man.usda", 'def "M" {\n double x\n}')
    s.layer("shot/near/man.usda", 'def "M" {\n double x\n}')

    def template(path, manifest):
        return ('(clips = {\n dictionary default = {\n string templateAssetPath = "%s"\n double templateStartTime = 1\n'
                ' double templateEndTime = 3\n double templateStride = 1\n string primPath = "/M"\n'
                ' asset manifestAssetPath = @%s@\n }\n}) {\n double x\n}\n' % (path, manifest))
    s.layer("shot/root.usda", 'def "Far" ' + template("../clips/c.###.usda", "../clips/man.usda") +
            'def "Near" ' + template("./near/n.#.usda", "./near/man.usda") +
            'def "Listed" (clips = {\n dictionary default = {\n asset[] assetPaths = [@../clips/c.001.usda@, @../clips/c.002.usda@]\n'
            ' double2[] active = [(1, 0), (2, 1)]\n double2[] times = [(1, 1), (2, 2)]\n string primPath = "/M"\n'
            ' asset manifestAssetPath = @../clips/man.usda@\n }\n}) {\n double x\n}')


def expressions(s):
    s.file("tex/red.png")
    s.layer("lib/red.usda", 'def "R" {\n asset t = @../tex/red.png@\n}', 'defaultPrim = "R"')
    s.layer("shot/root.usda", 'def "V" (references = @`"../lib/${C}.usda"`@) {\n asset e = @`"../tex/${C}.png"`@\n'
            ' asset gone = @`"./${C}.gone.png"`@\n}', 'expressionVariables = {\n string C = "red"\n}')


def packages(s):
    s.packages()
    s.layer("shot/root.usda", 'def "A" (references = @../lib/outer.usdz@) {\n}\n')


def into_packages(s):
    s.packages()
    s.layer("shot/root.usda", 'def "A" (references = @../lib/outer.usdz[part.usda]@) {\n}\n'
            'def "B" (payload = @../lib/outer.usdz[inner.usdz[inner.usda]]@) {\n'
            ' asset own = @../lib/outer.usdz[maps/other.png]@\n asset inner = @../lib/outer.usdz[inner.usdz[tex.png]]@\n'
            ' asset gone = @../lib/outer.usdz[gone.png]@\n}')


def package_beside(s):
    s.packages()
    os.makedirs(s.path("shot/pkg"))
    shutil.copy(s.path("lib/outer.usdz"), s.path("shot/pkg/outer.usdz"))
    s.crate("shot/sub.usdc", 'def "S" (references = @./pkg/outer.usdz@) {\n}')
    s.layer("shot/root.usda", 'def "A" (references = @../lib/outer.usdz@) {\n}', "subLayers = [@./sub.usdc@]")


SCENES = [arcs, same_names, textures, tiles, other_formats, variants, clips, expressions, packages, into_packages,
          package_beside]


def run(program, *arguments):
    environment = dict(os.environ, STAGEDOOR_EMBEDDED="1")
    done = subprocess.run([program, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError("%s: %s" % (" ".join(arguments), done.stderr))
    return done.stdout


def openusd_dependencies(root):
    layers, assets, unresolved = UsdUtils.ComputeAllDependencies(root)
    return {"layers": {layer.identifier for layer in layers}, "assets": set(assets), "missing": set(unresolved)}


def our_dependencies(program, root):
    found = {"layers": {root}, "assets": set(), "missing": set()}
    for line in run(program, "deps", root).splitlines():
        state, kind, path = line.split("\t")[:3]
        if state == "missing":
            found["missing"].add(path)
        else:
            found["assets" if kind == "asset" else "layers"].add(path)
    return found


def content(path):
    """The content of the file that an asset value names, or of its second tile if it is tiled."""
    name = path.resolvedPath or path.path
    if not name:
        return None
    name = name.replace("<UDIM>", "1002")
    outer, *inside = name.rstrip("]").split("[")
    try:
        with open(outer, "rb") as file:
            data = file.read()
    except OSError:
        return "missing"
    for name in inside:
        data = zipfile.ZipFile(io.BytesIO(data)).read(name)
    # Localizing rewrites layers, so only compare other files.
    return data if [outer, *inside][-1].endswith((".png", ".exr")) else "a file"


def composed(root):
    stage = Usd.Stage.Open(root)
    values = {}
    for prim in stage.Traverse():
        values[str(prim.GetPath())] = prim.GetTypeName()
        for attribute in prim.GetAuthoredAttributes():
            for time in (Usd.TimeCode.Default(), 1, 1.5, 2, 3):
                value = attribute.Get(time)
                if isinstance(value, Sdf.AssetPath):
                    value = content(value)
                elif isinstance(value, Sdf.AssetPathArray):
                    value = [content(path) for path in value]
                values["%s at %s" % (attribute.GetPath(), time)] = value
    return values


def differences(name, wanted, got):
    for key in sorted(set(wanted) | set(got)):
        if wanted.get(key) != got.get(key):
            yield "%s: %s\n  OpenUSD:   %r\n  stagedoor: %r" % (name, key, wanted.get(key), got.get(key))


def compare(program, make):
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        scene = Scene(os.path.join(folder, "scene"))
        make(scene)
        yield from differences(make.__name__, openusd_dependencies(scene.root), our_dependencies(program, scene.root))
        wanted = composed(scene.root)
        run(program, "localize", scene.root, "-o", os.path.join(folder, "copy"))
        run(program, "localize", scene.root, "-o", os.path.join(folder, "copy.usdz"))
        shutil.rmtree(scene.folder)
        yield from differences(make.__name__ + ", as a folder", wanted, composed(os.path.join(folder, "copy/root.usda")))
        yield from differences(make.__name__ + ", as a package", wanted, composed(os.path.join(folder, "copy.usdz")))


def main():
    program = os.path.abspath(sys.argv[1])
    wanted = re.compile("|".join(sys.argv[2:]) or ".")
    count = 0
    for make in SCENES:
        if wanted.search(make.__name__):
            for difference in compare(program, make):
                count += 1
                print(difference)
    print("%d differences" % count)
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
