#!/usr/bin/env bash
# Tests what ./dev release makes: makes the files in a temporary folder, and uses them as those who download them do. STAGEDOORD,
# STAGEDOOR, STAGEDOOR_LIBRARY and STAGEDOOR_LAUNCHER name the programs, libstagedoor.so.1 and the launcher of the daemon's wheel, by
# default those of ./dev release. If PyPI cannot be reached, prints a line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
library=${STAGEDOOR_LIBRARY:-} launcher=${STAGEDOOR_LAUNCHER:-}
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-}
source tools/lib.sh
STAGEDOORD=${daemon:-$STAGEDOORD} STAGEDOOR=${command:-$STAGEDOOR}
STAGEDOOR_LIBRARY=$(readlink -f "${library:-$STAGEDOOR_LIBRARY}") STAGEDOOR_LAUNCHER=$(readlink -f "${launcher:-$STAGEDOOR_LAUNCHER}")
export PYTHONDONTWRITEBYTECODE=1
export CXXFLAGS=${CXXFLAGS:--O1}  # of the OpenUSD plug-in

[ -n "$library" ] || bz build //client/sdk:libstagedoor.so.1 || exit 1
[ -n "$launcher" ] || bz build //tools/wheel:launcher || exit 1
venv=$(wheel_venv) || { echo "release: skipped: cannot install packages from PyPI"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begin=$SECONDS
page=$work/page
tools/inspector_build.sh "$page" || { [ $? = 3 ] && page=; } || exit 1
tools/release/release.sh --snapshot --output "$work/release" && python_wheel "$venv" "$work/again" "$page" || exit 1
echo "release: made in $((SECONDS - begin)) s"
SPDX_PYTHON=$(tools/deploy_python.sh || true) tests/deploy/release_test.py "$work/release" "$work/again"/stagedoor-*.whl
