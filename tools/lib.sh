# Sourced by ./dev and by the scripts in this folder, with the root of the repository as the working
# directory.
root=$PWD
cache=${STAGEDOOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/stagedoor}
export STAGEDOORD=$root/.bazel/bin/server/stagedoord
export STAGEDOOR=$root/.bazel/bin/client/cli/stagedoor

# Compilers and system headers are not declared as inputs of Bazel's actions, so the path of the disk
# cache contains a hash of their versions.
toolchain_key() {
  { g++ --version; clang --version; dpkg-query -W libc6-dev 'libstdc++-*-dev'; } 2>/dev/null |
    md5sum | cut -c1-12
}

disk_cache() { echo "${STAGEDOOR_DISK_CACHE:-$cache/bazel}/$(toolchain_key)"; }

# bz COMMAND ARGS: runs bazel with the disk cache, unless user.bazelrc sets another one.
bz() {
  local command=$1
  shift
  local options=()
  if ! grep -qs -- --disk_cache user.bazelrc; then
    options+=("--disk_cache=$(disk_cache)")
  fi
  bazel "$command" ${options[@]+"${options[@]}"} "$@"
}

build_binaries() {
  tools/setup.sh
  bz build //server:stagedoord //client/cli:stagedoor
}

# Lists all sources that clang-format checks.
sources() { git ls-files '*.cc' '*.h' '*.proto'; }

compile_commands() {
  BAZEL=bazel python3 tools/compile_commands.py
}

# venv NAME PACKAGES: the folder of the virtual environment NAME in the cache, made with the packages of
# PyPI on first use, for the Python that VENV_PYTHON names or that of the system. Fails if it cannot be made.
venv() {
  local folder=$cache/$1
  shift
  if [ ! -e "$folder/complete" ]; then
    rm -rf "$folder" && mkdir -p "$cache" && "${VENV_PYTHON:-/usr/bin/python3}" -m venv "$folder" >/dev/null 2>&1 &&
      timeout 300 "$folder/bin/python" -m pip install -q --retries 1 --timeout 20 --only-binary :all: \
        "$@" </dev/null >/dev/null 2>&1 && touch "$folder/complete" || return
  fi
  echo "$folder"
}
