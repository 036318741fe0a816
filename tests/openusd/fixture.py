"""What tests of the plug-in share: a daemon, and scenes in a folder of their own."""
import os
import tempfile
import unittest

from pxr import Sdf, Tf, Usd

from daemon import Daemon

DEMO = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "data", "stage_door", "root.usda"))


def uri(root, **arguments):
    return Sdf.Layer.CreateIdentifier("stagedoor:" + root, {key: str(value) for key, value in arguments.items()})


class PluginTest(unittest.TestCase):
    """A test with a daemon, the same for all tests of a class, that applications find by themselves."""
    flags = ()  # of the daemon

    @classmethod
    def setUpClass(cls):
        cls.daemon = Daemon(*cls.flags)
        os.environ["STAGEDOOR_ADDRESS"] = cls.daemon.address
        cls.addClassCleanup(cls.daemon.close)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)
        return path

    def layer(self, name, body):
        """A layer of text; a brace closes on a line of its own, as the grammar wants it."""
        return self.write(name, "#usda 1.0\n" + body.replace(" }", "\n}"))

    def scene(self, body):
        return self.layer("root.usda", body)

    def open(self, body, load=Usd.Stage.LoadAll, **arguments):
        return Usd.Stage.Open(uri(self.scene(body), **arguments), load)

    def error_of(self, function, *arguments):
        with self.assertRaises(Tf.ErrorException) as raised:
            function(*arguments)
        return str(raised.exception)
