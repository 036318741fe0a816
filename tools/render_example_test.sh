#!/usr/bin/env bash
# Tests examples/render with a daemon: images of frames that it streams equal those of what usd-core computes. Also checks the
# program with mypy and ruff. STAGEDOORD names the daemon, by default that of ./dev build. The virtual environment is in the
# cache, created on first use. If usd-core or embreex cannot be installed, prints a line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
export STAGEDOORD

skip() { echo "render-example: skipped: $*"; exit 0; }
builder=$(python_sdk_venv) || skip "cannot install the tools of the Python package from PyPI"
environment=$(venv render-1 "usd-core==26.11" "embreex==4.4.0.post1" "pillow==13.0.0" "numpy==2.4.6" "grpcio==1.85.3" \
  "protobuf==7.36.2" "pytest==9.2.0" "mypy==2.4.1" "ruff==0.17.6") || skip "cannot install usd-core and embreex from PyPI"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_python_sdk "$builder" "$work" || exit 1
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1

status=0
tools/with_daemon.sh timeout 300 "$environment/bin/python" -m pytest -q -p no:cacheprovider examples/render || status=1
tools/with_daemon.sh "$environment/bin/python" examples/render tests/data/stage_door/root.usda --camera /Shot/Camera --times 7 8 \
  --size 32 18 --moments 2 --samples 1 -o "$work/image.png" >"$work/files" || status=1
[ -s "$work/image.7.png" ] && [ -s "$work/image.8.png" ] || { echo "render-example: the program has not written two images"; status=1; }
(cd examples/render && MYPYPATH=$work/site "$environment/bin/mypy" --strict --ignore-missing-imports --cache-dir "$work/mypy" . &&
  "$environment/bin/ruff" check --no-cache --config ../../client/python/pyproject.toml --line-length 120 . &&
  "$environment/bin/ruff" format --no-cache --line-length 120 --check .) || status=1
exit "$status"
