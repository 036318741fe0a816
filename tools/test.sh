#!/usr/bin/env bash
# All checks of the project, in order; each adds a line 'NAME PASSED FAILED' to the tally. The last
# line of the output is their sum, and the status says whether all passed.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tally=$work/tally
: >"$tally"
test_options=(--keep_going)

section() { printf '\n== %s\n' "$*"; }

# bazel_tests NAME OPTIONS: runs tests and counts their cases.
bazel_tests() {
  local name=$1 status=0
  shift
  section "$name"
  bz test "${test_options[@]}" --build_event_json_file="$work/$name.json" "$@" || status=$?
  python3 tools/test_report.py --name "$name" --status "$status" --tally "$tally" \
    --failures "$work/failures" "$work/$name.json"
}

# check NAME COMMAND: a check that counts as one.
check() {
  local name=$1
  shift
  if "$@"; then echo "$name 1 0" >>"$tally"; else echo "$name 0 1" >>"$tally"; fi
}

section oracle
if oracle=$(tools/oracle.sh); then
  echo "oracle: cross checks ask $oracle"
  test_options+=("--test_env=STAGEDOOR_ORACLE_PYTHON=$oracle")
else
  echo "oracle: skipped: usd-core can't be installed here, tests that ask it skip themselves"
fi

conformance=${STAGEDOOR_SHARED:-$root/../shared}/conformance
if [ -d "$conformance/cases" ]; then
  test_options+=("--test_env=STAGEDOOR_CONFORMANCE=$(readlink -f "$conformance")")
else
  echo "conformance layers: skipped: there is no corpus at $conformance"
fi

bazel_tests tests //...
for sanitizer in asan tsan; do
  tagged=$(bazel query --keep_going "attr(tags, '\\b$sanitizer\\b', tests(//...))" 2>/dev/null)
  # shellcheck disable=SC2086  # one word a target
  [ -z "$tagged" ] || bazel_tests "$sanitizer" --config="$sanitizer" --build_tests_only $tagged
done

section conformance
if bz build //server:stagedoord //client/cli:stagedoor; then
  tests/conformance/conformance.sh --failures 0 --whole --tally="$work/conformance" 2>&1
  status=$?
  if [ -s "$work/conformance" ]; then
    cat "$work/conformance" >>"$tally"
  elif [ "$status" != 0 ]; then
    echo "conformance 0 1" >>"$tally"
  fi
  # The scene we ship, against what OpenUSD said about it; and the demo as a user runs it.
  check demo-scene tests/conformance/conformance.sh --cases tests/data --golden tests/data/golden
  # Cases of our own, with what OpenUSD said about them.
  check own-cases tests/conformance/conformance.sh --cases tests/conformance/own/cases
  check demo tools/with_daemon.sh tools/demo.sh
else
  echo "conformance 0 1" >>"$tally"
fi

section lint
check format tools/lint.sh --only format
check words tools/lint.sh --only words
check layers tools/lint.sh --only layers
check generated tools/lint.sh --only generated
# Reported, not counted: findings of before the configuration was agreed on are being worked off.
tools/lint.sh --only tidy

section summary
cat "$work/failures" 2>/dev/null  # again: who reads only the end of this output wants to know
awk '{ printf "%-12s %6d passed %6d failed\n", $1, $2, $3; p += $2; f += $3 }
     END { printf "\n%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }' "$tally"
