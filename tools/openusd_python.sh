#!/usr/bin/env bash
# Prints the path of a Python interpreter with the usd-core that the OpenUSD plug-in is compiled for, its headers and numpy: the
# one that OPENUSD_PYTHON names, or one in a virtual environment in the cache, created on first use. Exits with status 1 if there
# is none and it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

python=${OPENUSD_PYTHON:-}
if [ -z "$python" ]; then
  mapfile -t packages < <(grep -v '^#' client/openusd/requirements.txt)
  # Not what they depend on: pxr-pegtl-dev, whose headers the plug-in does not use, has no wheel.
  python=$(venv "openusd-26.8" --no-deps "${packages[@]}")/bin/python
fi
[ -x "$python" ] && "$python" client/openusd/find_openusd.py >/dev/null 2>&1 && "$python" -c 'from pxr import Usd; import numpy' \
  >/dev/null 2>&1 && echo "$python"
