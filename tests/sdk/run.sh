#!/usr/bin/env bash
# run.sh PROGRAMS GUIDE: runs the programs of this folder, built in PROGRAMS, with the daemon at STAGEDOOR_ADDRESS.
# GUIDE: the page that the program guide was made from.
set -uo pipefail
programs=$1 guide=$2
here=$(dirname "$(readlink -f "$0")")
SCENES=$(readlink -f "$here/../data")
export SCENES
status=0
"$programs/client" || { echo "cpp-sdk: client.c failed"; status=1; }
[ ! -x "$programs/client_pkg_config" ] || "$programs/client_pkg_config" ||
  { echo "cpp-sdk: client.c failed as built with pkg-config"; status=1; }
"$programs/surface" || { echo "cpp-sdk: surface.cc failed"; status=1; }
"$programs/guide" >"$programs/guide.out" || { echo "cpp-sdk: the examples of $guide exited with an error"; status=1; }
"$here/guide.py" check "$guide" <"$programs/guide.out" || status=1
exit "$status"
