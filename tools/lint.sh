#!/usr/bin/env bash
# lint.sh [--all] [--only format|words|docs|layers|protos|generated|tidy]: checks the format of all sources, phrases
# that docs/writing.md rules out, names in the documentation that do not exist, the dependencies between packages, cycles, names
# that are hidden within them, classes of equal names, the protos with buf, generated files, and sources with clang-tidy: for a minute, the latest changes first (--all: without a
# time limit).
set -uo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh

only= tidy_options=(--seconds 60)
while [ $# -gt 0 ]; do
  case $1 in
    --all) tidy_options=() ;;
    --only) only=$2; shift ;;
    *) echo "lint: unknown option $1" >&2; exit 2 ;;
  esac
  shift
done

# Whether a program is installed; prints what to install if not. A check that cannot run has failed.
need() {
  command -v "$1" >/dev/null && return
  echo "lint: $1 is not installed; ./dev setup installs it (the package $1 of Debian)"
  return 1
}

lint_format() {
  need clang-format || return
  # awk counts the findings per file. Other errors, such as an invalid .clang-format, only show in the
  # exit status of clang-format.
  local output status=0
  output=$(sources | xargs -r -d '\n' clang-format --dry-run -Werror 2>&1) || status=$?
  awk -F: '/: (error|warning)/ { places[$1]++ }
           END { for (file in places) { print file ": " places[file] " places; run ./dev format"; bad = 1 }
                 exit bad }' <<<"$output" || return
  [ "$status" = 0 ] || { echo "$output"; return 1; }
}

lint_words() { python3 tools/lint_words.py; }

lint_docs() { python3 tools/check_docs.py; }

lint_layers() {
  python3 tools/check_cycles.py && python3 tools/check_layers.py && python3 tools/check_hidden_names.py && python3 tools/check_class_names.py
}

lint_protos() { tools/protos.sh; }

lint_generated() {
  need clang-format || return
  python3 tools/module_graph.py --check && python3 tools/client_methods.py --check && python_client --check
}

lint_tidy() {
  # Debian's clang-tidy also checks all system headers, which takes five times as long.
  local version=23.1.4 folder
  folder=$(venv "clang-tidy-$version" "clang-tidy==$version") ||
    { echo "lint: cannot install clang-tidy $version from PyPI"; return 1; }
  # Generated headers must exist.
  bz build --output_groups=compilation_prerequisites_INTERNAL_ //... 2>&1 | grep -E 'ERROR' && return 1
  compile_commands >/dev/null || return
  PATH=$(echo "$folder"/lib/python*/site-packages/clang_tidy/data/bin):$PATH \
    python3 tools/tidy.py --cache "$cache/tidy-$version" ${tidy_options[@]+"${tidy_options[@]}"}
}

status=0
for check in format words docs layers protos generated tidy; do
  [ -z "$only" ] || [ "$only" = "$check" ] || continue
  if "lint_$check"; then echo "lint: $check ok"; else echo "lint: $check FAILED"; status=1; fi
done
exit "$status"
