#!/usr/bin/env bash
# with_daemon.sh COMMAND...: runs COMMAND while a stagedoord is listening on a free loopback port; its
# address is in STAGEDOOR_ADDRESS. Exits with the status of COMMAND, or with 70 if the daemon did not
# start or did not exit cleanly.
set -uo pipefail
: "${STAGEDOORD:?the path of the daemon}"
work=$(mktemp -d)
daemon=
stop() {
  [ -z "$daemon" ] || kill -KILL "$daemon" 2>/dev/null
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

"$STAGEDOORD" --address=127.0.0.1:0 --address-file="$work/address" ${STAGEDOORD_FLAGS:-} \
  </dev/null >"$work/log" 2>&1 &
daemon=$!
for _ in $(seq 200); do
  [ -s "$work/address" ] && break
  kill -0 "$daemon" 2>/dev/null || break
  sleep 0.05
done
if [ ! -s "$work/address" ]; then
  echo "with_daemon: stagedoord did not start:" >&2
  tail -20 "$work/log" >&2
  exit 70
fi
STAGEDOOR_ADDRESS=$(head -n 1 "$work/address")
export STAGEDOOR_ADDRESS

"$@"
status=$?

if ! kill -0 "$daemon" 2>/dev/null; then
  echo "with_daemon: stagedoord exited unexpectedly:" >&2
  tail -20 "$work/log" >&2
  exit 70
fi
kill -TERM "$daemon"
for _ in $(seq 200); do
  kill -0 "$daemon" 2>/dev/null || break
  sleep 0.05
done
if kill -0 "$daemon" 2>/dev/null; then
  echo "with_daemon: stagedoord did not stop within 10 s" >&2
  exit 70
fi
wait "$daemon"
ended=$?
daemon=
if [ "$ended" != 0 ]; then
  echo "with_daemon: stagedoord exited with status $ended" >&2
  tail -20 "$work/log" >&2
  exit 70
fi
exit "$status"
