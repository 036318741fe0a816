#!/usr/bin/env bash
# Tests what ./dev release makes: makes the files in a temporary folder, and uses them as those who download them do. STAGEDOORD,
# STAGEDOOR and STAGEDOOR_LIBRARY name the programs and libstagedoor.so.1, by default those of ./dev release. If PyPI cannot be
# reached, prints a line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
library=${STAGEDOOR_LIBRARY:-}
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-}
source tools/lib.sh
STAGEDOORD=${daemon:-$STAGEDOORD} STAGEDOOR=${command:-$STAGEDOOR}
STAGEDOOR_LIBRARY=$(readlink -f "${library:-$STAGEDOOR_LIBRARY}")
export PYTHONDONTWRITEBYTECODE=1

[ -n "$library" ] || bz build //client/sdk:libstagedoor.so.1 || exit 1
venv=$(wheel_venv) || { echo "release: skipped: cannot install packages from PyPI"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
begin=$SECONDS
tools/release/release.sh --snapshot --output "$work/release" && python_wheel "$venv" "$work/again" || exit 1
echo "release: made in $((SECONDS - begin)) s"
SPDX_PYTHON=$(tools/deploy_python.sh || true) tests/deploy/release_test.py "$work/release" "$work/again"/stagedoor-*.whl
