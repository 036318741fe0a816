"""An OCI image of one layer, as an archive that `podman load`, `skopeo copy oci-archive:…` and others read."""
import gzip
import hashlib
import json
import time

import file_tree

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
CONFIG = "application/vnd.oci.image.config.v1+json"
LAYER = "application/vnd.oci.image.layer.v1.tar+gzip"


def _digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def _json(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


class Image:
    """The blobs of an image. `digest` is that of its manifest, by which registries know it."""

    def __init__(self, tree, config, architecture, created):
        layer = tree.tar(created)
        compressed = gzip.compress(layer, 6, mtime=0)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(created))
        described = _json({
            "architecture": architecture, "os": "linux", "created": stamp, "config": config,
            "rootfs": {"type": "layers", "diff_ids": [_digest(layer)]},
            "history": [{"created": stamp, "created_by": "./dev image"}],
        })
        manifest = _json({
            "schemaVersion": 2, "mediaType": MANIFEST, "config": _descriptor(CONFIG, described),
            "layers": [_descriptor(LAYER, compressed)], "annotations": config["Labels"],
        })
        self.digest = _digest(manifest)
        self.layer_bytes = len(compressed)
        self._blobs = (compressed, described, manifest)
        self._manifest = _descriptor(MANIFEST, manifest)
        self._created = created

    def archive(self, tag):
        """The bytes of the archive, in which the image has the name `tag`."""
        index = {"schemaVersion": 2, "manifests": [
            dict(self._manifest, annotations={"org.opencontainers.image.ref.name": tag})]}
        layout = file_tree.FileTree()
        layout.file("oci-layout", _json({"imageLayoutVersion": "1.0.0"}))
        layout.file("index.json", _json(index))
        for blob in self._blobs:
            layout.file("blobs/" + _digest(blob).replace(":", "/"), blob)
        return layout.tar(self._created)


def _descriptor(kind, data):
    return {"mediaType": kind, "digest": _digest(data), "size": len(data)}
