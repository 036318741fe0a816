#!/usr/bin/env bash
# build.sh PREFIX OUTPUT [RELEASE]: compiles the plug-in for a usd-core of PyPI, by default 26.8, and installs it in OUTPUT: the
# plug-in, the C library beside it, and resources/plugInfo.json for PXR_PLUGINPATH_NAME. PREFIX has the installed C library (./dev
# install PREFIX). The Python with usd-core and the headers (requirements-RELEASE.txt) is the one that OPENUSD_PYTHON names, or else
# one in a virtual environment in the cache, made on first use. Exits with 69 if it cannot be made. CXXFLAGS may set the optimization.
set -uo pipefail
[[ $# = [23] ]] || { echo "build.sh: usage: build.sh PREFIX OUTPUT [RELEASE]" >&2; exit 2; }
prefix=$(readlink -f "$1") output=$(readlink -m "$2") release=${3:-26.8}
cd "$(dirname "$(readlink -f "$0")")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$(tools/openusd_python.sh "$release") ||
  { echo "build.sh: usd-core $release and its headers cannot be installed from PyPI" >&2; exit 69; }
{ cmake -S client/openusd -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" -DOPENUSD_PYTHON="$python" -DCMAKE_INSTALL_PREFIX="$output" \
  ${CXXFLAGS:+-DCMAKE_BUILD_TYPE=None} && cmake --build "$work/build" --parallel "${JOBS:-1}" && cmake --install "$work/build"; } \
  >"$work/log" 2>&1 || { tail -40 "$work/log" >&2; exit 1; }
