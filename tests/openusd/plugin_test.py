"""How stages of a daemon open in an application of OpenUSD, and what their layers can and cannot do. compare_cases.py checks that
what they show is what OpenUSD composes."""
import gc
import os
import random
import re
import socket
import subprocess
import sys
import threading
import time
import unittest
import urllib.request

from pxr import Sdf, Tf, Usd, UsdGeom, UsdUtils, UsdValidation, Vt

from compare import Comparison, five_times
from daemon import Daemon
from fixture import DEMO, PluginTest, uri


class OpenTest(PluginTest):
    def test_a_uri_opens_the_composed_stage(self):
        stage = Usd.Stage.Open("stagedoor:" + DEMO)
        self.assertEqual(stage.GetDefaultPrim().GetPath(), "/Shot")
        self.assertEqual(stage.GetRootLayer().identifier, "stagedoor:" + DEMO)

    def test_an_empty_file_beside_a_layer_opens_it(self):
        self.scene('def "A" {}')
        stage = Usd.Stage.Open(self.write("root.usda.stagedoor", ""))
        self.assertTrue(stage.GetPrimAtPath("/A"))

    def test_a_file_names_root_and_arguments(self):
        self.scene('def "A" { def "B" {} }\ndef "C" {}')
        stage = Usd.Stage.Open(self.write("shot.stagedoor", "# a shot\nroot = root.usda\n\nmask = /A/B\n"))
        self.assertTrue(stage.GetPrimAtPath("/A/B"))
        self.assertFalse(stage.GetPrimAtPath("/C"))

    def test_arguments_of_an_identifier_replace_those_of_the_file(self):
        self.scene('def "A" {}\ndef "C" {}')
        path = self.write("shot.stagedoor", "root = root.usda\nmask = /A\n")
        stage = Usd.Stage.Open(Sdf.Layer.CreateIdentifier(path, {"mask": "/C"}))
        self.assertFalse(stage.GetPrimAtPath("/A"))

    def test_it_can_be_referenced(self):
        path = self.scene('def "A" { double x = 5 }')
        stage = Usd.Stage.CreateInMemory()
        stage.DefinePrim("/World").GetReferences().AddReference("stagedoor:" + path, "/A")
        self.assertEqual(stage.GetAttributeAtPath("/World.x").Get(), 5)

    def test_unknown_arguments_are_named(self):
        self.assertIn("unknown argument 'mesk'; known are address, ", self.error_of(Usd.Stage.Open, uri(DEMO, mesk="/A")))

    def test_bad_values_are_shown_with_what_is_expected(self):
        for key, value, expected in (("time", "late", "a time code"), ("load", "some", "'all' or 'none'"),
                                     ("boundaries", "0", "'none', 'payloads' or a depth"), ("mask", "A", "absolute prim paths"),
                                     ("variants", "/A", "/World/Char{look=red}"), ("timeout", "-1", "seconds")):
            error = self.error_of(Usd.Stage.Open, uri(DEMO, **{key: value}))
            self.assertIn(f"the argument '{key}' is '{value}'; expected", error)
            self.assertIn(expected, error)

    def test_malformed_files_are_refused(self):
        self.assertIn("line 2 is 'root'; expected KEY = VALUE",
                      self.error_of(Usd.Stage.Open, self.write("a.stagedoor", "#\nroot\n")))
        self.assertIn("larger than 1 MiB", self.error_of(Usd.Stage.Open, self.write("b.stagedoor", "#" * (1 << 20) + "\n")))

    def test_a_missing_layer_is_the_error_of_the_daemon(self):
        self.assertIn("/nowhere.usda", self.error_of(Usd.Stage.Open, "stagedoor:/nowhere.usda"))


class ArgumentTest(PluginTest):
    VARIANTS = '''def "A" (variants = { string v = "x" }
      prepend variantSets = "v") { variantSet "v" = { "x" { double size = 1 } "y" { double size = 2 } } }'''

    def test_variants_are_listed_and_selected_by_an_argument(self):
        stage = self.open(self.VARIANTS)
        variants = stage.GetPrimAtPath("/A").GetVariantSet("v")
        self.assertEqual((variants.GetVariantNames(), variants.GetVariantSelection()), (["x", "y"], "x"))
        self.assertEqual(stage.GetAttributeAtPath("/A.size").Get(), 1)
        other = Usd.Stage.Open(uri(os.path.join(self.folder, "root.usda"), variants="/A{v=y}"))
        self.assertEqual(other.GetAttributeAtPath("/A.size").Get(), 2)
        self.assertEqual(other.GetPrimAtPath("/A").GetVariantSet("v").GetVariantSelection(), "y")

    def test_a_session_layer(self):
        session = self.layer("session.usda", 'over "A" { double x = 2 }')
        stage = self.open('def "A" { double x = 1 }', session_layer=session)
        self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(), 2)

    def test_a_time_makes_all_values_defaults(self):
        stage = self.open('def "A" { double x.timeSamples = { 1: 10, 3: 30 }\ndouble y = 7 }', time=2)
        x = stage.GetAttributeAtPath("/A.x")
        self.assertEqual((x.Get(), x.Get(1), x.GetTimeSamples()), (20, 20, []))
        self.assertEqual(stage.GetAttributeAtPath("/A.y").Get(5), 7)

    def test_load_none(self):
        self.layer("payload.usda", 'def "P" { def "Child" {} }')
        body = 'def "A" (payload = @./payload.usda@</P>) {}'
        stage = self.open(body)
        self.assertTrue(stage.GetPrimAtPath("/A/Child"))
        stage = Usd.Stage.Open(uri(os.path.join(self.folder, "root.usda"), load="none"))
        self.assertFalse(stage.GetPrimAtPath("/A/Child"))

    def test_a_snapshot_that_is_gone_is_an_error(self):
        self.assertIn("snapshot", self.error_of(Usd.Stage.Open, uri(self.scene('def "A" {}'), snapshot="0" * 32)))

    def test_a_session_with_a_name(self):
        body = 'def "A" { double x.spline = {\n1: 1; post linear,\n5: 8,\n}\n }'
        stage = self.open(body, session="review")
        x = stage.GetAttributeAtPath("/A.x")
        self.assertEqual((x.Get(3), x.GetSpline().Eval(3)), (4.5, 4.5))
        self.assertIn("cannot be 'payloads'", self.error_of(
            Usd.Stage.Open, uri(os.path.join(self.folder, "root.usda"), session="other", boundaries="payloads")))

    def test_held_interpolation(self):
        self.layer("clip.usda", 'def "M" { double x.timeSamples = { 0: 0, 10: 10 } }')
        body = '''def "A" (clips = { dictionary default = { asset[] assetPaths = [@./clip.usda@]
          double2[] active = [(0, 0)]\ndouble2[] times = [(0, 0), (5, 5), (10, 10)]\nstring primPath = "/M" } }) { double x }'''
        for interpolation, expected in (("linear", 5), ("held", 0)):
            stage = self.open(body, interpolation=interpolation)
            self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(5), expected)


    def test_metadata_of_the_prim_with_the_payload_are_arguments(self):
        path = self.scene(self.VARIANTS)
        stage = Usd.Stage.CreateInMemory()
        prim = stage.DefinePrim("/World")
        prim.GetPayloads().AddPayload("stagedoor:" + path, "/A")
        self.assertEqual(prim.GetAttribute("size").Get(), 1)
        prim.SetMetadata("stagedoor_variants", "/A{v=y}")
        self.assertEqual(prim.GetAttribute("size").Get(), 2)
        prim.ClearMetadata("stagedoor_variants")
        self.assertEqual(prim.GetAttribute("size").Get(), 1)


class BoundaryTest(PluginTest):
    def city(self):
        self.layer("block.usda", 'def Xform "B" (kind = "component") {\ndouble own = 1\ndef Cube "Inner" { double size = 4 } }')
        return "".join(f'def "B{i}" (prepend payload = @./block.usda@</B>) {{ double local = {i} }}\n' for i in range(3))

    def test_payloads_are_fetched_when_they_are_loaded(self):
        stage = self.open(self.city(), Usd.Stage.LoadNone, boundaries="payloads")
        prim = stage.GetPrimAtPath("/B1")
        self.assertTrue(prim.HasPayload())
        self.assertFalse(prim.IsLoaded())
        self.assertEqual((prim.GetTypeName(), prim.GetAuthoredPropertyNames()), ("", ["local"]))
        prim.Load()
        self.assertEqual((prim.GetTypeName(), Usd.ModelAPI(prim).GetKind()), ("Xform", "component"))
        self.assertEqual(prim.GetAuthoredPropertyNames(), ["local", "own"])
        self.assertEqual(stage.GetAttributeAtPath("/B1/Inner.size").Get(), 4)
        self.assertFalse(stage.GetPrimAtPath("/B2/Inner"))
        prim.Unload()
        self.assertFalse(stage.GetPrimAtPath("/B1/Inner"))

    def test_a_payload_of_a_changed_scene_is_an_error(self):
        stage = self.open(self.city(), Usd.Stage.LoadNone, boundaries="payloads")
        self.scene(self.city() + 'def "New" {}')
        self.assertIn("has changed since it was opened; reload", self.error_of(stage.Load, "/B1"))
        stage.Reload()
        stage.Load("/B1")
        self.assertTrue(stage.GetPrimAtPath("/B1/Inner"))

    def test_a_depth_cuts_off_what_is_below(self):
        stage = self.open('def "A" { double x = 1\ndef "B" { def "C" { double y = 2 } } }', Usd.Stage.LoadNone, boundaries=2)
        self.assertEqual([str(prim.GetPath()) for prim in stage.TraverseAll()], ["/A", "/A/B"])
        stage.LoadAndUnload(["/A/B"], [])
        self.assertEqual(stage.GetAttributeAtPath("/A/B/C.y").Get(), 2)

    def test_targets_leave_a_block(self):
        stage = self.open('def "A" { def "B" { def "C" { rel r = [</Z>, </A/B/D>] }\ndef "D" {} } }\ndef "Z" {}', boundaries=1)
        self.assertEqual(stage.GetRelationshipAtPath("/A/B/C.r").GetTargets(), ["/Z", "/A/B/D"])

    def test_instances_share_a_prototype(self):
        body = '''class "P" { def Cube "Inner" { double size = 3\nrel r = </P/Inner> } }
          def "A" (instanceable = true\ninherits = </P>) {}\ndef "B" (instanceable = true\ninherits = </P>) {}'''
        stage = self.open(body)
        a, b = stage.GetPrimAtPath("/A"), stage.GetPrimAtPath("/B")
        self.assertTrue(a.IsInstance())
        self.assertEqual(a.GetPrototype(), b.GetPrototype())
        self.assertEqual(stage.GetAttributeAtPath("/B/Inner.size").Get(), 3)
        self.assertEqual(stage.GetRelationshipAtPath("/B/Inner.r").GetTargets(), ["/B/Inner"])

    def test_cut_off_prims_do_not_become_instances(self):
        stage = self.open('def "A" (instanceable = true) { def "B" {} }', boundaries=1)
        self.assertFalse(stage.GetPrimAtPath("/A").IsInstance())


class LayerTest(PluginTest):
    def test_edits_are_refused(self):
        layer = Sdf.Layer.FindOrOpen(uri(self.scene('def "A" { double x = 1 }')))
        self.assertFalse(layer.permissionToEdit)
        self.assertFalse(layer.permissionToSave)
        self.assertIn("is not editable", self.error_of(setattr, layer.GetPrimAtPath("/A"), "kind", "component"))
        layer.SetPermissionToEdit(True)
        self.assertIn("cannot be edited", self.error_of(setattr, layer.GetPrimAtPath("/A"), "kind", "component"))
        self.assertEqual(layer.GetPrimAtPath("/A").kind, "")

    def test_edits_of_the_session_layer_show(self):
        stage = self.open('def "A" { double x = 1 }')
        with Usd.EditContext(stage, stage.GetSessionLayer()):
            stage.GetAttributeAtPath("/A.x").Set(5.0)
        self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(), 5)

    def test_export_has_the_whole_stage(self):
        stage = Usd.Stage.Open("stagedoor:" + DEMO)
        path = os.path.join(self.folder, "flat.usdc")
        self.assertTrue(stage.GetRootLayer().Export(path))
        comparison = Comparison(five_times(stage))
        flat = Usd.Stage.Open(path)
        comparison.stages(flat, stage)
        comparison.stages(Usd.Stage.Open(DEMO), flat)
        self.assertEqual(dict(comparison.differences), {})
        self.assertGreater(comparison.counts["values"], 1000)

    def test_text_and_flatten(self):
        stage = self.open('def "A" { double x.timeSamples = { 1: 2 }\nuniform token t = "a"\nrel r = </A> }')
        text = stage.GetRootLayer().ExportToString()
        for line in ('def "A"', "1: 2,", 'uniform token t = "a"', "rel r = </A>"):
            self.assertIn(line, text)
        flat = stage.Flatten()
        self.assertEqual(flat.GetAttributeAtPath("/A.t").default, "a")

    def test_tools_of_openusd(self):
        stage = Usd.Stage.Open("stagedoor:" + DEMO)
        statistics = UsdUtils.ComputeUsdStageStats(stage)
        original = UsdUtils.ComputeUsdStageStats(Usd.Stage.Open(DEMO))
        for key in ("modelCount", "instancedModelCount", "assetCount"):
            self.assertEqual(statistics.get(key), original.get(key))
        cache = UsdGeom.BBoxCache(12, ["default"])
        reference = Usd.Stage.Open(DEMO)
        expected = UsdGeom.BBoxCache(12, ["default"]).ComputeWorldBound(reference.GetDefaultPrim())
        found = cache.ComputeWorldBound(stage.GetDefaultPrim())
        self.assertEqual(found.ComputeAlignedRange(), expected.ComputeAlignedRange())

    def test_validators_of_openusd_find_the_same(self):
        """Those of usdchecker."""
        context = UsdValidation.ValidationContext(UsdValidation.ValidationRegistry().GetOrLoadAllValidators())

        def errors(stage):
            return sorted((error.GetName(), [str(site.GetPrim().GetPath()) for site in error.GetSites() if site.IsPrim()])
                          for error in context.Validate(stage))

        path = self.scene('def Mesh "A" { rel material:binding = </M> }\ndef Material "M" { def Shader "S" { token info:id = "none" } }')
        found = errors(Usd.Stage.Open(path))
        self.assertGreater(len(found), 1)
        self.assertEqual(errors(Usd.Stage.Open("stagedoor:" + path)), found)

    def test_splines_are_splines(self):
        body = '''def "A" { double x.spline = { bezier, 1: 1; post curve (1, 0.5), 5: 8; pre (1, 0) }
          double y = 3 }'''
        original = Usd.Stage.Open(self.scene(body))
        stage = self.open(body)
        x = stage.GetAttributeAtPath("/A.x")
        self.assertEqual(x.GetSpline(), original.GetAttributeAtPath("/A.x").GetSpline())
        self.assertEqual(x.Get(2.5), original.GetAttributeAtPath("/A.x").Get(2.5))
        self.assertFalse(stage.GetAttributeAtPath("/A.y").HasSpline())

    def test_blocked_values_and_authored_defaults(self):
        body = '''def Cube "A" { double size = None
          double both = 1\ndouble both.timeSamples = { 1: 2, 3: None }
          token visibility.timeSamples = { 1: "invisible" } }'''
        original, stage = Usd.Stage.Open(self.scene(body)), self.open(body)
        self.assertEqual(stage.GetAttributeAtPath("/A.size").Get(), original.GetAttributeAtPath("/A.size").Get())
        self.assertTrue(stage.GetAttributeAtPath("/A.size").GetResolveInfo().ValueIsBlocked())
        both = stage.GetAttributeAtPath("/A.both")
        self.assertEqual((both.Get(), both.Get(1), both.Get(3)), (1, 2, None))
        # The fallback of a schema is not a default of the layer.
        layer = stage.GetRootLayer()
        self.assertFalse(layer.GetAttributeAtPath("/A.visibility").HasDefaultValue())
        self.assertTrue(layer.GetAttributeAtPath("/A.both").HasDefaultValue())


class ReloadTest(PluginTest):
    def test_reload_shows_what_has_changed(self):
        stage = self.open('def "A" { double x = 1 }')
        self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(), 1)
        self.scene('def "A" { double x = 2\ndef "B" {} }')
        self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(), 1)
        stage.Reload()
        self.assertEqual(stage.GetAttributeAtPath("/A.x").Get(), 2)
        self.assertTrue(stage.GetPrimAtPath("/A/B"))

    def test_a_layer_that_has_not_changed_is_not_read_again(self):
        stage = self.open('def "A" { double x = 1 }')
        changes, name = [], stage.GetRootLayer().identifier
        listener = Tf.Notice.RegisterGlobally(Sdf.Notice.LayerDidReloadContent, lambda notice, sender: changes.append(sender.identifier))
        stage.Reload()
        self.assertNotIn(name, changes)
        self.scene('def "A" { double x = 3 }')
        stage.Reload()
        self.assertIn(name, changes)
        changes.clear()
        stage.Reload()
        self.assertNotIn(name, changes)
        listener.Revoke()


class ConcurrencyTest(PluginTest):
    def test_threads_read_the_same_values(self):
        body = "".join(f'def "P{i}" {{ double a = {i}\ndouble b.timeSamples = {{ 1: {i}, 11: {i + 10} }}\nfloat[] c = [{i}, 1] }}\n'
                       for i in range(600))
        stage = self.open(body, cache_mib=1)
        wrong = []

        def read(seed):
            numbers = random.Random(seed)
            for _ in range(1000):
                i = numbers.randrange(600)
                values = (stage.GetAttributeAtPath(f"/P{i}.a").Get(), stage.GetAttributeAtPath(f"/P{i}.b").Get(6),
                          list(stage.GetAttributeAtPath(f"/P{i}.c").Get()))
                if values != (i, i + 5, [i, 1]):
                    wrong.append((i, values))

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
            self.assertFalse(thread.is_alive())
        self.assertEqual(wrong, [])

    def test_other_threads_run_while_one_waits_for_the_daemon(self):
        stage = self.open('def "A" { double x = 1 }', timeout=3)
        self.daemon.pause()
        try:
            thread = threading.Thread(target=lambda: self.error_of(lambda: stage.GetAttributeAtPath("/A.x").Get()))
            thread.start()
            ticks = 0
            while thread.is_alive():
                time.sleep(0.01)
                ticks += 1
        finally:
            self.daemon.resume()
        self.assertGreater(ticks, 20)


class FailureTest(PluginTest):
    SCENE = "".join(f'def "P{i}" {{ double a = {i}\nfloat[] c.timeSamples = {{ 1: [{i}], 2: [{i + 1}] }} }}\n' for i in range(300))

    def setUp(self):
        super().setUp()
        self.own = Daemon()
        self.addCleanup(self.own.close)

    def open_own(self, body, **arguments):
        return self.open(body, address=self.own.address, **arguments)

    def test_a_restart_of_the_daemon_is_not_seen(self):
        stage = self.open_own(self.SCENE)
        self.own.restart()
        self.assertEqual(stage.GetAttributeAtPath("/P7.a").Get(), 7)

    def test_without_a_daemon_errors_are_clear_and_come_soon(self):
        stage = self.open_own(self.SCENE, timeout=2, prefetch=0)

        def read(i):
            return stage.GetAttributeAtPath(f"/P{i}.a").Get()

        self.own.kill()
        self.assertIn("stagedoor: ", self.error_of(read, 1))
        begin = time.monotonic()
        for i in range(3):
            self.assertIn(self.own.address.removeprefix("unix:"), self.error_of(read, i))
        self.assertLess(time.monotonic() - begin, 30)
        self.own.start()
        self.assertEqual(self.eventually(read, 1), 1)

    def test_small_defaults_stay_with_their_attributes(self):
        """32 ints have 128 bytes. With a cache of one MiB, 400 arrays of 48 KiB evict all others from each of its shards."""
        path = os.path.join(self.folder, "root.usdc")
        scene = Usd.Stage.CreateNew(path)
        prim = scene.DefinePrim("/A")
        for name, value_type, value in (("small", Sdf.ValueTypeNames.IntArray, Vt.IntArray(32, 7)), ("text", Sdf.ValueTypeNames.String, "words"),
                                        ("x", Sdf.ValueTypeNames.Double, 2.0), ("other", Sdf.ValueTypeNames.IntArray, Vt.IntArray(33, 7))):
            prim.CreateAttribute(name, value_type).Set(value)
        for i in range(400):
            prim.CreateAttribute(f"large{i}", Sdf.ValueTypeNames.IntArray).Set(Vt.IntArray(12288, i))
        scene.Save()
        stage = Usd.Stage.Open(uri(path, address=self.own.address, timeout=2, cache_mib=1, prefetch=0))

        def read(name):
            return stage.GetAttributeAtPath(f"/A.{name}").Get()

        values = [read(name) for name in ("small", "text", "x", "other", *(f"large{i}" for i in range(400)))]
        self.own.kill()
        self.assertEqual([read(name) for name in ("small", "text", "x")], values[:3])
        self.assertIn("stagedoor: ", self.error_of(read, "other"))

    def eventually(self, function, *arguments):
        """The result of a function that fails as long as the connection waits before it tries again."""
        deadline = time.monotonic() + 120
        while True:
            try:
                return function(*arguments)
            except Tf.ErrorException:
                if time.monotonic() > deadline:
                    raise

    def test_the_next_values_are_fetched_while_those_before_are_read(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            metrics = f"127.0.0.1:{free.getsockname()[1]}"
        self.own.close()
        self.own = Daemon(f"--metrics-address={metrics}")
        self.addCleanup(self.own.close)
        stage = self.open_own("".join(f'def "P{i}" {{ double a = {i} }}\n' for i in range(1000)), timeout=2)

        def read(i):
            return stage.GetAttributeAtPath(f"/P{i}.a").Get()

        def calls():
            with urllib.request.urlopen(f"http://{metrics}/metrics", timeout=60) as reply:
                return int(re.search(r'stagedoor_requests_total\{[^}]*BatchGetValues[^}]*\} (\d+)', reply.read().decode())[1])

        for prim in stage.Traverse():
            prim.GetAuthoredAttributes()  # values are fetched of prims whose properties are known
        self.assertEqual([read(i) for i in range(33)], list(range(33)))
        deadline = time.monotonic() + 120
        while calls() < 3:  # of 32, 128 and, before they are asked for, 512 values
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)
        self.own.kill()
        self.assertEqual([read(i) for i in range(672)], list(range(672)))
        self.assertIn("stagedoor: ", self.error_of(read, 672))

    def test_another_stage_after_a_restart_is_an_error_not_a_wrong_value(self):
        stage = self.open_own(self.SCENE, prefetch=0)
        self.assertEqual(stage.GetAttributeAtPath("/P1.a").Get(), 1)
        self.own.kill()
        self.scene('def "P1" { double a = 100 }')
        self.own.start()
        self.assertIn("snapshot", self.error_of(lambda: stage.GetAttributeAtPath("/P2.a").Get()))
        stage.Reload()
        self.assertEqual(stage.GetAttributeAtPath("/P1.a").Get(), 100)
        self.assertFalse(stage.GetPrimAtPath("/P2"))

    def test_threads_and_restarts(self):
        stage = self.open_own(self.SCENE, cache_mib=0, prefetch=16)
        wrong, failed = [], []
        done = threading.Event()

        def read(seed):
            numbers = random.Random(seed)
            for _ in range(1000):
                i = numbers.randrange(300)
                try:
                    values = (stage.GetAttributeAtPath(f"/P{i}.a").Get(), list(stage.GetAttributeAtPath(f"/P{i}.c").Get(2)))
                except Tf.ErrorException as error:
                    failed.append(str(error))
                    continue
                if values != (i, [i + 1]):
                    wrong.append((i, values))

        def restart():
            for _ in range(8):  # not until the end, which would not come on a machine where a start takes seconds
                if done.wait(0.3):
                    break
                self.own.restart()

        threads = [threading.Thread(target=read, args=(seed,)) for seed in range(8)]
        restarting = threading.Thread(target=restart)
        restarting.start()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(300)
        done.set()
        restarting.join(60)
        self.assertFalse(any(thread.is_alive() for thread in threads))
        self.assertEqual(wrong, [])
        self.assertLess(len(failed), 800)

    def test_a_child_process_gets_an_error(self):
        """Also for values that its parent has just asked for: those from the 160th on are fetched while the others are read."""
        stage = self.open_own(self.SCENE)
        attributes = [prim.GetAttribute("a") for prim in stage.Traverse() if prim.GetAuthoredAttributes()]
        self.assertEqual([attribute.Get() for attribute in attributes[:40]], list(range(40)))
        child = os.fork()
        if child == 0:
            try:
                attributes[160].Get()
            except Tf.ErrorException as error:
                os._exit(0 if "fork()" in str(error) else 2)
            os._exit(3)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        self.assertEqual(list(stage.GetAttributeAtPath("/P2.c").Get(1)), [2])


class MemoryTest(PluginTest):
    def test_values_over_2000_frames_are_bounded(self):
        """A shot of 2,000 frames with 94 MiB of values, with a cache of one; the connection keeps 64 MiB of arrays as they were sent."""
        path, frames, count = os.path.join(self.folder, "shot.usdc"), range(1, 2001), 12288
        scene = Usd.Stage.CreateNew(path)
        x = scene.DefinePrim("/A").CreateAttribute("x", Sdf.ValueTypeNames.IntArray)
        for frame in frames:
            x.Set(Vt.IntArray(count, frame), frame)
        scene.Save()
        del scene, x
        stage = Usd.Stage.Open(uri(path, cache_mib=1))
        x = stage.GetAttributeAtPath("/A.x")

        def resident():
            gc.collect()
            with open("/proc/self/statm", encoding="utf-8") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def play(some):
            for frame in some:
                value = x.Get(frame)
                self.assertEqual((len(value), value[0], value[count - 1]), (count, frame, frame))

        play(frames[:1500])
        before = resident()
        play(frames[1500:])
        self.assertLess(resident() - before, 12 << 20)


class UninstallTest(unittest.TestCase):
    def test_without_the_plugin_nothing_knows_its_files(self):
        environment = {key: value for key, value in os.environ.items() if key != "PXR_PLUGINPATH_NAME"}
        code = "from pxr import Sdf; print(Sdf.FileFormat.FindByExtension('stagedoor'))"
        result = subprocess.run([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, check=True, text=True)
        self.assertEqual(result.stdout.strip(), "None")


if __name__ == "__main__":
    unittest.main()
