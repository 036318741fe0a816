#!/usr/bin/env bash
# protos.sh [--accept]: checks the protos with `buf lint`, and with `buf breaking` that no change breaks
# clients of proto/baseline.binpb, the API as it was released last. --accept makes the current API the
# baseline: run it for a release, and for a change that is meant to break clients.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

baseline=proto/baseline.binpb
version=1.75.0

# Prints the path of buf, installed from npm into the cache on first use.
buf_program() {
  local folder=$cache/buf-$version
  local program=$folder/node_modules/@bufbuild/buf/bin/buf
  if [ ! -e "$folder/complete" ]; then
    command -v npm >/dev/null || return
    rm -rf "$folder" && mkdir -p "$folder" &&
      timeout 300 npm install --silent --no-audit --no-fund --prefix "$folder" "@bufbuild/buf@$version" \
        >/dev/null 2>&1 </dev/null && "$program" --version >/dev/null && touch "$folder/complete" || return
  fi
  echo "$program"
}

# Runs buf without its cache in the home directory, and without the network.
run_buf() { BUF_CACHE_DIR="$cache/buf-cache" "$buf" "$@"; }

if ! buf=$(buf_program); then
  echo "lint: SKIPPED the protos: buf $version cannot be installed from npm (@bufbuild/buf)"
  exit 0
fi
if [ "${1:-}" = --accept ]; then
  run_buf build --exclude-source-info -o "$baseline"
  exit
fi
status=0
run_buf lint || status=1
if ! run_buf breaking --against "$baseline"; then
  echo "lint: the API breaks clients of $baseline; if that is intended, say so in CHANGELOG.md and run ./dev protos --accept"
  status=1
fi
exit "$status"
