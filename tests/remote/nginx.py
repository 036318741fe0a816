"""An nginx of the distribution that serves a directory on a free loopback port, for tests of the HTTP backend."""
import contextlib
import os
import shutil
import socket
import subprocess
import tempfile
import time

CONFIG = """
daemon off;
worker_processes 1;
pid {work}/pid;
error_log {work}/error.log warn;
events {{ worker_connections 512; }}
http {{
  log_format requests '$request_method $status $body_bytes_sent $http_range $request_uri';
  access_log {work}/access.log requests;
  client_body_temp_path {work}/body;
  proxy_temp_path {work}/proxy;
  fastcgi_temp_path {work}/fastcgi;
  uwsgi_temp_path {work}/uwsgi;
  scgi_temp_path {work}/scgi;
  types {{ }}
  default_type application/octet-stream;
  keepalive_requests 100000;
  server {{
    listen 127.0.0.1:{port}{tls};
    location / {{ root {root}; }}
  }}
}}
"""


def find():
    """The path of nginx, or None."""
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def await_port(port, process, seconds=30):
    """Waits until something listens on a port; raises if the process ends first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            break
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.02)
    raise RuntimeError("the server does not listen on port %d" % port)


class Nginx:
    """Serves `root`. Use it in a with statement; `url` has no slash at its end. With TLS if `certificate` is given, the path of a
    file in PEM form without its extension .pem; that of its key has .key.
    """

    def __init__(self, root, certificate=None):
        self.work = tempfile.mkdtemp(prefix="stagedoor-nginx-")
        self.port = free_port()
        self.url = "%s://127.0.0.1:%d" % ("https" if certificate else "http", self.port)
        tls = " ssl; ssl_certificate %s.pem; ssl_certificate_key %s.key" % (certificate, certificate) if certificate else ""
        config = os.path.join(self.work, "nginx.conf")
        with open(config, "w", encoding="utf-8") as file:
            file.write(CONFIG.format(work=self.work, port=self.port, tls=tls, root=os.path.abspath(root)))
        self.start()

    def start(self):
        """Starts the server, at the same port as before."""
        config = os.path.join(self.work, "nginx.conf")
        user = ["-g", "user root;"] if os.getuid() == 0 else []
        self.process = subprocess.Popen([find(), "-p", self.work, "-c", config, *user], stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            await_port(self.port, self.process)
        except RuntimeError as error:
            self.close()
            raise RuntimeError("%s: %s" % (error, self.process.stderr.read()[-500:])) from None

    def stop(self):
        """Closes all connections, as when the machine fails; `start` brings it back."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(10)

    def requests(self):
        """What was asked since the beginning: (method, status, bytes, range, path) of each request."""
        found = []
        with open(os.path.join(self.work, "access.log"), encoding="utf-8") as log:
            for line in log:
                method, status, size, range_, path = line.rstrip("\n").split(" ", 4)
                found.append((method, int(status), int(size), range_, path))
        return found

    def close(self):
        self.stop()
        shutil.rmtree(self.work, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
