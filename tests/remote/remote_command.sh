#!/usr/bin/env bash
# remote_command.sh FOLDER URL COMMAND ARGUMENTS: runs the command with URLs instead of the paths of files in a folder, and
# prints its output with paths instead of the URLs: what the corpus's run.py needs to compare scenes that a server holds
# with the same recorded results. The URL stands for the root of the file system ("http://host:port", "s3://bucket").
# Not in Python, which would take longer to start than most commands take.
set -o pipefail
folder=$1 url=$2
shift 2
arguments=()
for argument; do
  case $argument in
    "$folder"/*) argument=$url$argument ;;
  esac
  arguments+=("$argument")
done
"${arguments[@]}" </dev/null | LC_ALL=C sed "s|${url//./\\.}/|/|g"
