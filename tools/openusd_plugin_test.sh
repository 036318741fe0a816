#!/usr/bin/env bash
# Tests the OpenUSD plug-in: installs the C library, builds the plug-in against the headers of PyPI, and opens stages of a daemon
# with it. STAGEDOORD names the daemon, by default that of ./dev build. STAGEDOOR_PREFIX names an installed C library, and
# STAGEDOOR_PLUGIN a plug-in, to use instead.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
export STAGEDOORD

OPENUSD_PYTHON=$(tools/openusd_python.sh) ||
  { echo "openusd-plugin: skipped: usd-core 26.8 and its headers cannot be installed from PyPI"; exit 0; }
export OPENUSD_PYTHON
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

plugin=${STAGEDOOR_PLUGIN:-$work/plugin}
if [ -z "${STAGEDOOR_PLUGIN:-}" ]; then
  prefix=${STAGEDOOR_PREFIX:-$work/prefix}
  [ -n "${STAGEDOOR_PREFIX:-}" ] || ./dev install "$prefix" || exit 1
  CXXFLAGS=-O1 client/openusd/build.sh "$prefix" "$plugin" || exit 1
fi
status=0
# A source is compiled with headers where a studio's own OpenUSD has them, and with the targets of its pxrConfig.cmake.
if [ -z "${STAGEDOOR_PLUGIN:-}" ]; then
  { python3 tests/openusd/studio.py "$OPENUSD_PYTHON" "$work/studio" &&
    CXXFLAGS=-O0 cmake -S client/openusd -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -Dpxr_DIR="$work/studio" -DCMAKE_BUILD_TYPE=None &&
    cmake --build "$work/build" -- dynamic_file_format.o; } >"$work/log" 2>&1 || { tail -60 "$work/log"; status=1; }
fi
python3 tests/openusd/symbols.py "$plugin/libstagedoor_openusd.so" "$plugin/libstagedoor.so.1" || status=1

# Applications have only the installed plug-in.
export PXR_PLUGINPATH_NAME=$plugin/resources
# OpenUSD's warnings about broken scenes, and the results of tests that pass, only matter if a test fails.
quietly() { "$@" 2>"$work/log" || { tail -60 "$work/log"; status=1; }; }
quietly "$OPENUSD_PYTHON" -m unittest discover -s tests/openusd -p '*_test.py'
cases=${STAGEDOOR_SHARED:-../shared}/conformance/cases
if [ -d "$cases" ]; then
  for arguments in "" boundaries=payloads; do
    quietly tools/with_daemon.sh "$OPENUSD_PYTHON" tests/openusd/compare_cases.py "$cases" --arguments "$arguments" \
      --expect tests/openusd/expected_differences.txt
  done
else
  echo "openusd-plugin: skipped: no conformance cases at $cases"
fi
exit "$status"
