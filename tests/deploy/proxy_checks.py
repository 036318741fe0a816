"""Checks the configurations of proxies: HAProxy's by HAProxy itself, Envoy's by its message definitions."""
import glob
import importlib
import os
import re
import shutil
import subprocess

import envoy
import exercise
import facts
import yaml
from envoy.config.bootstrap.v3 import bootstrap_pb2
from google.protobuf import json_format

HAPROXY = os.path.join(facts.ROOT, "deploy/haproxy/haproxy.cfg")
ENVOY = os.path.join(facts.ROOT, "deploy/envoy/envoy.yaml")
TYPE = "type.googleapis.com/"


def types_in(node):
    """The names of all types that a message in JSON names."""
    if isinstance(node, dict):
        found = {node["@type"]} if "@type" in node else set()
        return found.union(*map(types_in, node.values()))
    return set().union(*map(types_in, node)) if isinstance(node, list) else set()


def import_type(name):
    """Makes a message known to json_format."""
    folder = os.path.join(os.path.dirname(list(envoy.__path__)[0]), *name[len(TYPE):].split(".")[:-1])
    for path in glob.glob(os.path.join(folder, "*_pb2.py")):
        package = name[len(TYPE):].rpartition(".")[0]
        importlib.import_module(f"{package}.{os.path.basename(path)[:-3]}")


def bootstrap(text):
    """The configuration as a message; json_format.ParseError for unknown fields and wrong types."""
    content = yaml.safe_load(text)
    for name in types_in(content):
        import_type(name)
    return json_format.ParseDict(content, bootstrap_pb2.Bootstrap())


def envoy_errors():
    with open(ENVOY, encoding="utf-8") as file:
        text = file.read()
    errors = []
    try:
        resources = bootstrap(text).static_resources
        for port in (resources.listeners[0].address, resources.clusters[0].load_assignment.endpoints[0].lb_endpoints[0].endpoint.address):
            if port.socket_address.port_value != 50051:
                errors.append(f"{ENVOY}: port {port.socket_address.port_value} is not the daemon's")
    except json_format.ParseError as error:
        errors.append(f"{ENVOY}: {error}")
    for wrong in ("hash_functoin: XX_HASH", "hash_function: YY_HASH"):  # does the check notice anything?
        try:
            bootstrap(text.replace("hash_function: XX_HASH", wrong))
        except json_format.ParseError:
            continue
        errors.append(f"{ENVOY}: the check accepts {wrong!r}")
    return errors


def with_tls(text, folder):
    """HAProxy's configuration with the lines for TLS that are comments in it, and the certificates in `folder`."""
    text = re.sub(r"(?m)^ *(bind 0\.0\.0\.0:50051|server stagedoor-\S+ \S+) proto h2.*\n", "", text)
    text, count = re.subn(r"(?m)^( *)# ((?:bind|server) .* ssl )", r"\1\2", text)
    assert count == 2, f"{HAPROXY} has {count} lines for TLS"
    return text.replace("/etc/haproxy/", folder + "/")


def haproxy_errors(work):
    """What HAProxy says about the configuration, with and without TLS."""
    program = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin")
    if program is None:
        print("manifests: haproxy.cfg is not checked: haproxy is not installed")
        return []
    folder = os.path.join(work, "haproxy")
    os.makedirs(folder)
    exercise.make_certificates(folder)
    with open(os.path.join(folder, "stagedoor.pem"), "w", encoding="utf-8") as both:
        for part in ("server.pem", "server.key"):
            with open(os.path.join(folder, part), encoding="utf-8") as file:
                both.write(file.read())
    with open(HAPROXY, encoding="utf-8") as file:
        text = file.read()
    errors = []
    for name, made in (("plain", text), ("tls", with_tls(text, folder))):
        path = os.path.join(folder, f"{name}.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(made)
        done = subprocess.run([program, "-c", "-f", path], capture_output=True, text=True, check=False)
        if done.returncode != 0 or "warning" in done.stderr.lower():
            errors.append(f"{HAPROXY}, {name}: {done.stderr}")
    return errors
