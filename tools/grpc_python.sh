#!/usr/bin/env bash
# Prints the path of a Python interpreter with grpcio and grpcio-tools, for the tests of the reference
# resolver service: the one that STAGEDOOR_GRPC_PYTHON names, or one in a virtual environment in the
# cache, created on first use. Exits with status 1 if there is none and it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh
version=1.85.1

works() { [ -x "$1" ] && "$1" -c 'import grpc, grpc_tools' >/dev/null 2>&1; }

python=${STAGEDOOR_GRPC_PYTHON:-}
[ -n "$python" ] || python=$(venv "grpc-$version" "grpcio>=$version" "grpcio-tools==$version")/bin/python
works "$python" && echo "$python"
