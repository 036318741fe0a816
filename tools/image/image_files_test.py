"""Tests of the tree of files, the OCI archive and the bill of materials."""
import gzip
import hashlib
import io
import json
import os
import resource
import signal
import ssl
import sys
import tarfile
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import debian
import file_tree
import make_image
import oci
import sbom


def small_tree():
    tree = file_tree.FileTree()
    tree.file("usr/bin/program", b"code", 0o755)
    tree.link("bin", "usr/bin")
    tree.directory("run/own", 0o750, 7)
    return tree


class FileTreeTest(unittest.TestCase):
    def test_parents_are_added_and_the_order_of_calls_does_not_matter(self):
        other = file_tree.FileTree()
        other.directory("run/own", 0o750, 7)
        other.link("bin", "usr/bin")
        other.file("usr/bin/program", b"code", 0o755)
        self.assertEqual(small_tree().tar(5), other.tar(5))
        self.assertEqual(sorted(other.entries), ["bin", "run", "run/own", "usr", "usr/bin", "usr/bin/program"])

    def test_a_tar_archive_has_modes_owners_and_one_time(self):
        with tarfile.open(fileobj=io.BytesIO(small_tree().tar(5))) as archive:
            members = [(m.name, oct(m.mode), m.uid, m.gid, m.mtime, m.type, m.linkname) for m in archive.getmembers()]
            self.assertEqual(archive.extractfile("usr/bin/program").read(), b"code")
        self.assertEqual(members, [
            ("bin", "0o777", 0, 0, 5, tarfile.SYMTYPE, "usr/bin"), ("run", "0o755", 0, 0, 5, tarfile.DIRTYPE, ""),
            ("run/own", "0o750", 7, 7, 5, tarfile.DIRTYPE, ""), ("usr", "0o755", 0, 0, 5, tarfile.DIRTYPE, ""),
            ("usr/bin", "0o755", 0, 0, 5, tarfile.DIRTYPE, ""), ("usr/bin/program", "0o755", 0, 0, 5, tarfile.REGTYPE, "")])

    def test_files_are_listed_with_copies_in_place_of_links(self):
        tree = small_tree()
        tree.link("usr/bin/other", "../bin/program")
        tree.link("third", "/usr/bin/other")
        del tree.entries["bin"]
        program = (b"code", 0o755)
        self.assertEqual(list(tree.files()), [("third", *program), ("usr/bin/other", *program), ("usr/bin/program", *program)])

    def test_links_that_lead_to_no_file_are_named(self):
        for target in ("usr/bin", "missing", "link"):
            tree = small_tree()
            del tree.entries["bin"]
            tree.link("link", target)
            with self.assertRaisesRegex(ValueError, "the link link does not lead to a file of the tree", msg=target):
                list(tree.files())

    def test_a_directory_has_the_same_files_whatever_the_umask(self):
        with tempfile.TemporaryDirectory() as work:
            before = os.umask(0o077)
            try:
                small_tree().write_to(os.path.join(work, "root"))
            finally:
                os.umask(before)
            modes = {path: oct(os.lstat(os.path.join(work, "root", path)).st_mode & 0o777) for path in ("usr", "usr/bin/program", "run/own")}
            self.assertEqual(modes, {"usr": "0o755", "usr/bin/program": "0o755", "run/own": "0o750"})
            self.assertEqual(os.readlink(os.path.join(work, "root/bin")), "usr/bin")


class CertificatesTest(unittest.TestCase):
    def test_the_certificates_are_those_of_authorities_and_can_be_read(self):
        content = debian.certificates()
        with tempfile.NamedTemporaryFile() as file:
            file.write(content)
            file.flush()
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.load_verify_locations(file.name)
        self.assertEqual(context.cert_store_stats()["x509_ca"], content.count(b"-----BEGIN CERTIFICATE-----"))


class WriteOutputsTest(unittest.TestCase):
    def test_files_are_listed_with_their_checksums(self):
        with tempfile.TemporaryDirectory() as work:
            make_image.write_outputs(work, {"b": b"2", "a": b"1"}, "SUMS")
            self.assertEqual(sorted(os.listdir(work)), ["SUMS", "a", "b"])
            with open(os.path.join(work, "SUMS"), encoding="utf-8") as file:
                self.assertEqual(file.read(), "".join(f"{hashlib.sha256(text).hexdigest()}  {name}\n" for name, text in (("a", b"1"), ("b", b"2"))))

    def test_nothing_is_left_if_a_file_cannot_be_written(self):
        with tempfile.TemporaryDirectory() as work:
            with open(os.path.join(work, "a"), "wb") as file:
                file.write(b"before")
            limit = resource.getrlimit(resource.RLIMIT_FSIZE)
            handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, limit[1]))
            try:
                with self.assertRaises(OSError):
                    make_image.write_outputs(work, {"a": b"after", "b": bytes(2 << 20)}, "SUMS")
            finally:
                resource.setrlimit(resource.RLIMIT_FSIZE, limit)
                signal.signal(signal.SIGXFSZ, handler)
            self.assertEqual(os.listdir(work), ["a"])
            with open(os.path.join(work, "a"), "rb") as file:
                self.assertEqual(file.read(), b"before")


class ImageTest(unittest.TestCase):
    def setUp(self):
        self.image = oci.Image(small_tree(), {"User": "7", "Labels": {"a": "b"}}, "amd64", 5)
        with tarfile.open(fileobj=io.BytesIO(self.image.archive("a:1.2"))) as archive:
            self.files = {m.name: archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()}

    def blob(self, descriptor):
        """The blob that a descriptor names, after a check of its size and digest."""
        content = self.files["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual(len(content), descriptor["size"])
        self.assertEqual("sha256:" + hashlib.sha256(content).hexdigest(), descriptor["digest"])
        return content

    def test_the_index_leads_to_the_layer_and_the_configuration(self):
        self.assertEqual(json.loads(self.files["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        (entry,) = json.loads(self.files["index.json"])["manifests"]
        self.assertEqual((entry["digest"], entry["annotations"]), (self.image.digest, {"org.opencontainers.image.ref.name": "a:1.2"}))
        manifest = json.loads(self.blob(entry))
        config = json.loads(self.blob(manifest["config"]))
        (layer,) = manifest["layers"]
        tar = gzip.decompress(self.blob(layer))
        self.assertEqual(tar, small_tree().tar(5))
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(tar).hexdigest()])
        self.assertEqual((config["architecture"], config["created"], config["config"]["User"]), ("amd64", "1970-01-01T00:00:05Z", "7"))

    def test_equal_inputs_give_equal_bytes(self):
        again = oci.Image(small_tree(), {"User": "7", "Labels": {"a": "b"}}, "amd64", 5)
        self.assertEqual(again.archive("a:1.2"), self.image.archive("a:1.2"))


class SbomTest(unittest.TestCase):
    PACKAGE = {"name": "libstdc++6", "version": "1:12.2.0-14", "architecture": "amd64", "source": "gcc-12",
               "source_version": "12.2.0-14", "homepage": ""}

    def document(self, content=b"code"):
        return json.loads(sbom.document("1.2", 5, {"usr/bin/p": content}, [self.PACKAGE], []))

    def test_packages_have_versions_and_package_urls(self):
        package = self.document()["packages"][1]
        self.assertEqual((package["name"], package["versionInfo"], package["SPDXID"]), ("libstdc++6", "1:12.2.0-14", "SPDXRef-libstdcpp6"))
        self.assertEqual(package["externalRefs"][0]["referenceLocator"],
                         "pkg:deb/debian/libstdc%2B%2B6@1%3A12.2.0-14?arch=amd64&distro=debian-12")

    def test_programs_have_checksums_and_the_document_a_name_that_depends_on_them(self):
        checksums = {entry["algorithm"]: entry["checksumValue"] for entry in self.document()["files"][0]["checksums"]}
        self.assertEqual(checksums["SHA256"], hashlib.sha256(b"code").hexdigest())
        self.assertEqual(self.document()["documentNamespace"], self.document()["documentNamespace"])
        self.assertNotEqual(self.document()["documentNamespace"], self.document(b"other")["documentNamespace"])


if __name__ == "__main__":
    unittest.main()
