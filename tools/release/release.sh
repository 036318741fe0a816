#!/usr/bin/env bash
# release.sh [OPTIONS OF make_release.py]: builds the Python wheel, with the inspector's page, and makes the files of a release. A
# snapshot is made without the page if Node.js cannot be had, and without the wheels of the OpenUSD plug-in if usd-core cannot.
# STAGEDOORD, STAGEDOOR, STAGEDOOR_LIBRARY and STAGEDOOR_LAUNCHER name the programs, libstagedoor.so.1 and the launcher, by default
# those of ./dev release.
set -euo pipefail
start_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/../.."
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-} library=${STAGEDOOR_LIBRARY:-} launcher=${STAGEDOOR_LAUNCHER:-}
source tools/lib.sh
daemon=$(readlink -f "${daemon:-$STAGEDOORD}") command=$(readlink -f "${command:-$STAGEDOOR}")
library=$(readlink -f "${library:-$STAGEDOOR_LIBRARY}") launcher=$(readlink -f "${launcher:-$STAGEDOOR_LAUNCHER}")

venv=$(wheel_venv) || { echo "release: cannot install setuptools and grpcio-tools from PyPI, which build the Python wheel" >&2; exit 1; }
# Whether the options say that files may be missing.
is_snapshot() { [[ " $* " = *" --snapshot "* ]]; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
page=$work/page
tools/inspector_build.sh "$page" || { [ $? = 3 ] && is_snapshot "$@" && page=; } || exit 1
tools/openusd_wheels.sh "$library" "$work/openusd" || { [ $? = 3 ] && is_snapshot "$@"; } ||
  { echo "release: cannot make the wheels of the OpenUSD plug-in" >&2; exit 1; }
python_wheel "$venv" "$work" "$page"
cd "$start_dir"
PYTHONDONTWRITEBYTECODE=1 python3 "$root/tools/release/make_release.py" --daemon "$daemon" --command "$command" --library "$library" \
  --launcher "$launcher" --wheel "$work"/stagedoor-*.whl --openusd-wheels "$work/openusd" "$@"
