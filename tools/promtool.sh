#!/usr/bin/env bash
# Prints the path of promtool, which checks queries and alerts of Prometheus: the installed one, or that of Debian's package in the
# cache. The package is unpacked and not installed, because it would start a server. Exits with status 1 if it cannot be had.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

if command -v promtool; then exit; fi
folder=$cache/promtool
if [ ! -x "$folder/usr/bin/promtool" ]; then
  work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && chmod 755 "$work"
  (cd "$work" && timeout 120 apt-get -q download prometheus && rm -rf "$folder" && dpkg -x prometheus_*.deb "$folder") \
    </dev/null >/dev/null 2>&1
fi
[ -x "$folder/usr/bin/promtool" ] && echo "$folder/usr/bin/promtool"
