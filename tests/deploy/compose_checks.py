"""Checks of deploy/compose, and that the Dockerfile and ./dev image make the same image."""
import json
import os
import re

import yaml

import compose_spec
import facts
import make_image

REVISION = "org.opencontainers.image.revision"
FOLDER = os.path.join(facts.ROOT, "deploy/compose")


def _load(name):
    """A compose file with its variables replaced: by their defaults, or by /somewhere."""
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        text = re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", file.read())
    return yaml.safe_load(re.sub(r"\$\{[^}]*\}", "/somewhere", text))


def _merge(weaker, stronger):
    """Mappings are merged and lists are joined, as Compose does for the settings that are used here."""
    if isinstance(weaker, dict) and isinstance(stronger, dict):
        return {key: _merge(weaker[key], stronger[key]) if key in weaker and key in stronger else stronger.get(key, weaker.get(key))
                for key in {**weaker, **stronger}}
    return weaker + stronger if isinstance(weaker, list) else stronger


def _config(name):
    with open(os.path.join(facts.ROOT, name), encoding="utf-8") as file:
        return yaml.safe_load(file)


def compose(known):
    plain = _load("compose.yaml")
    errors = []
    for name, content, config in (("compose.yaml", plain, _config("deploy/image/stagedoord.yaml")),
                                  ("compose.tls.yaml", _merge(plain, _load("compose.tls.yaml")),
                                   _config("deploy/compose/stagedoord.tls.yaml"))):
        try:
            compose_spec.PyOptions().from_yaml(yaml.safe_dump(content)).validate()
        except ValueError as error:
            errors.append(f"{name}: {error}")
            continue
        errors += [f"{name}: {error}" for error in _service_errors(content["services"]["stagedoord"], config, known)]
    return errors


def _service_errors(service, config, known):
    errors = known.environment_errors(service["environment"])
    errors += known.command_errors(service["healthcheck"]["test"][1:])
    if service["image"] != f"stagedoor:{known.version}":
        errors.append(f"the image is {service['image']}, and base/version.h says {known.version}")
    grace, drain = facts.seconds(service["stop_grace_period"]), facts.drain_seconds(config)
    if grace <= drain:
        errors.append(f"stop_grace_period is {grace}, and the daemon may need {drain}")
    addresses = config["address"] if isinstance(config["address"], list) else [config["address"]]
    listening = {address.rsplit(":", 1)[1] for address in [*addresses, config["metrics-address"]] if not address.startswith("unix:")}
    published = {port.rsplit(":", 1)[1] for port in service["ports"]}
    if listening != published:
        errors.append(f"the daemon listens on {listening}, the file publishes {published}")
    targets = [volume["target"] for volume in service["volumes"]] + [place.split(":")[0] for place in service["tmpfs"]]
    paths = [config.get(name) for name in ("allow-root", "tls-certificate", "tls-key", "tls-client-ca")]
    paths += [address[5:] for address in addresses if address.startswith("unix:")]
    errors += [f"{path} is in no volume" for path in paths if path and not any((path + "/").startswith(t + "/") for t in targets)]
    for option in service["security_opt"]:
        if option.startswith("seccomp=") and not os.path.exists(os.path.join(FOLDER, option.split("=")[1])):
            errors.append(f"{option}: no such file")
    return errors


def dockerfile(known):
    """Its last stage says what make_image.config() says."""
    with open(os.path.join(facts.ROOT, "deploy/image/Dockerfile"), encoding="utf-8") as file:
        stage = file.read().split("FROM scratch")[1].replace("\\\n", " ")
    lines = dict(line.split(" ", 1) for line in stage.splitlines() if line and line[0].isupper())
    ours = make_image.config()
    health = lines["HEALTHCHECK"]
    labels = dict(re.findall(r'([\w.]+)="([^"]*)"', lines["LABEL"]))
    found = {
        "Labels": {**labels, REVISION: ours["Labels"][REVISION]} if labels.get(REVISION) == "${REVISION}" else labels,
        "User": lines["USER"], "Entrypoint": json.loads(lines["ENTRYPOINT"]), "Cmd": json.loads(lines["CMD"]),
        "Env": lines["ENV"].split(), "StopSignal": lines["STOPSIGNAL"],
        "ExposedPorts": {f"{port}/tcp": {} for port in lines["EXPOSE"].split()},
        "Healthcheck": {
            "Test": ["CMD", *json.loads(health[health.index("["):])], "Retries": 3,
            **{key: facts.seconds(re.search(f"--{flag}=(\\w+)", health)[1]) * 10**9
               for key, flag in (("Interval", "interval"), ("Timeout", "timeout"), ("StartPeriod", "start-period"))}},
    }
    errors = [f"Dockerfile: {key} is {value}, and {ours[key]} in ./dev image" for key, value in found.items() if value != ours[key]]
    errors += known.command_errors(ours["Entrypoint"] + ours["Cmd"]) + known.command_errors(ours["Healthcheck"]["Test"][1:])
    return errors
