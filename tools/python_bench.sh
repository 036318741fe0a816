#!/usr/bin/env bash
# python_bench.sh NAME [ARGUMENTS]: runs benchmarks/NAME.py with a Python that has the Stagedoor package. STAGEDOORD names the program, by
# default that of ./dev build. If PyPI cannot be reached, prints a line and exits with status 1.
set -uo pipefail
start_dir=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
export STAGEDOORD no_proxy="127.0.0.1,localhost${no_proxy:+,$no_proxy}" NO_PROXY="127.0.0.1,localhost${NO_PROXY:+,$NO_PROXY}"

venv=$(python_sdk_venv) || { echo "$1: skipped: cannot install packages from PyPI"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_python_sdk "$venv" "$work" || exit 1
cd "$start_dir"
PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 "$venv/bin/python" "$root/benchmarks/$1.py" "${@:2}"
