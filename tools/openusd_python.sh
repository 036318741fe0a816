#!/usr/bin/env bash
# openusd_python.sh [RELEASE]: prints the path of a Python interpreter with the usd-core of this release, by default the newest one
# that client/openusd has requirements for, its headers and numpy: the one that OPENUSD_PYTHON names, or one in a virtual environment
# in the cache, created on first use. Exits with status 1 if there is none and it cannot be created.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

release=${1:-26.8}
requirements=client/openusd/requirements-$release.txt
[ -f "$requirements" ] || { echo "openusd-python: no $requirements" >&2; exit 1; }
python=${OPENUSD_PYTHON:-}
if [ -z "$python" ]; then
  mapfile -t packages < <(grep -v '^#' "$requirements")
  # Not what they depend on: pxr-pegtl-dev, whose headers the plug-in does not use, has no wheel.
  python=$(venv "openusd-$release" --no-deps "${packages[@]}")/bin/python
fi
[ -x "$python" ] && "$python" client/openusd/find_openusd.py >/dev/null 2>&1 && "$python" -c 'from pxr import Usd; import numpy' \
  >/dev/null 2>&1 && echo "$python"
