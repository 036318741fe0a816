"""Checks of rendered Kubernetes manifests that no schema makes: that what they name exists, and that they agree with each other."""
import yaml

import facts


def _probes(container):
    return {name: container[name] for name in ("startupProbe", "readinessProbe", "livenessProbe")}


def names_of_programs(resources, known):
    container = resources.container()
    errors = known.command_errors(["/usr/bin/stagedoord", *container["args"]])
    errors += known.environment_errors([variable["name"] for variable in container["env"]])
    for probe in _probes(container).values():
        if "exec" in probe:
            errors += known.command_errors(probe["exec"]["command"])
    return errors


def image_has_our_version(resources, known):
    tag = resources.container()["image"].rsplit(":", 1)[1]
    return [] if tag == known.version else [f"the image has the tag {tag}, and base/version.h {known.version}"]


def ports(resources, _):
    """Ports of the configuration are those of the container, and names of ports exist."""
    config = yaml.safe_load(resources.config())
    listening = {address.rsplit(":", 1)[1] for address in [*config["address"], config["metrics-address"]]
                 if not address.startswith("unix:")}
    declared = {port["name"]: str(port["containerPort"]) for port in resources.container()["ports"]}
    errors = [] if listening == set(declared.values()) else [f"the daemon listens on {listening}, the container has {declared}"]
    named = [(f"service {service['metadata']['name']}", port["targetPort"])
             for service in resources.of("Service") for port in service["spec"]["ports"]]
    named += [("network policy", port["port"]) for policy in resources.of("NetworkPolicy")
              for rule in policy["spec"]["ingress"] for port in rule["ports"]]
    named += [(name, probe["httpGet"]["port"]) for name, probe in _probes(resources.container()).items() if "httpGet" in probe]
    errors += [f"{where}: unknown port {port}" for where, port in named if port not in declared]
    of_services = {port["name"] for service in resources.of("Service") for port in service["spec"]["ports"]}
    errors += [f"service monitor: unknown port {endpoint['port']}" for monitor in resources.of("ServiceMonitor")
               for endpoint in monitor["spec"]["endpoints"] if endpoint["port"] not in of_services]
    return errors


def selectors(resources, _):
    """Each selector selects our pods, and none selects all pods of the namespace."""
    labels = resources.deployment()["spec"]["template"]["metadata"]["labels"].items()
    pod = resources.pod()
    named = [("deployment", resources.deployment()["spec"]["selector"]["matchLabels"])]
    named += [(s["metadata"]["name"], s["spec"]["selector"]) for s in resources.of("Service")]
    named += [("policy", p["spec"]["podSelector"].get("matchLabels")) for p in resources.of("NetworkPolicy")]
    named += [("budget", b["spec"]["selector"].get("matchLabels")) for b in resources.of("PodDisruptionBudget")]
    named += [("spread", c["labelSelector"]["matchLabels"]) for c in pod.get("topologySpreadConstraints", [])]
    errors = [f"{where}: the selector {selector} does not select our pods" for where, selector in named
              if not selector or not selector.items() <= labels]
    for monitor in resources.of("ServiceMonitor"):
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        if not any(wanted <= service["metadata"]["labels"].items() for service in resources.of("Service")):
            errors.append("the service monitor selects no service")
    for scaler in resources.of("HorizontalPodAutoscaler"):
        if scaler["spec"]["scaleTargetRef"]["name"] != resources.deployment()["metadata"]["name"]:
            errors.append("the autoscaler scales something else")
        if "replicas" in resources.deployment()["spec"]:
            errors.append("the deployment and the autoscaler both set replicas")
    return errors


def volumes(resources, _):
    """Every mount has its volume, every volume a mount, and the configuration's files are in them."""
    mounts = {mount["name"]: mount for mount in resources.container()["volumeMounts"]}
    declared = {volume["name"]: volume for volume in resources.pod()["volumes"]}
    errors = [] if set(mounts) == set(declared) else [f"mounts {sorted(mounts)} and volumes {sorted(declared)} differ"]
    (config_map,) = resources.of("ConfigMap")
    if declared["config"]["configMap"]["name"] != config_map["metadata"]["name"]:
        errors.append("the volume config has another ConfigMap")
    config = yaml.safe_load(resources.config())
    paths = [config.get(name) for name in ("allow-root", "cache-dir", "reply-cache-dir", "tls-certificate", "tls-key", "tls-client-ca")]
    paths += [address[5:] for address in config["address"] if address.startswith("unix:")]
    folders = [mount["mountPath"] for mount in mounts.values()]
    return errors + [f"{path} is in no volume" for path in paths
                     if path and not any((path + "/").startswith(folder + "/") for folder in folders)]


def times(resources, _):
    config = yaml.safe_load(resources.config())
    grace = resources.pod()["terminationGracePeriodSeconds"]
    drain = facts.drain_seconds(config)
    errors = [] if grace > drain else [f"terminationGracePeriodSeconds is {grace}, and the daemon may need {drain}"]
    # After so long at the latest, no new connection comes.
    ready = _probes(resources.container())["readinessProbe"]
    noticed = ready["periodSeconds"] * ready["failureThreshold"] + ready["timeoutSeconds"]
    if config["drain-delay"] <= noticed:
        errors.append(f"drain-delay is {config['drain-delay']}, and readiness is noticed after up to {noticed} s")
    return errors


def rollout(resources, _):
    """A rollout does not fail while a pod may still start."""
    probe = _probes(resources.container())["startupProbe"]
    longest = (probe["periodSeconds"] + probe.get("timeoutSeconds", 1)) * probe.get("failureThreshold", 3)
    deadline = resources.deployment()["spec"].get("progressDeadlineSeconds", 600)  # the default of Kubernetes
    return [] if deadline > longest else [f"progressDeadlineSeconds is {deadline}, and a pod may need {longest} s to start"]


def security(resources, _):
    pod, container = resources.pod(), resources.container()
    wanted = [
        (pod["securityContext"]["runAsNonRoot"], True), (pod["securityContext"]["runAsUser"], 65532),
        (pod["securityContext"]["seccompProfile"]["type"], "RuntimeDefault"), (pod["automountServiceAccountToken"], False),
        (container["securityContext"]["allowPrivilegeEscalation"], False),
        (container["securityContext"]["readOnlyRootFilesystem"], True),
        (container["securityContext"]["capabilities"], {"drop": ["ALL"]}),
        (container["resources"]["requests"]["memory"], container["resources"]["limits"]["memory"]),
    ]
    return [f"{found} is not {value}" for found, value in wanted if found != value]


def probes(resources, _):
    """Their paths; image_test.py asks a daemon for them."""
    return [f"{name}: unknown path {probe['httpGet']['path']}" for name, probe in _probes(resources.container()).items()
            if "httpGet" in probe and probe["httpGet"]["path"] != ("/healthz" if name == "livenessProbe" else "/readyz")]


ALL = (names_of_programs, image_has_our_version, ports, selectors, volumes, times, rollout, security, probes)
