#!/usr/bin/env bash
# Runs all checks of the project in order; each appends a line 'NAME PASSED FAILED' to the tally. The
# last line of the output is their sum. The exit status is 0 if all passed.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

# The tests connect to daemons and web servers of this machine, which a proxy cannot reach.
export no_proxy="127.0.0.1,localhost${no_proxy:+,$no_proxy}" NO_PROXY="127.0.0.1,localhost${NO_PROXY:+,$NO_PROXY}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tally=$work/tally
: >"$tally"

section() { printf '\n== %s (after %d s)\n' "$*" "$SECONDS"; }

# Steps are the calls of check and bazel_tests, and the conformance corpus. How long each took in the last run, in lines
# 'NAME SECONDS', tells how much time is left. Those that are done are in $work/steps in the same form.
times=$cache/test-times
steps=$(grep -cE '^ *(check|bazel_tests|begin_step) [a-z]' tools/test.sh)
: >"$work/steps"

# begin_step NAME: sets what tools/progress.py shows.
begin_step() {
  local done
  done=$(wc -l <"$work/steps")
  export STAGEDOOR_PROGRESS_NAME=$1 STAGEDOOR_STEP="step $((done + 1)) of $steps" STAGEDOOR_STEP_TIME='' STAGEDOOR_LATER_TIME=''
  [ -s "$times" ] || return 0
  STAGEDOOR_STEP_TIME=$(awk -v step="$1" '$1 == step { print $2 }' "$times")
  STAGEDOOR_LATER_TIME=$(awk -v step="$1" 'FILENAME == ARGV[1] { done[$1] = 1; next } $1 != step && !($1 in done) { sum += $2 }
    END { print sum + 0 }' "$work/steps" "$times")
}

# end_step NAME BEGIN: steps beside others take no time of their own.
end_step() {
  local took=$((SECONDS - $2))
  [ "${STAGEDOOR_PROGRESS:-}" != none ] || took=0
  echo "$1 $took" >>"$work/steps"
}

# bazel_tests NAME OPTIONS: runs tests and counts their test cases.
bazel_tests() {
  local name=$1 status=0 begin=$SECONDS
  shift
  section "$name"
  begin_step "$name"
  bz test "${test_options[@]}" --build_event_json_file="$work/$name.json" "$@" || status=$?
  python3 tools/test_report.py --name "$name" --status "$status" --tally "$tally" \
    --failures "$work/failures" "$work/$name.json"
  end_step "$name" "$begin"
}

# check NAME COMMAND: runs a command that counts as one test case.
check() {
  local name=$1
  shift
  local begin=$SECONDS progress=(python3 tools/progress.py "$name")
  [ "$1" != bz ] || progress=()  # which shows it
  begin_step "$name"
  if "${progress[@]}" "$@"; then echo "$name 1 0" >>"$tally"; else echo "$name 0 1" >>"$tally"; fi
  printf '%s took %d s\n' "$name" $((SECONDS - begin))
  end_step "$name" "$begin"
}

# Checks that wait most of the time. They run beside the sanitizers, whose builds need all cores.
waiting_checks() {
  # Queries while the servers of assets fail.
  check faults tests/remote/fault_matrix.py
  # The Python package, with the newest and the oldest versions of its dependencies.
  check python-sdk tools/python_sdk_test.sh
  # Images of frames, beside those of what OpenUSD computes; prints why if it is skipped.
  check render-example tools/render_example_test.sh
  # A client of the query socket in Go; prints why if it is skipped.
  check query-client tools/query_client_test.sh
}

section oracle
find_test_options

# Tests that run under AddressSanitizer run only there, and the targets that only they need are built only there:
# docs/decisions/one-configuration.md.
bazel_tests tests --build_tests_only --build_tag_filters=-asan --test_tag_filters=-asan //...
STAGEDOOR_MOTO_PYTHON=$(tools/moto.sh || true)
export STAGEDOOR_MOTO_PYTHON
programs=
begin_step programs
if bz build //server:stagedoord //client/cli:stagedoor; then
  programs=built
  STAGEDOOR_PROGRESS=none waiting_checks >"$work/waiting" 2>&1 &
fi
# Also those that no test runs, such as benchmarks.
# shellcheck disable=SC2046  # one word per target
check programs bz build $(bazel query 'kind("cc_binary rule", //...)' 2>/dev/null)
tagged() { bazel query --keep_going "attr(tags, '\\b$1\\b', tests(//...))" 2>/dev/null; }
# shellcheck disable=SC2046  # one word per target
bazel_tests asan --config=asan --build_tests_only $(tagged asan)
# shellcheck disable=SC2046  # one word per target
bazel_tests tsan --config=tsan --build_tests_only $(tagged tsan)

section conformance
if [ -n "$programs" ]; then
  begin_step conformance
  begin=$SECONDS
  python3 tools/progress.py conformance \
    tests/conformance/conformance.sh --failures 0 --whole --tally="$work/conformance" 2>&1
  status=$?
  end_step conformance "$begin"
  if [ -s "$work/conformance" ]; then
    cat "$work/conformance" >>"$tally"
  elif [ "$status" != 0 ]; then
    echo "conformance 0 1" >>"$tally"
  fi
  # Compares the scene in tests/data with recorded results of OpenUSD.
  check demo-scene tests/conformance/conformance.sh --cases tests/data --golden tests/data/golden
  # Compares the project's own cases with recorded results of OpenUSD.
  check own-cases tests/conformance/conformance.sh --cases tests/conformance/own/cases
  # The shared cases over a web server and over S3.
  check conformance-http tests/remote/remote_conformance.py http --failures 20
  check conformance-s3 tests/remote/remote_conformance.py s3 --failures 20
  # The installed C and C++ library, as programs outside of the repository use it.
  check cpp-sdk tools/cpp_sdk_test.sh
  # The plug-in for applications of OpenUSD; prints why if it is skipped.
  check openusd-plugin tools/openusd_plugin_test.sh
  # The files of a release, as those who download them use them.
  check release tools/release_test.sh
  # The container image, and manifests for those who run it.
  check image tests/deploy/image_test.py
  check systemd tests/deploy/systemd_test.py
  # The addresses of those files, in networks with IPv4, IPv6 and both.
  check dual-stack tests/deploy/dual_stack_test.py
  if deploy_python=$(tools/deploy_python.sh); then
    check manifests env KUSTOMIZE="$(tools/kustomize.sh || true)" PROMTOOL="$(tools/promtool.sh || true)" \
      "$deploy_python" tests/deploy/manifests_test.py
  else
    echo "manifests: skipped: cannot install kubernetes-validate and compose-spec; deploy/ is not checked"
  fi
  # Several daemons behind a proxy, which are killed and upgraded while clients use them.
  check cluster-rules python3 tools/cluster/verdicts_test.py
  check cluster tools/cluster.sh --load --clients 16
  check cluster-node tools/cluster.sh --node --load --brief --replicas 2 --clients 8
  # The inspector in a browser, which waits for pages for some seconds only, so nothing else runs beside it.
  check inspector tools/inspector_test.sh
  # Runs the demo as a user does.
  check demo tools/with_daemon.sh tools/demo.sh
else
  echo "conformance 0 1" >>"$tally"
fi

if [ -n "$programs" ]; then
  section beside the sanitizers
  wait
  cat "$work/waiting"
fi

section farm
# The simulator of a render farm; prints why if it is skipped.
check farm-model tools/farm.sh test

section lint
check format tools/lint.sh --only format
check words tools/lint.sh --only words
check docs tools/lint.sh --only docs
check layers tools/lint.sh --only layers
check protos tools/lint.sh --only protos
check generated tools/lint.sh --only generated
check tidy tools/lint.sh --only tidy

[ -z "$programs" ] || cp "$work/steps" "$times"  # for the next run

section summary
cat "$work/failures" 2>/dev/null  # again, for readers of only the end of the output
awk '{ printf "%-12s %6d passed %6d failed\n", $1, $2, $3; p += $2; f += $3 }
     END { printf "\n%d passed, %d failed\n", p, f; exit f > 0 || p == 0 }' "$tally"
