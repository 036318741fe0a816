#!/usr/bin/env python3
"""Checks everything in deploy/ that names something of the programs: manifests_test.py

STAGEDOORD and STAGEDOOR are the paths of the programs, KUSTOMIZE is a command that renders a directory (tools/kustomize.sh), and PROMTOOL the
path of promtool (tools/promtool.sh); without one of the latter, what needs it is not checked, except for the syntax of files. Run it with the Python of
tools/deploy_python.sh. Prints the errors, and exits with 0 if there are none.
"""
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, *(os.path.join(HERE, "../../tools", folder) for folder in ("image", "release", "sdk")), os.path.join(HERE, "../remote")]

import compose_checks
import exercise
import facts
import kubernetes_checks
import make_image
import make_release
import manifests
import monitoring_checks
import nginx
import proxy_checks
from spdx_tools.spdx.parser.parse_anything import parse_file
from spdx_tools.spdx.validation.document_validator import validate_full_spdx_document

SCENES = os.path.join(facts.ROOT, "tests/data")
# The oldest version that has all fields, and the newest that the validator knows.
KUBERNETES_VERSIONS = ("1.30", "1.37")
# Flags in the documents that are of other programs, which the lines begin with.
OTHERS = re.compile(r"docker|podman|kubectl|systemctl|journalctl|skopeo|sha256sum|tests/|cp |pip install |install |addr2line|\./dev|openssl|kustomize")


def metrics_of_a_daemon(work):
    """The text of /metrics after every kind of work."""
    port = nginx.free_port()
    flags = ["--address=127.0.0.1:0", f"--address-file={work}/address", f"--metrics-address=127.0.0.1:{port}",
             "--session-store=redis://127.0.0.1:1",  # which nobody serves
             "--allow-url=http://127.0.0.1/", f"--allow-root={SCENES}"]
    with exercise.Daemon([os.environ["STAGEDOORD"]], flags, os.path.join(work, "log"), [os.environ["STAGEDOOR"]]) as daemon:
        address = daemon.wait_for_file(f"{work}/address")[0]
        daemon.ask_all(address, os.path.join(SCENES, "stage_door/root.usda"))
        for path in ("/readyz", "/healthz"):
            assert exercise.get(f"127.0.0.1:{port}", path) == (200, "ok\n"), path
        text = exercise.get(f"127.0.0.1:{port}", "/metrics")[1] + metrics_of_a_node_daemon(work, address)
        assert daemon.stop() == 0, daemon.text()
    return text


def metrics_of_a_node_daemon(work, upstream):
    """The lines of /metrics that only a node daemon has, after it was asked."""
    port = nginx.free_port()
    flags = ["--address=127.0.0.1:0", f"--address-file={work}/node-address", f"--metrics-address=127.0.0.1:{port}", f"--upstream={upstream}",
             f"--reply-cache-dir={work}/replies"]
    with exercise.Daemon([os.environ["STAGEDOORD"]], flags, os.path.join(work, "node-log"), [os.environ["STAGEDOOR"]]) as node:
        node.ask_all(node.wait_for_file(f"{work}/node-address")[0], os.path.join(SCENES, "stage_door/root.usda"), exercise.QUESTIONS[:1])
        text = exercise.get(f"127.0.0.1:{port}", "/metrics")[1]
        assert node.stop() == 0, node.text()
    return "".join(line for line in text.splitlines(keepends=True) if "stagedoor_node_" in line)


def config_errors(name, text, work, known):
    """What --check-config says about a configuration whose directories and certificates are elsewhere."""
    base = os.path.join(work, "config")
    if not os.path.exists(base):
        os.makedirs(base)
        exercise.make_certificates(base)
        for old, new in (("tls.crt", "server.pem"), ("tls.key", "server.key"), ("ca.crt", "ca.pem")):
            os.symlink(new, os.path.join(base, old))
    # Absolute paths, but not those of network addresses and URLs.
    moved = re.sub(r"(?<![\w/:.*-])(?:(?<=unix:)|(?<!:))/(?:etc|run|var|show|library|scenes)[\w/.-]*",
                   lambda match: os.path.join(base, os.path.basename(match[0])), text)
    for folder in ("scenes", "show", "library", "usd", "stagedoor"):
        os.makedirs(os.path.join(base, folder), exist_ok=True)
    with open(os.path.join(base, "jwks.json"), "w", encoding="utf-8") as file:
        file.write('{"keys": []}')
    path = os.path.join(base, "stagedoord.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(moved)
    done = subprocess.run([known.daemon, "--check-config", f"--config={path}"], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"{name}: {done.stderr or done.stdout}"]


def configs(rendered, work, known):
    texts = {name: manifests.Resources(text).config() for name, text in rendered.items() if name in manifests.OVERLAYS}
    for path in ("deploy/image/stagedoord.yaml", "deploy/compose/stagedoord.tls.yaml"):
        with open(os.path.join(facts.ROOT, path), encoding="utf-8") as file:
            texts[path] = file.read()
    return [error for name, text in texts.items() for error in config_errors(name, text, work, known)]


def kubernetes(rendered, work, known):
    errors = []
    for name, text in rendered.items():
        path = os.path.join(work, f"{name}.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        for version in KUBERNETES_VERSIONS:
            validator = os.path.join(os.path.dirname(sys.executable), "kubernetes-validate")
            done = subprocess.run([validator, "--strict", "--quiet", "--no-warn", "-k", version, path], capture_output=True, text=True,
                                  check=False)
            if done.returncode != 0:
                errors.append(f"{name}: Kubernetes {version}: {done.stdout}{done.stderr}")
        resources = manifests.Resources(text)
        errors += [f"{name}: {check.__name__}: {error}" for check in kubernetes_checks.ALL for error in check(resources, known)]
    return errors


def documents(known):
    """Flags in the code of the documents about deployment."""
    all_flags = known.daemon_flags.union(*(known.command_flags(command) for command in known.commands))
    errors = []
    for name in ("docs/deployment.md", "docs/runbooks.md"):
        with open(os.path.join(facts.ROOT, name), encoding="utf-8") as file:
            for line in file:
                code = [line] if line.startswith("    ") else re.findall(r"`([^`]*)`", line)
                errors += [f"{name}: unknown flag --{flag}" for words in code if not OTHERS.match(words.strip())
                           for flag in re.findall(r"(?<![\w-])--([a-z][a-z-]*)", words) if flag not in all_flags]
                errors += [f"{name}: {error}" for error in known.environment_errors(re.findall(r"\bSTAGEDOOR_[A-Z_]+\b", line))]
    return errors


def release(work, known):
    """One version everywhere, and a valid bill of materials."""
    _, materials = make_image.make_tree(known.daemon, known.command, 0, debug=True)
    path = os.path.join(work, "sbom.spdx.json")
    with open(path, "w", encoding="utf-8") as file:
        file.write(materials)
    return make_release.version_errors(known.daemon, known.command) + [
        f"bill of materials: {message.validation_message}" for message in validate_full_spdx_document(parse_file(path))]


def main():
    known = facts.Facts()
    kustomize = os.environ.get("KUSTOMIZE", "").split()
    rendered = manifests.render_all(kustomize) if kustomize else {}
    if not kustomize:
        print("manifests: only the syntax of the overlays is checked: cannot install kustomize")
    errors = manifests.syntax_errors()
    with tempfile.TemporaryDirectory() as empty:
        errors += manifests.syntax_check_errors(empty)
    with tempfile.TemporaryDirectory() as work:
        metrics = monitoring_checks.Metrics(metrics_of_a_daemon(work))
        errors += kubernetes(rendered, work, known) + configs(rendered, work, known) + compose_checks.compose(known)
        errors += compose_checks.dockerfile(known) + monitoring_checks.queries(metrics) + monitoring_checks.dashboard_layout()
        errors += release(work, known) + monitoring_checks.promtool(work) + monitoring_checks.runbooks() + documents(known)
        errors += proxy_checks.envoy_errors() + proxy_checks.haproxy_errors(work)
    for error in errors:
        print(f"manifests: {error}")
    print(f"manifests: {len(rendered)} overlays, {len(metrics.labels)} metrics: {'FAILED' if errors else 'ok'}")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
