"""The manifests of deploy/kubernetes as they are applied: rendered by Kustomize."""
import os
import subprocess
import tempfile

import yaml

import facts

KUBERNETES = os.path.join(facts.ROOT, "deploy/kubernetes")
OVERLAYS = ("single", "replicated", "mtls")
# Combinations that docs/deployment.md offers besides: name, overlay, components.
COMBINATIONS = (("single-warm", "single", ("warm",)), ("mtls-warm-load", "mtls", ("warm", "load")))


def render(kustomize, folder):
    """The text of all resources of a directory."""
    done = subprocess.run([*kustomize, folder], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(kustomize)} {folder}: {done.stderr}")
    return done.stdout


def render_all(kustomize):
    """The text of each overlay and combination by its name."""
    rendered = {name: render(kustomize, os.path.join(KUBERNETES, "overlays", name)) for name in OVERLAYS}
    for name, overlay, components in COMBINATIONS:
        # Kustomize follows relative paths only.
        with tempfile.TemporaryDirectory(dir=KUBERNETES, prefix=".test-") as folder:
            with open(os.path.join(folder, "kustomization.yaml"), "w", encoding="utf-8") as file:
                yaml.safe_dump({"resources": [f"../overlays/{overlay}"],
                                "components": [f"../components/{component}" for component in components]}, file)
            rendered[name] = render(kustomize, folder)
    return rendered


class Resources:
    """The resources of a rendered overlay, by kind."""

    def __init__(self, text):
        self.all = list(yaml.safe_load_all(text))

    def of(self, kind):
        return [resource for resource in self.all if resource["kind"] == kind]

    def deployment(self):
        (found,) = self.of("Deployment")
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
