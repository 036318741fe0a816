#!/usr/bin/env bash
# Prints the packages of packages.txt that are missing, and installs them, as root or with sudo. Asks nothing.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")"

installed=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii *//p' | sort -u)
missing=$(comm -23 <(grep -v '^#' packages.txt | sort -u) <(printf '%s\n' "$installed"))
[ -n "$missing" ] || exit 0

# shellcheck disable=SC2086  # one word per package
set -- $missing
echo "setup: installing $# packages of the distribution: $*"

# Nothing is asked: not for a password, and neither packages nor what restarts services may do so.
as_root=()
[ "$(id -u)" = 0 ] || as_root=(sudo -n)
if [ ${#as_root[@]} != 0 ] && ! "${as_root[@]}" true 2>/dev/null; then
  echo "setup: this needs root, or sudo without a password; run: sudo tools/setup.sh" >&2
  exit 1
fi
log=$(mktemp)
watcher=
trap '[ -z "$watcher" ] || kill "$watcher" 2>/dev/null; rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive APT_LISTCHANGES_FRONTEND=none NEEDRESTART_SUSPEND=1 apt-get -q -y \
    -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 -o DPkg::Options::=--force-confdef -o DPkg::Options::=--force-confold \
    "$@" </dev/null >"$log" 2>&1
}
install() { apt install --no-install-recommends $missing; }

# Prints a line a minute, with the packages that are unpacked and set up, of those that apt-get has chosen.
watch_log() {
  local total done
  while sleep 60 >/dev/null 2>&1; do
    total=$(sed -n 's/.* \([0-9]*\) newly installed.*/\1/p' "$log" | tail -n 1)
    done=$(grep -cE '^(Unpacking|Setting up) ' "$log" || true)
    if [ "${total:-0}" -gt 0 ]; then
      echo "setup: $((done / 2)) of $total packages installed, dependencies included"
    else
      echo "setup: reading the lists of packages"
    fi
  done
}
watch_log &
watcher=$!

# The package lists may be missing or outdated: fetch them, but only after a first attempt has failed.
if ! install && ! { apt update && install; }; then
  echo "setup: apt-get failed:" >&2
  grep -E '^(E|W|Err)' "$log" | sed -E 's#[a-z+]+://[^ ]*#<mirror>#g' | tail -20 >&2
  exit 1
fi
