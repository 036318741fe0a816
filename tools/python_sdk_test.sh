#!/usr/bin/env bash
# Tests the Python package: builds its wheel and runs pytest with the newest versions of its
# dependencies, then with the oldest; mypy and ruff check its sources. With usd-core, scripts that read are run
# on it and on stagedoor.pxr, and must print the same. The virtual environments are in the cache, created on first use. STAGEDOORD names the daemon, by default that of ./dev build. If PyPI
# cannot be reached, prints a line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")

# The oldest Python that the package supports, or else that of the system.
oldest_python() {
  local candidate
  for candidate in "$(command -v python3.9)" "${HOME:-}"/.pyenv/versions/3.9.*/bin/python; do
    [ -x "$candidate" ] && "$candidate" -c '' 2>/dev/null && { echo "$candidate"; return; }
  done
  echo /usr/bin/python3
}

newest=$(python_sdk_venv) || { echo "python-sdk: skipped: cannot install packages from PyPI"; exit 0; }
old_python=$(oldest_python)
numpy=1.21.6  # the first version that the package supports
[ "$old_python" != /usr/bin/python3 ] || numpy=1.23.5  # the first version with wheels for Python 3.11
oldest=$(VENV_PYTHON=$old_python venv "python-sdk-old-2-$numpy" "grpcio==1.49.1" "protobuf==3.20.3" \
  "numpy==$numpy" "starlette==0.38.0" "uvicorn==0.23.0" "httpx==0.27.0" "pytest==8.4.2") || { echo "python-sdk: skipped: cannot install old packages from PyPI"; exit 0; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
install_python_sdk "$newest" "$work" || exit 1
[ -e "$work/site/stagedoor/py.typed" ] || { echo "python-sdk: the wheel lacks py.typed"; exit 1; }

status=0
for environment in "$newest" "$oldest"; do
  "$environment/bin/python" -c 'import sys, google.protobuf, grpc, numpy
print("python-sdk: Python", sys.version.split()[0], "protobuf", google.protobuf.__version__, "grpcio",
      grpc.__version__, "NumPy", numpy.__version__)'
  # Without fork support, because tests start daemons: in Python 3.9, gRPC 1.49 can wait for its threads forever before a fork.
  (cd "$work" && GRPC_ENABLE_FORK_SUPPORT=0 STAGEDOORD=$STAGEDOORD PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 timeout 300 \
    "$environment/bin/pytest" -q -p no:cacheprovider -c "$root/client/python/pyproject.toml" \
    --rootdir "$root/client/python" "$root/client/python/tests") || status=1
done
if oracle=$(tools/oracle.sh); then
  "$oracle" tools/pxr_schemas.py "$work/schemas.json" && cmp "$work/schemas.json" client/python/stagedoor/pxr/schemas.json ||
    { echo "pxr-shim: schemas.json is out of date; run tools/pxr_schemas.py with $oracle"; status=1; }
  STAGEDOORD=$STAGEDOORD PYTHONPATH=$work/site timeout 600 "$newest/bin/python" tests/pxr_shim/compare.py "$STAGEDOORD" "$oracle" ||
    status=1
else
  echo "pxr-shim: skipped: cannot install usd-core"
fi
(cd client/python && "$newest/bin/mypy" --cache-dir "$work/mypy" && "$newest/bin/ruff" check --no-cache . &&
  "$newest/bin/ruff" format --no-cache --check .) || status=1
exit "$status"
