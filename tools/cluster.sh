#!/usr/bin/env bash
# cluster.sh OPTIONS: runs tools/cluster/main.py with a Python that has the Stagedoor package. STAGEDOORD, STAGEDOOR and
# STAGEDOOR_SDK_CLIENT name the programs, by default those of ./dev build. If PyPI cannot be reached, prints a line and exits with status 0.
set -uo pipefail
start_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-} sdk_client=${STAGEDOOR_SDK_CLIENT:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
STAGEDOOR=$(readlink -f "${command:-$STAGEDOOR}")
STAGEDOOR_SDK_CLIENT=$(readlink -f "${sdk_client:-$root/.bazel/bin/tests/cluster/sdk_client}")
export STAGEDOORD STAGEDOOR STAGEDOOR_SDK_CLIENT
export no_proxy="127.0.0.1,localhost${no_proxy:+,$no_proxy}" NO_PROXY="127.0.0.1,localhost${NO_PROXY:+,$NO_PROXY}"

venv=$(python_sdk_venv) || { echo "cluster: skipped: cannot install packages from PyPI"; exit 0; }
work=$(mktemp -d)
main=
trap 'rm -rf "$work"' EXIT
trap '[ -z "$main" ] || kill -TERM "$main" 2>/dev/null' TERM
trap : INT  # the program gets it as well, and stops everything
install_python_sdk "$venv" "$work" || exit 1
cd "$start_dir"
PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$root/tools/cluster/main.py" "$@" &
main=$!
wait "$main"
status=$?
while kill -0 "$main" 2>/dev/null; do  # a signal has interrupted the wait
  wait "$main"
  status=$?
done
exit "$status"
