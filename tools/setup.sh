#!/usr/bin/env bash
# Installs the packages in packages.txt that are missing, as root or with sudo.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p' | sort -u)
missing=$(comm -23 <(grep -v '^#' packages.txt | sort -u) <(printf '%s\n' "$installed"))
[ -n "$missing" ] || exit 0

as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086  # one word per package
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
    -o Acquire::Retries=3 "$@" </dev/null >"$log" 2>&1
}
install() { apt install --no-install-recommends $missing; }

echo "setup: installing" $missing
# The package lists may be missing or outdated: fetch them, but only after a first attempt has failed.
if ! install && ! { apt update && install; }; then
  echo "setup: apt-get failed:" >&2
  grep -E '^(E|W|Err)' "$log" | sed -E 's#[a-z+]+://[^ ]*#<mirror>#g' | tail -20 >&2
  exit 1
fi
