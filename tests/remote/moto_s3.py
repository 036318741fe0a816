"""moto's S3 server (PyPI moto[server]) on a free loopback port with objects of ours, for tests of the S3 backend."""
import os
import subprocess
import sys
import urllib.request

import nginx

BUCKET = "scenes"
KEY, SECRET, REGION = "AKIDEXAMPLE", "example-secret", "us-east-1"


def find():
    """The Python interpreter with moto, which STAGEDOOR_MOTO_PYTHON names, or None."""
    python = os.environ.get("STAGEDOOR_MOTO_PYTHON", "")
    return python if python and os.access(python, os.X_OK) else None


class MotoS3:
    """Holds the files below some folders as objects whose keys are their absolute paths without the slash at the beginning.
    Use it in a with statement; `url` has no slash at its end.
    """

    def __init__(self, *folders, versions=False):
        self.port = nginx.free_port()
        self.endpoint = "http://127.0.0.1:%d" % self.port
        self.url = "s3://" + BUCKET
        self.process = subprocess.Popen([find(), "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            nginx.await_port(self.port, self.process)
            self.call("PUT", "")
            if versions:
                self.call("PUT", "?versioning", b'<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
                          b"<Status>Enabled</Status></VersioningConfiguration>")
            for folder in folders:
                self.put_folder(folder)
        except BaseException:
            self.close()
            raise

    def call(self, method, what, body=None):
        # moto checks no signature, but wants credentials.
        request = urllib.request.Request("%s/%s%s" % (self.endpoint, BUCKET, what), data=body, method=method)
        request.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=%s/20260101/%s/s3/aws4_request, "
                           "SignedHeaders=host, Signature=0" % (KEY, REGION))
        # Without a type of its own, the body would be taken for a form.
        request.add_header("Content-Type", "application/octet-stream")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def put(self, key, content):
        self.call("PUT", "/" + urllib.request.quote(key), content)

    def put_folder(self, folder):
        for where, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(where, name)
                with open(path, "rb") as file:
                    self.put(path.lstrip("/"), file.read())

    def flags(self):
        return ["--s3-endpoint=" + self.endpoint, "--s3-region=" + REGION]

    def environment(self):
        return {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET}

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


if __name__ == "__main__":
    sys.exit("a module for tests")
