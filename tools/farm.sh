#!/usr/bin/env bash
# The simulator of benchmarks/farm (docs/scaling.md), in a virtual environment in the cache, created on first use.
#   farm.sh SCENARIO... [OPTIONS]   runs scenarios, for example `farm.sh all --nodes 1000`
#   farm.sh figures [OPTIONS]       prints the tables of the page
#   farm.sh frames JSON SVG         plots the results of benchmarks/frames.py
#   farm.sh validate [OPTIONS]      compares the model with real daemons
#   farm.sh test                    runs its tests, mypy and ruff; if PyPI cannot be reached, prints a line and exits with 0
set -uo pipefail
start=$PWD
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

folder=$(venv farm-1 "simpy==4.1.1" "matplotlib==3.11.2" "pytest==9.2.0" "mypy==2.4.1" "ruff==0.17.6") || {
  echo "farm: skipped: cannot install SimPy and Matplotlib from PyPI"
  [ "${1:-}" = test ]
  exit
}
export PYTHONPATH=$root/benchmarks PYTHONDONTWRITEBYTECODE=1

check() {
  local work status=0
  work=$(mktemp -d)
  timeout 120 "$folder/bin/pytest" -q -p no:cacheprovider benchmarks/farm/tests || status=1
  (cd benchmarks &&
    "$folder/bin/mypy" --config-file ../client/python/pyproject.toml --python-version 3.11 --cache-dir "$work" -p farm &&
    "$folder/bin/ruff" check --no-cache farm && "$folder/bin/ruff" format --no-cache --check farm) || status=1
  rm -rf "$work"
  return "$status"
}

case ${1:-} in
  test) check ;;
  figures) shift && cd "$start" && exec "$folder/bin/python" -m farm.figures "$@" ;;
  frames) shift && cd "$start" && exec "$folder/bin/python" "$root/benchmarks/frames_plot.py" "$@" ;;
  validate) shift && cd "$start" && exec "$folder/bin/python" -m farm.validate "$@" ;;
  *) cd "$start" && exec "$folder/bin/python" -m farm "$@" ;;
esac
