#!/usr/bin/env bash
# Prints the path of a Python interpreter with the validators of Kubernetes, Compose and Envoy files, for the tests of deploy/, in a virtual
# environment in the cache, created on first use. Exits with status 1 if it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

python=$(venv deploy-2 kubernetes-validate==1.37.0 compose-spec==0.2.1 spdx-tools==0.8.5 \
  xds-protos==1.85.0)/bin/python
"$python" -c 'import compose_spec, envoy, kubernetes_validate, spdx_tools, yaml' >/dev/null 2>&1 && echo "$python"
