#!/usr/bin/env bash
# delays.sh [--runs N] [TARGETS]: runs each test N times (default 8) while delayed_threads.cc delays its
# threads and those of the programs that it starts, with more tests at once than there are cores. By
# default, all tests of what is concurrent.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

runs=8 targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift ;;
    --runs=*) runs=${1#*=} ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || targets=(//base/... //client/... //resolver/... //server/... //tests/server/...)

bz build //tools/test_quality:libdelayed_threads.so
bz test --keep_going --runs_per_test="$runs" --test_tag_filters=-exclusive \
  --jobs=$(($(nproc) * 3)) --local_test_jobs=$(($(nproc) * 3)) \
  --test_env=LD_PRELOAD="$root/.bazel/bin/tools/test_quality/libdelayed_threads.so" -- "${targets[@]}"
