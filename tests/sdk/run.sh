#!/usr/bin/env bash
# run.sh PROGRAMS: runs the programs of this folder, built in PROGRAMS, and the commands of docs/tasks.md with the daemon
# at STAGEDOOR_ADDRESS. STAGEDOOR names the command.
set -uo pipefail
programs=$1
here=$(dirname "$(readlink -f "$0")")
cd "$here/../.." || exit
SCENES=$(readlink -f "$here/../data")
export SCENES
status=0
"$programs/client" || { echo "cpp-sdk: client.c failed"; status=1; }
[ ! -x "$programs/client_pkg_config" ] || "$programs/client_pkg_config" ||
  { echo "cpp-sdk: client.c failed as built with pkg-config"; status=1; }
"$programs/surface" || { echo "cpp-sdk: surface.cc failed"; status=1; }
for page in guide:docs/cpp.md tasks:docs/tasks.md; do
  program=$programs/${page%%:*} page=${page#*:}
  "$program" >"$program.out" || { echo "cpp-sdk: the examples of $page exited with an error"; status=1; }
  "$here/guide.py" check "$page" <"$program.out" || status=1
done
"$here/console.py" docs/tasks.md || status=1
exit "$status"
