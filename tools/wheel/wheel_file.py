"""Wheels without Python code (PEP 427), with the same bytes for the same content."""
import base64
import hashlib
import io
import time
import zipfile

GENERATOR = "stagedoor-dev-release"
REGULAR_FILE = 0o100000
LEVEL = 6  # 9 takes three times as long for half a percent
# The first time that archives of this kind can state.
EARLIEST = (1980, 1, 1, 0, 0, 0)


class WheelFile:
    """Collects the files of a wheel; `name` is that of the distribution with underscores, `tags` are (interpreter, ABI, platforms)."""

    def __init__(self, name, version, tags, created):
        self.file_name = f"{name}-{version}-{'-'.join((*tags[:2], '.'.join(tags[2])))}.whl"
        self._prefix = f"{name}-{version}"
        self._tags = tags
        self._time = max(time.gmtime(created)[:6], EARLIEST)
        self._files = []  # (path, content, mode)

    def add(self, scheme, path, content, mode=0o644):
        """A file that installers put in the folder of `scheme` ("scripts", "data"), with its mode."""
        self._files.append((f"{self._prefix}.data/{scheme}/{path}", content, mode))

    def bytes(self, metadata):
        """The wheel; `metadata` is the text of its METADATA."""
        interpreter, abi, platforms = self._tags
        stated = "".join(f"Tag: {interpreter}-{abi}-{platform}\n" for platform in platforms)
        wheel = f"Wheel-Version: 1.0\nGenerator: {GENERATOR}\nRoot-Is-Purelib: false\n{stated}"
        described = [("METADATA", metadata), ("WHEEL", wheel)]
        # The files that describe a wheel come last, so that readers find them without reading the rest.
        files = sorted(self._files) + [(f"{self._prefix}.dist-info/{name}", text.encode(), 0o644) for name, text in described]
        record = f"{self._prefix}.dist-info/RECORD"
        lines = "".join(f"{_quoted(path)},sha256={_digest(content)},{len(content)}\n" for path, content, _ in files)
        files.append((record, f"{lines}{record},,\n".encode(), 0o644))
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for path, content, mode in files:
                info = zipfile.ZipInfo(path, self._time)
                info.create_system = 3  # so that the modes count
                info.external_attr = (REGULAR_FILE | mode) << 16
                archive.writestr(info, content, zipfile.ZIP_DEFLATED, LEVEL)
        return buffer.getvalue()


def _digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _quoted(path):
    return '"' + path.replace('"', '""') + '"' if "," in path or '"' in path else path
