"""Checks of the alerts and the dashboard: that their queries are PromQL and name metrics and labels that a daemon has."""
import json
import os
import re
import shutil
import subprocess

import yaml

import facts

RULES = os.path.join(facts.ROOT, "deploy/kubernetes/components/monitoring/prometheus_rule.yaml")
DASHBOARD = os.path.join(facts.ROOT, "deploy/grafana/stagedoor.json")
# Labels and metrics of Prometheus itself.
OTHERS_LABELS = {"job", "instance", "le"}
OTHERS_METRICS = {"up"}


class Metrics:
    """Names, and values of labels, in the text of /metrics."""

    def __init__(self, text):
        self.labels = {}
        for name, labels in re.findall(r"^([a-z_]+)(?:\{(.*)\})? \S+$", text, re.M):
            known = self.labels.setdefault(name, {})
            for label, value in re.findall(r'([a-z_]+)="([^"]*)"', labels):
                known.setdefault(label, set()).add(value)

    def errors(self, query):
        """What a query names and no daemon has."""
        found = []
        for name, labels in re.findall(r"\b((?:stagedoor|process)_[a-z_]+)\b(?:\{([^}]*)\})?", query):
            if name not in self.labels:
                found.append(f"unknown metric {name}")
                continue
            for label, operator, value in re.findall(r'([a-z_]+)\s*(=~|!=|=)\s*["`]([^"`]*)["`]', labels):
                if label in OTHERS_LABELS:
                    continue
                if label not in self.labels[name]:
                    found.append(f"{name} has no label {label}")
                elif label in ("reason", "kind") and operator == "=~":
                    found += [f"{name}: {label} is never {v}" for v in value.split("|") if v not in self.labels[name][label]]
                elif label in ("reason", "kind") and value not in self.labels[name][label]:
                    found.append(f"{name}: {label} is never {value}")
        for label in re.findall(r"by \(([^)]*)\)", query):
            used = {word.strip() for word in label.split(",")} - OTHERS_LABELS
            known = set().union(*(self.labels.get(name, {}) for name in re.findall(r"\b[a-z]+_[a-z_]+\b", query)))
            found += [f"no metric of {query} has the label {word}" for word in used - known]
        return found


def rules():
    with open(RULES, encoding="utf-8") as file:
        return yaml.safe_load(file)["spec"]


def dashboard_queries():
    """(title, query) of each panel, with Grafana's variables replaced."""
    with open(DASHBOARD, encoding="utf-8") as file:
        board = json.load(file)
    queries = [(panel["title"], target["expr"]) for panel in board["panels"] for target in panel.get("targets", [])]
    queries += [(note["name"], note["expr"]) for note in board["annotations"]["list"]]
    return [(title, query.replace("$__rate_interval", "5m").replace("$job", "j").replace("$instance", "i")) for title, query in queries]


def queries(metrics):
    named = [(rule["alert"], rule["expr"]) for group in rules()["groups"] for rule in group["rules"]] + dashboard_queries()
    errors = [f"{where}: {error}" for where, query in named for error in metrics.errors(query)]
    used = " ".join(query for _, query in named)
    histograms = {name.removesuffix("_bucket") for name in metrics.labels if name.endswith("_bucket")}
    # An operator should find every metric on the dashboard.
    for name in metrics.labels:
        base = re.sub(r"_(bucket|sum|count)$", "", name)
        shown = base + "_bucket" if base in histograms else name
        if shown not in used and name not in ("process_virtual_memory_bytes", "stagedoor_clip_cache_pinned_layers"):
            errors.append(f"neither an alert nor the dashboard uses {shown}")
    return sorted(set(errors))


def dashboard_layout():
    with open(DASHBOARD, encoding="utf-8") as file:
        panels = json.load(file)["panels"]
    errors, taken = [], {}
    if len({panel["id"] for panel in panels}) != len(panels):
        errors.append("two panels have the same id")
    for panel in panels:
        place = panel["gridPos"]
        for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
            if cell in taken or cell[0] >= 24:
                errors.append(f"panel {panel['title']!r} does not fit")
                break
            taken[cell] = panel
    return errors


def runbooks():
    """Each alert has its section, and each section its alert."""
    alerts = [rule["alert"] for group in rules()["groups"] for rule in group["rules"]]
    with open(os.path.join(facts.ROOT, "docs/runbooks.md"), encoding="utf-8") as file:
        sections = re.findall(r"^## (Stagedoor\w+)$", file.read(), re.M)
    return [] if alerts == sections else [f"alerts and sections of docs/runbooks.md differ: {sorted(set(alerts) ^ set(sections))}"]


def promtool(work):
    """Syntax of all queries, and the tests of the alerts."""
    program = os.environ.get("PROMTOOL")
    if not program:
        print("manifests: queries are not parsed and alerts not tested: cannot install promtool")
        return []
    with open(os.path.join(work, "rules.yaml"), "w", encoding="utf-8") as file:
        yaml.safe_dump(rules(), file)
    shown = [{"record": f"shown:panel{number}", "expr": query} for number, (_, query) in enumerate(dashboard_queries())]
    with open(os.path.join(work, "dashboard.yaml"), "w", encoding="utf-8") as file:
        yaml.safe_dump({"groups": [{"name": "dashboard", "rules": shown}]}, file)
    shutil.copy(os.path.join(facts.ROOT, "tests/deploy/alerts_test.yaml"), work)
    errors = []
    for arguments in (("check", "rules", "rules.yaml", "dashboard.yaml"), ("test", "rules", "alerts_test.yaml")):
        done = subprocess.run([program, *arguments], cwd=work, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            errors.append(f"promtool {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return errors
