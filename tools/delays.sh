#!/usr/bin/env bash
# delays.sh [--runs N] [--sanitizer asan|tsan] [TARGETS]: runs each test N times (default 8) while
# delayed_threads.cc delays its threads and those of the programs that it starts, with more tests at once
# than there are cores. By default, all tests of what is concurrent; with a sanitizer, those tagged for it.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

runs=8 targets=() options=(--test_tag_filters=-exclusive)
use() { options=(--config="$1" --build_tests_only --test_tag_filters="$1",-exclusive); }
while [ $# -gt 0 ]; do
  case $1 in
    --runs) runs=$2; shift ;;
    --runs=*) runs=${1#*=} ;;
    --sanitizer) use "$2"; shift ;;
    --sanitizer=*) use "${1#*=}" ;;
    -*) echo "delays: unknown option $1" >&2; exit 2 ;;
    *) targets+=("$1") ;;
  esac
  shift
done
[ ${#targets[@]} -gt 0 ] || targets=(//base/... //client/... //resolver/... //server/... //tests/server/...)

find_test_options
bz build //tools/test_quality:libdelayed_threads.so
bz test "${test_options[@]}" "${options[@]}" --runs_per_test="$runs" \
  --jobs=$(($(nproc) * 3)) --local_test_jobs=$(($(nproc) * 3)) \
  --test_env=LD_PRELOAD="$root/.bazel/bin/tools/test_quality/libdelayed_threads.so" -- "${targets[@]}"
