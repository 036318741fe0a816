#!/usr/bin/env bash
# Prints the path of a Python interpreter with moto's S3 server, for tests of the S3 backend: the one that
# STAGEDOOR_MOTO_PYTHON names, or one in a virtual environment in the cache, created on first use. Exits
# with status 1 if there is none and it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

works() { [ -x "$1" ] && "$1" -c 'import moto.server' >/dev/null 2>&1; }

python=${STAGEDOOR_MOTO_PYTHON:-}
[ -n "$python" ] || python=$(venv moto-5 'moto[server]>=5.2,<6')/bin/python
works "$python" && echo "$python"
