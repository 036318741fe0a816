#!/usr/bin/env bash
# conformance.sh [--embedded] [--update] [OPTIONS OF run.py]: run.py of the shared corpus against one
# running daemon. With the corpus's own cases the result is held against passing.txt; other case
# folders (--cases) are only run. --update, --whole and --tally=FILE are ratchet.py's.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
shared=${STAGEDOOR_SHARED:-$here/../../../shared}

embedded=${STAGEDOOR_EMBEDDED:-0} own_cases=1 ratchet_options=() options=()
for arg in "$@"; do
  case $arg in
    --embedded) embedded=1 ;;
    --update | --whole | --tally=*) ratchet_options+=("$arg") ;;
    --cases | --cases=* | --golden | --golden=*) own_cases=0; options+=("$arg") ;;
    --json | --json=*) user_json=1; options+=("$arg") ;;
    *) options+=("$arg") ;;
  esac
done
run_py=$shared/conformance/run.py
if [ ! -f "$run_py" ]; then
  echo "conformance: skipped: there is no corpus at $shared/conformance"
  exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ "$own_cases" = 1 ] && [ -z "${user_json:-}" ]; then
  options+=(--json "$work/results.json")
fi
run=(python3 "$run_py" --command "$STAGEDOOR" ${options[@]+"${options[@]}"})
if [ "$embedded" = 1 ]; then
  export STAGEDOOR_EMBEDDED=1
else
  unset STAGEDOOR_EMBEDDED
  run=("$here/../../tools/with_daemon.sh" "${run[@]}")
fi

status=0
"${run[@]}" || status=$?
[ -f "$work/results.json" ] && [ "$status" -le 1 ] || exit "$status"
exec python3 "$here/ratchet.py" "$work/results.json" ${ratchet_options[@]+"${ratchet_options[@]}"} >&2
