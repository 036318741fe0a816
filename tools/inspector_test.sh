#!/usr/bin/env bash
# inspector_test.sh [--screenshots] [ARGUMENTS OF pytest]: tests the inspector in Debian's Chromium, with the daemon that STAGEDOORD
# names, by default that of ./dev build. --screenshots: also writes the pictures of docs/inspector.md anew. If the browser, Node.js
# or packages cannot be had, prints a line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
export STAGEDOORD
[ "${1:-}" != --screenshots ] || { export STAGEDOOR_SCREENSHOTS=$root/docs/images; shift; }

skip() { echo "inspector: skipped: $*"; exit 0; }

STAGEDOOR_CHROMIUM=${STAGEDOOR_CHROMIUM:-$(command -v chromium)}
if [ -z "$STAGEDOOR_CHROMIUM" ] && [ "$(id -u)" = 0 ]; then
  echo "inspector: installing chromium"
  DEBIAN_FRONTEND=noninteractive timeout 600 apt-get -q -y install --no-install-recommends chromium >/dev/null 2>&1 </dev/null
  STAGEDOOR_CHROMIUM=$(command -v chromium)
fi
[ -n "$STAGEDOOR_CHROMIUM" ] || skip "chromium is not installed; install the package chromium of Debian"
export STAGEDOOR_CHROMIUM

python=$(venv inspector-1 "grpcio==1.85.3" "grpcio-tools==1.85.1" "protobuf==7.36.2" "numpy==2.4.6" "starlette==1.10.0" \
  "uvicorn==0.54.0" "playwright==1.65.2" "pytest==9.2.0" setuptools wheel) || skip "cannot install packages from PyPI"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
tools/inspector_build.sh "$work/page" || status=$?
[ "$status" != 3 ] || skip "its page cannot be built"
[ "$status" = 0 ] || exit "$status"
install_python_sdk "$python" "$work" "$work/page" || exit 1
compressed=$(tar -C "$work/page" -c . | gzip -9 | wc -c)
echo "inspector: the page has $((compressed / 1024)) KiB, compressed"
[ "$compressed" -le $((1536 * 1024)) ] || { echo "inspector: the page exceeds 1.5 MiB, compressed"; status=1; }

STAGEDOOR_INSPECTOR_PACKAGES=$(inspector_packages)
AXE=$STAGEDOOR_INSPECTOR_PACKAGES/node_modules/axe-core/axe.min.js
STAGEDOOR_FAILED_PICTURES=$cache/inspector-failed-pictures
export STAGEDOOR_INSPECTOR_PACKAGES STAGEDOOR_FAILED_PICTURES AXE
export PYTHONPATH=$work/site PYTHONDONTWRITEBYTECODE=1 GRPC_ENABLE_FORK_SUPPORT=0
timeout 1800 "$python/bin/pytest" -q -p no:cacheprovider --basetemp="$work/pytest" -c tests/inspector/pytest.ini tests/inspector "$@" || status=1
exit "$status"
