#!/usr/bin/env bash
# Tests examples/query_client, a client of the query socket in Go, with a daemon: numbers, texts, arrays in shared memory, errors, and
# more queries than may be in flight. STAGEDOORD names the daemon, by default that of ./dev build. Without Go 1.24 or later, prints a
# line and exits with status 0.
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
daemon=${STAGEDOORD:-}
source tools/lib.sh
STAGEDOORD=$(readlink -f "${daemon:-$STAGEDOORD}")
export STAGEDOORD GOTOOLCHAIN=local GOFLAGS=-mod=readonly

skip() { echo "query-client: skipped: $*"; exit 0; }
fail() { echo "query-client: $*"; exit 1; }
go=$(command -v go || ls /usr/local/go/bin/go 2>/dev/null) || skip "Go is not installed"
(cd examples/query_client && "$go" list >/dev/null 2>&1) || skip "$("$go" version) is too old; Go 1.24 is needed"

work=$(mktemp -d /tmp/sd.XXXXXX)  # short enough for the path of a Unix socket
trap 'rm -rf "$work"' EXIT
(cd examples/query_client && test -z "$("$("$go" env GOROOT)/bin/gofmt" -l .)" && "$go" vet . &&
  "$go" build -o "$work/query_client" .) || fail "the program cannot be built"
lines=$(cat examples/query_client/*.go | wc -l)
[ "$lines" -le 300 ] || fail "the program has $lines lines; 300 are to be enough"

python3 - "$work" <<'PY'
import struct, sys, zlib
numbers = list(range(100000))
with open(f"{sys.argv[1]}/scene.usda", "w") as file:
    file.write('#usda 1.0\ndef "P"\n{\n    double x.timeSamples = { 0: 0, 100: 1000 }\n    int i = -7\n    string s = "a text"\n'
               f'    int[] few = [1, 2]\n    int[] many = {numbers}\n}}\n')
def crc(values):
    return f"{zlib.crc32(struct.pack(f'<{len(values)}i', *values)):08x}"
with open(f"{sys.argv[1]}/expected", "w") as file:
    file.write(f'''/P.x 125
/P.i -7
/P.s "a text"
/P.few int[] of 2, CRC {crc([1, 2])}, shared: false
/P.many int[] of 100000, CRC {crc(numbers)}, shared: true
/P.nothing error: no attribute at '/P.nothing'
''')
    file.write(f"/P.many int[] of 100000, CRC {crc(numbers)}, shared: true\n" * 400)
PY
mapfile -t many < <(yes /P.many | head -400)
export STAGEDOORD_FLAGS="--address=unix:$work/grpc --query-socket=$work/queries"
tools/with_daemon.sh timeout 120 "$work/query_client" "unix:$work/grpc" "$work/scene.usda" 12.5 \
  /P.x /P.i /P.s /P.few /P.many /P.nothing "${many[@]}" >"$work/printed" || fail "the program failed"
diff "$work/expected" "$work/printed" >"$work/difference" || { head -20 "$work/difference"; fail "it prints other values"; }
STAGEDOORD_FLAGS="--address=unix:$work/grpc" tools/with_daemon.sh "$work/query_client" "unix:$work/grpc" "$work/scene.usda" 1 /P.x \
  >/dev/null 2>"$work/error" && fail "it succeeds without a query socket"
grep -q "has no query socket" "$work/error" || fail "it does not say why: $(cat "$work/error")"
