#!/usr/bin/env bash
# Prints the path of a Python interpreter with usd-core and numpy, for tests that compare with OpenUSD:
# the one that STAGEDOOR_ORACLE_PYTHON names, or one in a virtual environment in the cache, created on
# first use. Exits with status 1 if there is none and it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh
version=26.11

works() { [ -x "$1" ] && "$1" -c 'from pxr import Usd; import numpy' >/dev/null 2>&1; }

python=${STAGEDOOR_ORACLE_PYTHON:-}
[ -n "$python" ] || python=$(venv "oracle-$version" "usd-core==$version" numpy)/bin/python
works "$python" && echo "$python"
