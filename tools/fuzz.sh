#!/usr/bin/env bash
# fuzz.sh [--seconds N] [TARGETS]: runs each fuzzer for N seconds (default 60). New inputs are kept in
# the cache. An input that crashes goes to fuzz-artifacts/; add it to the target's corpus together
# with the fix.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

seconds=60 targets=()
while [ $# -gt 0 ]; do
  case $1 in
    --seconds) seconds=$2; shift ;;
    --seconds=*) seconds=${1#*=} ;;
    *) targets+=("$1") ;;
  esac
  shift
done
if [ ${#targets[@]} = 0 ]; then
  mapfile -t targets < <(bazel query 'attr(tags, "\bfuzz\b", kind(cc_test, //...))' 2>/dev/null)
fi
[ ${#targets[@]} -gt 0 ] || { echo "fuzz: no fuzz targets"; exit 0; }

bz build --config=fuzz "${targets[@]}"
mkdir -p fuzz-artifacts
passed=0 failed=0
for target in "${targets[@]}"; do
  name=$(echo "${target#//}" | tr '/:' '__')
  learnt=$cache/fuzz/$name
  seeds=$(mktemp -d)
  mkdir -p "$learnt"
  while IFS= read -r file; do
    cp "$file" "$seeds/$(md5sum <"$file" | cut -c1-32)"
  done < <(bazel query "kind('source file', deps(labels(data, $target)))" --output=location 2>/dev/null |
    cut -d: -f1)
  echo "== $target"
  path=.bazel/fuzz-bin/$(echo "${target#//}" | tr ':' '/')
  if "$path" -max_total_time="$seconds" -rss_limit_mb=2048 -malloc_limit_mb=512 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="fuzz-artifacts/$name-" "$learnt" "$seeds"; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
  fi
  rm -rf "$seeds"
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
