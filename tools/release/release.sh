#!/usr/bin/env bash
# release.sh [OPTIONS OF make_release.py]: builds the Python wheel and makes the files of a release. STAGEDOORD, STAGEDOOR and
# STAGEDOOR_LIBRARY name the programs and libstagedoor.so.1, by default those of ./dev release.
set -euo pipefail
start_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/../.."
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-} library=${STAGEDOOR_LIBRARY:-}
source tools/lib.sh
daemon=$(readlink -f "${daemon:-$STAGEDOORD}") command=$(readlink -f "${command:-$STAGEDOOR}")
library=$(readlink -f "${library:-$STAGEDOOR_LIBRARY}")

venv=$(wheel_venv) || { echo "release: cannot install setuptools and grpcio-tools from PyPI, which build the Python wheel" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python_wheel "$venv" "$work"
cd "$start_dir"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tools/release/make_release.py" --daemon "$daemon" --command "$command" --library "$library" \
  --wheel "$work"/stagedoor-*.whl "$@"
