"""How applications of OpenUSD read layers, textures and packages through a daemon: "stagedoor-asset:/show/shot.usda"."""
import os
import sys
import tempfile
import threading
import unittest

import numpy
from pxr import Ar, Sdf, Tf, Usd, UsdUtils, Vt

from daemon import Daemon
from fixture import DEMO, PluginTest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "remote"))
import nginx  # noqa: E402

SCHEME = "stagedoor-asset:"


def flattened(stage):
    """The content of a stage as text, with asset paths as the daemon knows them."""
    return stage.Flatten().ExportToString().replace(SCHEME, "").replace("generated from Composed Stage", "")


def context(text):
    return Ar.GetResolver().CreateContextFromString("stagedoor-asset", text)


def bytes_of(path):
    asset = Ar.GetResolver().OpenAsset(Ar.GetResolver().Resolve(path))
    return bytes(asset.GetBuffer())


class AssetTest(PluginTest):
    def open_asset(self, path, *arguments):
        return Usd.Stage.Open(SCHEME + path, *arguments)

    def crate(self, name, value, count):
        """A binary layer with eight arrays of `count` numbers, of which the first is `value`."""
        path = os.path.join(self.folder, name)
        stage = Usd.Stage.CreateNew(path)
        prim = stage.DefinePrim("/A")
        prim.CreateAttribute("first", Sdf.ValueTypeNames.Float).Set(value)
        for part in range(8):
            numbers = numpy.random.default_rng(part).random(count, numpy.float32)  # which cannot be compressed
            numbers[0] = value
            prim.CreateAttribute(f"numbers{part}", Sdf.ValueTypeNames.FloatArray).Set(Vt.FloatArray.FromNumpy(numbers))
        stage.Save()
        return path


class LayerTest(AssetTest):
    def test_a_stage_is_composed_from_raw_layers(self):
        stage = self.open_asset(DEMO)
        self.assertEqual(flattened(stage), flattened(Usd.Stage.Open(DEMO)))
        for layer in stage.GetUsedLayers():
            if not layer.anonymous:
                self.assertTrue(layer.identifier.startswith(SCHEME + "/"), layer.identifier)

    def test_layers_have_their_arcs(self):
        self.layer("a.usda", 'def "A" { double x = 1 }')
        root = self.scene('def "B" ( references = @./a.usda@</A> ) { }')
        stage = self.open_asset(root)
        prim = stage.GetPrimAtPath("/B")
        self.assertEqual(prim.GetAttribute("x").Get(), 1)
        self.assertEqual(len(prim.GetMetadata("references").GetAddedOrExplicitItems()), 1)

    def test_a_large_binary_layer_is_read_in_blocks(self):
        path = self.crate("big.usdc", 7, 500_000)
        self.assertGreater(os.path.getsize(path), 8 << 20)
        stage = self.open_asset(path)
        self.assertEqual(flattened(stage), flattened(Usd.Stage.Open(path)))

    def test_layers_cannot_be_saved(self):
        stage = self.open_asset(self.scene('def "A" { double x = 1 }'))
        stage.GetPrimAtPath("/A").GetAttribute("x").Set(2.0)
        self.assertIn("saving not allowed", self.error_of(stage.GetRootLayer().Save))

    def test_threads_open_the_same_layers(self):
        for i in range(20):
            self.layer(f"a{i}.usda", f'def "A" {{ double x = {i} }}')
        root = self.scene("\n".join(f'def "B{i}" ( references = @./a{i}.usda@</A> ) {{ }}' for i in range(20)))
        wrong = []

        def read():
            stage = self.open_asset(root)
            for i in range(20):
                value = stage.GetPrimAtPath(f"/B{i}").GetAttribute("x").Get()
                if value != i:
                    wrong.append((i, value))

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class OtherAssetTest(AssetTest):
    def test_textures_are_read_as_they_are_stored(self):
        content = os.urandom(3 << 20)
        path = os.path.join(self.folder, "wood.png")
        with open(path, "wb") as file:
            file.write(content)
        self.assertEqual(bytes_of(SCHEME + path), content)
        asset = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(SCHEME + path))
        self.assertEqual(asset.GetSize(), len(content))
        stage = self.open_asset(self.scene('def "A" { asset file = @./wood.png@ }'))
        self.assertEqual(stage.GetPrimAtPath("/A").GetAttribute("file").Get().resolvedPath, SCHEME + path)

    def test_an_empty_asset(self):
        self.assertEqual(bytes_of(SCHEME + self.write("empty.txt", "")), b"")

    def test_packages(self):
        self.write("wood.png", "pixels")
        self.layer("sub.usda", 'def "S" { double x = 1 }')
        root = self.scene('def "A" ( references = @./sub.usda@</S> ) { asset file = @./wood.png@ }')
        package = os.path.join(self.folder, "p.usdz")
        self.assertTrue(UsdUtils.CreateNewUsdzPackage(root, package))
        stage = self.open_asset(package)
        prim = stage.GetPrimAtPath("/A")
        self.assertEqual(prim.GetAttribute("x").Get(), 1)
        texture = prim.GetAttribute("file").Get().resolvedPath
        self.assertTrue(texture.startswith(SCHEME + package + "["), texture)
        self.assertEqual(bytes_of(texture), b"pixels")

    def test_what_does_not_exist(self):
        self.assertFalse(Ar.GetResolver().Resolve(SCHEME + self.folder + "/none.png"))
        with self.assertRaises(Tf.ErrorException):
            self.open_asset(self.folder + "/none.usda")


class IdentifierTest(AssetTest):
    def identifier(self, path, anchor):
        return Ar.GetResolver().CreateIdentifier(path, Ar.ResolvedPath(SCHEME + anchor))

    def test_paths_in_a_layer(self):
        for path, anchor, expected in [
                ("./b.usda", "/show/a.usda", "/show/b.usda"),
                ("../b.usda", "/show/x/a.usda", "/show/b.usda"),
                ("/lib/b.usda", "/show/a.usda", "/lib/b.usda"),
                ("./b.usda", "https://host/show/a.usda", "https://host/show/b.usda"),
                ("../b.usda", "s3://bucket/x/a.usda", "s3://bucket/b.usda"),
                ("https://host/b.usda", "/show/a.usda", "https://host/b.usda")]:
            self.assertEqual(self.identifier(path, anchor), SCHEME + expected)

    def test_search_paths(self):
        beside = self.layer("lib.usda", 'def "L" {}')
        self.assertEqual(self.identifier("lib.usda", self.folder + "/root.usda"), SCHEME + beside)
        self.assertEqual(self.identifier("none.usda", self.folder + "/root.usda"), SCHEME + "none.usda")


class ContextTest(AssetTest):
    def setUp(self):
        super().setUp()
        for name, value in (("one", 1), ("two", 2)):
            os.mkdir(os.path.join(self.folder, name))
            self.layer(f"{name}/a.usda", f'def "A" {{ double x = {value} }}')
        self.root = self.scene('def "B" ( references = @a.usda@</A> ) { }')

    def value(self, stage):
        return stage.GetPrimAtPath("/B").GetAttribute("x").Get()

    def test_search_paths_and_pins(self):
        one, two = self.folder + "/one", self.folder + "/two"
        searched = self.open_asset(self.root, context(f"search_paths = {one};{two}"))
        self.assertEqual(self.value(searched), 1)
        pinned = self.open_asset(self.root, context(f"search_paths = {one}\npin a.usda = {two}/a.usda"))
        self.assertEqual(self.value(pinned), 2)
        self.assertEqual(self.value(searched), 1)

    def test_a_refreshed_context_has_newer_pins(self):
        pins = self.write("pins.json", '{"a.usda": "%s/one/a.usda"}' % self.folder)
        pinned = context(f"pin_files = {pins}")
        stage = self.open_asset(self.root, pinned)
        self.assertEqual(self.value(stage), 1)
        self.write("pins.json", '{"a.usda": "%s/two/a.usda"}' % self.folder)
        Ar.GetResolver().RefreshContext(pinned)
        self.assertEqual(self.value(stage), 2)

    def test_another_daemon(self):
        other = Daemon("--allow-root", self.folder + "/one")
        self.addCleanup(other.close)
        refused = context(f"address = {other.address}")
        with self.assertRaises(Tf.ErrorException):
            self.open_asset(self.root, refused)
        stage = self.open_asset(self.folder + "/one/a.usda", refused)
        self.assertEqual(stage.GetPrimAtPath("/A").GetAttribute("x").Get(), 1)

    def test_unknown_keys_are_named(self):
        self.assertIn("unknown argument 'serch_paths'; known are address, ", self.error_of(context, "serch_paths = /a"))


class ChangeTest(AssetTest):
    def test_reload_shows_what_has_changed(self):
        root = self.scene('def "A" { double x = 1 }')
        stage = self.open_asset(root)
        self.scene('def "A" { double x = 2.5 }')
        self.assertEqual(stage.GetPrimAtPath("/A").GetAttribute("x").Get(), 1)
        stage.Reload()
        self.assertEqual(stage.GetPrimAtPath("/A").GetAttribute("x").Get(), 2.5)

    def test_an_asset_that_changed_between_two_reads_is_an_error(self):
        path = self.crate("big.usdc", 1, 1_000_000)
        stage = self.open_asset(path)
        prim = stage.GetPrimAtPath("/A")
        self.assertEqual(prim.GetAttribute("first").Get(), 1)
        os.remove(path)
        self.crate("other.usdc", 2, 1_000_000)
        os.rename(self.folder + "/other.usdc", path)
        for part in range(8):
            self.assertIn("has changed", self.error_of(prim.GetAttribute(f"numbers{part}").Get))
        stage.Reload()
        self.assertEqual(prim.GetAttribute("numbers3").Get()[0], 2)


@unittest.skipUnless(nginx.find(), "nginx is not installed")
class RemoteTest(AssetTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = os.path.realpath(folder.name)
        os.chmod(cls.root, 0o755)
        cls.server = nginx.Nginx(cls.root)
        cls.addClassCleanup(cls.server.close)
        cls.flags = ("--allow-url", cls.server.url + "/", "--allow-network", "127.0.0.0/8")
        super().setUpClass()

    def put(self, name, content):
        with open(os.path.join(self.root, name), "wb") as file:
            file.write(content)

    def test_layers_and_textures_of_a_server(self):
        texture = os.urandom(2 << 20)
        self.put("wood.png", texture)
        self.put("sub.usda", b'#usda 1.0\ndef "S" {\n double x = 3\n asset file = @./wood.png@\n}\n')
        self.put("root.usda", b'#usda 1.0\ndef "A" (\n references = @./sub.usda@</S>\n) {\n}\n')
        stage = self.open_asset(self.server.url + "/root.usda")
        prim = stage.GetPrimAtPath("/A")
        self.assertEqual(prim.GetAttribute("x").Get(), 3)
        file = prim.GetAttribute("file").Get().resolvedPath
        self.assertEqual(file, SCHEME + self.server.url + "/wood.png")
        self.assertEqual(bytes_of(file), texture)

    def test_textures_of_a_composed_stage_are_read_through_the_daemon(self):
        self.put("oak.png", b"pixels")
        self.put("composed.usda", b'#usda 1.0\ndef "A" {\n asset file = @./oak.png@\n}\n')
        stage = Usd.Stage.Open("stagedoor:" + self.server.url + "/composed.usda")
        file = stage.GetPrimAtPath("/A").GetAttribute("file").Get().resolvedPath
        self.assertEqual(file, SCHEME + self.server.url + "/oak.png")
        self.assertEqual(bytes_of(file), b"pixels")

    def test_other_servers_are_refused(self):
        with self.assertRaises(Tf.ErrorException):
            self.open_asset("http://127.0.0.2:1/root.usda")
