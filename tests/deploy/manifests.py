"""The manifests of deploy/kubernetes as they are applied: rendered by Kustomize."""
import glob
import os
import shutil
import subprocess
import tempfile

import yaml

import facts

KUBERNETES = os.path.join(facts.ROOT, "deploy/kubernetes")
OVERLAYS = ("single", "replicated", "mtls", "node")
# Combinations that docs/deployment.md offers besides: name, overlay, components.
COMBINATIONS = (("single-warm", "single", ("warm",)), ("mtls-warm-load", "mtls", ("warm", "load")),
                ("replicated-store", "replicated", ("session-store",)))


def render(kustomize, folder):
    """The text of all resources of a directory."""
    done = subprocess.run([*kustomize, folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(kustomize)} {folder}: {done.stderr}")
    return done.stdout


def render_all(kustomize):
    """The text of each overlay and combination by its name."""
    with tempfile.TemporaryDirectory() as work:
        # A copy, because Kustomize follows relative paths only and the combinations have to be beside the overlays.
        copy = shutil.copytree(KUBERNETES, os.path.join(work, "kubernetes"))
        rendered = {name: render(kustomize, os.path.join(copy, "overlays", name)) for name in OVERLAYS}
        for name, overlay, components in COMBINATIONS:
            folder = os.path.join(copy, name)
            os.mkdir(folder)
            with open(os.path.join(folder, "kustomization.yaml"), "w", encoding="utf-8") as file:
                yaml.safe_dump({"resources": [f"../overlays/{overlay}"],
                                "components": [f"../components/{component}" for component in components]}, file)
            rendered[name] = render(kustomize, folder)
    return rendered


def syntax_errors(folder=KUBERNETES):
    """Files below a directory that are not YAML: all that can be said without Kustomize."""
    errors = []
    for path in sorted(glob.glob(os.path.join(folder, "**/*.yaml"), recursive=True)):
        try:
            with open(path, encoding="utf-8") as file:
                list(yaml.safe_load_all(file))
        except yaml.YAMLError as error:
            errors.append(f"{os.path.relpath(path, folder)}: {error}")
    return errors


def syntax_check_errors(work):
    """Whether syntax_errors finds what it looks for."""
    with open(os.path.join(work, "bad.yaml"), "w", encoding="utf-8") as file:
        file.write("a: [1\n")
    with open(os.path.join(work, "good.yaml"), "w", encoding="utf-8") as file:
        file.write("a: [1]\n---\nb: 2\n")
    found = syntax_errors(work)
    return [] if len(found) == 1 and found[0].startswith("bad.yaml: ") else [f"the syntax check found {found}"]


class Resources:
    """The resources of a rendered overlay, by kind."""

    def __init__(self, text):
        self.all = list(yaml.safe_load_all(text))

    def of(self, kind):
        return [resource for resource in self.all if resource["kind"] == kind]

    def deployment(self):
        (found,) = self.of("Deployment") or self.of("DaemonSet")
        return found

    def pod(self):
        return self.deployment()["spec"]["template"]["spec"]

    def container(self):
        (found,) = self.pod()["containers"]
        return found

    def config(self):
        """The text of the daemon's configuration."""
        (found,) = self.of("ConfigMap")
        return found["data"]["stagedoord.yaml"]
