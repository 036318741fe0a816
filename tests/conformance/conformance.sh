#!/usr/bin/env bash
# conformance.sh [--embedded] [--update] [OPTIONS OF run.py]: runs the shared corpus's run.py against
# one daemon. For the corpus's own cases the result is compared with passing.txt; other case folders
# (--cases) are only run. --update, --whole and --tally=FILE are passed to ratchet.py.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
shared=${STAGEDOOR_SHARED:-$here/../../../shared}

embedded=${STAGEDOOR_EMBEDDED:-0} own_cases=1 json= ratchet_options=() options=()
while [ $# -gt 0 ]; do
  case $1 in
    --embedded) embedded=1 ;;
    --update | --whole | --tally=*) ratchet_options+=("$1") ;;
    --json) json=$2; shift ;;
    --json=*) json=${1#*=} ;;
    --cases | --cases=* | --golden | --golden=*) own_cases=0; options+=("$1") ;;
    *) options+=("$1") ;;
  esac
  shift
done
run_py=$shared/conformance/run.py
if [ ! -f "$run_py" ]; then
  echo "conformance: skipped: no corpus at $shared/conformance"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
json=${json:-$work/results.json}
options+=(--json "$json")
rm -f "$json"
run=(python3 "$run_py" --command "${STAGEDOOR:?the path of the command}" ${options[@]+"${options[@]}"})
if [ "$embedded" = 1 ]; then
  export STAGEDOOR_EMBEDDED=1
else
  unset STAGEDOOR_EMBEDDED
  run=("$here/../../tools/with_daemon.sh" "${run[@]}")
fi

status=0
"${run[@]}" || status=$?
# run.py exits with 0 or 1; other statuses are problems with the daemon or the command line.
if [ "$own_cases" = 0 ] || [ "$status" -gt 1 ] || [ ! -s "$json" ]; then
  exit "$status"
fi
python3 "$here/ratchet.py" "$json" ${ratchet_options[@]+"${ratchet_options[@]}"} >&2
