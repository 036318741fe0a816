#!/usr/bin/env bash
# Tests the installed C and C++ library: installs it in a temporary folder, builds the programs of tests/sdk against it with
# CMake and pkg-config, and runs them with a daemon; checks what the library exports, and that a second install and a moved
# folder are the same; runs the commands of docs/tasks.md. STAGEDOORD and STAGEDOOR name the daemon and the command, by
# default those of ./dev build.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-} command=${STAGEDOOR:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
STAGEDOOR=$(readlink -f "${command:-$STAGEDOOR}")
export STAGEDOORD STAGEDOOR

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
fail() { echo "cpp-sdk: $*"; status=1; }

./dev install "$work/first" && ./dev install "$work/second" && ./dev install "$work/second" || exit 1
diff -r "$work/first" "$work/second" || fail "a second install differs from the first"
mv "$work/second" "$work/moved"
rm -rf "$work/first"

tests/sdk/symbols.py "$work/moved/lib/libstagedoor.so.1" "$work/moved/include/stagedoor.h" \
  "$work/moved/include/stagedoor/c_types.h" "$work/moved/include/stagedoor/c_frames.h" || status=1
leaked=$(grep -rnE '#include "(base|client|server|scene)/' "$work/moved/include")
[ -z "$leaked" ] || fail "installed headers include others of the repository: $leaked"

tests/sdk/guide.py source docs/cpp.md >"$work/guide.cc" && tests/sdk/guide.py source docs/tasks.md >"$work/tasks.cc" || exit 1
cmake -S tests/sdk -B "$work/build" -DCMAKE_PREFIX_PATH="$work/moved" -DGUIDE="$work/guide.cc" -DTASKS="$work/tasks.cc" \
  -DCMAKE_INSTALL_RPATH="$work/moved/lib" >"$work/log" 2>&1 && cmake --build "$work/build" --parallel 2 >"$work/log" 2>&1 ||
  { tail -40 "$work/log"; exit 1; }
# shellcheck disable=SC2046  # one word per flag
gcc -std=c11 -Wall -Wextra -Wpedantic -Werror tests/sdk/client.c -o "$work/build/client_pkg_config" \
  $(PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" pkg-config --cflags --libs stagedoor-c) \
  -Wl,-rpath,"$work/moved/lib" || fail "client.c cannot be built with pkg-config"
PKG_CONFIG_PATH="$work/moved/lib/pkgconfig" pkg-config --exists --print-errors stagedoor || fail "stagedoor.pc is not usable"

tools/with_daemon.sh tests/sdk/run.sh "$work/build" || status=1
exit "$status"
