# Sourced by ./dev and by the scripts in this folder, with the root of the repository as the working
# directory.
root=$PWD
cache=${STAGEDOOR_CACHE:-${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/stagedoor}
export STAGEDOORD=$root/.bazel/bin/server/stagedoord
export STAGEDOOR=$root/.bazel/bin/client/cli/stagedoor
export STAGEDOOR_LIBRARY=$root/.bazel/bin/client/sdk/libstagedoor.so.1
export STAGEDOOR_LAUNCHER=$root/.bazel/bin/tools/wheel/launcher

# Compilers and system headers are not declared as inputs of Bazel's actions, so the path of the disk
# cache contains a hash of their versions.
toolchain_key() {
  { g++ --version; clang --version; dpkg-query -W libc6-dev 'libstdc++-*-dev'; } 2>/dev/null |
    md5sum | cut -c1-12
}

disk_cache() { echo "${STAGEDOOR_DISK_CACHE:-$cache/bazel}/$(toolchain_key)"; }

# bz COMMAND ARGS: runs bazel with the disk cache, unless user.bazelrc sets another one. Shows the progress of builds and
# tests, with STAGEDOOR_PROGRESS_NAME or COMMAND before it.
bz() {
  local command=$1
  shift
  local options=()
  if ! grep -qs -- --disk_cache user.bazelrc; then
    options+=("--disk_cache=$(disk_cache)")
  fi
  if [[ $command = build || $command = test ]] && [ "${STAGEDOOR_PROGRESS:-}" != none ]; then
    python3 "$root/tools/progress.py" "${STAGEDOOR_PROGRESS_NAME:-$command}" \
      bazel "$command" --show_progress --curses=no --show_progress_rate_limit=1 ${options[@]+"${options[@]}"} "$@"
  else
    bazel "$command" ${options[@]+"${options[@]}"} "$@"
  fi
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

# The newest versions of what the Python package depends on, and the tools of its tests.
python_sdk_venv() {
  venv python-sdk-new-3 "grpcio==1.85.3" "grpcio-tools==1.85.1" "protobuf==7.36.2" "numpy==2.4.6" \
    "pandas==3.1.1" "pyarrow==26.0.1" "matplotlib==3.11.2" "nbclient==0.11.0" "ipykernel==7.4.0" \
    "starlette==1.10.0" "uvicorn==0.54.0" "httpx==0.28.1" "pytest==9.2.0" "mypy==2.4.1" "ruff==0.17.6" setuptools wheel
}

# python_client [--check]: generates the synchronous part of the Python package. Fails if its tools cannot be installed.
python_client() {
  local folder
  folder=$(venv python-client-1 "unasync==0.6.0" "tokenize-rt==6.2.0" "ruff==0.17.6" setuptools) ||
    { echo "python-client: cannot install unasync and ruff from PyPI"; return 1; }
  "$folder/bin/python" tools/python_client.py "$@"
}

# The environment that builds the wheel of a release, whose bytes depend on these versions.
wheel_venv() { venv wheel-1 "grpcio-tools==1.85.1" "setuptools==84.2.1" "wheel==0.48.0"; }

# python_wheel VENV FOLDER [PAGE]: builds the wheel of the Python package in FOLDER, with the inspector's page if PAGE is the folder
# of tools/inspector_build.sh. The same commit, VENV and PAGE give the same bytes.
python_wheel() {
  local source=$2/source date
  mkdir -p "$source/client"
  cp -r proto "$source/" && cp -r client/python "$source/client/" || return
  rm -rf "$source/client/python/"{build,dist,*.egg-info,stagedoor/_proto/descriptors.binpb,stagedoor/inspect/web}  # of other builds
  [ -z "${3:-}" ] || cp -r "$3" "$source/client/python/stagedoor/inspect/web" || return
  chmod -R u=rwX,go=rX "$source"  # modes are part of the wheel
  date=$(git log -1 --format=%ct 2>/dev/null || echo 0)
  SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$date} "$1/bin/python" -m pip wheel -q --no-deps --no-build-isolation -w "$2" \
    "$source/client/python"
}

# install_python_sdk VENV FOLDER [PAGE]: builds the wheel of the Python package and installs it in FOLDER/site.
install_python_sdk() {
  python_wheel "$1" "$2" "${3:-}" && mkdir -p "$2/site" &&
    "$1/bin/python" -m pip install -q --no-deps --target "$2/site" "$2"/stagedoor-*.whl
}

# The folder in the cache for the packages of npm that the inspector's page needs.
inspector_packages() {
  echo "$cache/inspector-$(cat "$root"/client/inspector/package.json "$root"/client/inspector/package-lock.json | md5sum | cut -c1-12)"
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

# Sets test_options to the options of bazel for tests, with what they need of other programs and of the
# corpus. Says what cannot be had, so that its tests are skipped.
find_test_options() {
  test_options=(--keep_going)
  local oracle grpc_python conformance
  if oracle=$(tools/oracle.sh); then
    echo "oracle: tests compare with the usd-core of $oracle"
    test_options+=("--test_env=STAGEDOOR_ORACLE_PYTHON=$oracle")
  else
    echo "oracle: skipped: cannot install usd-core; the tests that need it are skipped"
  fi

  if grpc_python=$(tools/grpc_python.sh); then
    test_options+=("--test_env=STAGEDOOR_GRPC_PYTHON=$grpc_python")
  else
    echo "reference resolver: skipped: cannot install grpcio and grpcio-tools; its tests are skipped"
  fi

  conformance=${STAGEDOOR_SHARED:-$root/../shared}/conformance
  if [ -d "$conformance/cases" ]; then
    test_options+=("--test_env=STAGEDOOR_CONFORMANCE=$(readlink -f "$conformance")")
  else
    echo "conformance layers: skipped: no corpus at $conformance"
  fi
}
