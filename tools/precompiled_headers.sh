#!/usr/bin/env bash
# Precompiles the system headers that most sources include, for the configurations asan and tsan, and writes the options
# that use them to .bazel/precompiled.bazelrc, which .bazelrc imports. They halve the time that Clang takes for a source
# without optimization. Without Clang, these configurations cannot be built, and nothing happens.
set -euo pipefail
cd "$(dirname "$(readlink -f "$0")")/.."
source tools/lib.sh
command -v clang >/dev/null || exit 0

headers=(algorithm atomic charconv chrono cmath cstdint cstring filesystem functional future iostream map memory optional
  random shared_mutex span sstream string string_view thread unordered_map utility vector absl/container/flat_hash_map.h
  absl/container/flat_hash_set.h absl/container/inlined_vector.h absl/status/status.h absl/status/statusor.h
  absl/strings/str_cat.h absl/synchronization/mutex.h absl/time/clock.h absl/types/span.h google/protobuf/descriptor.pb.h
  google/protobuf/extension_set.h google/protobuf/map.h google/protobuf/message.h grpcpp/grpcpp.h
  grpcpp/impl/service_type.h gtest/gtest.h)

# The options that .bazelrc, Bazel's toolchain and the target of GoogleTest select; Clang rejects precompiled headers of other options.
options=(-std=c++20 -O0 -g1 -fPIC -fno-omit-frame-pointer -fstack-protector -DNDEBUG -DGTEST_HAS_PTHREAD=1)

# Their versions are part of the path, which is all that Bazel knows of them.
key=$({ cat tools/precompiled_headers.sh; toolchain_key; dpkg-query -W 'libabsl*' 'libgtest*' 'libgrpc*' 'libprotobuf*' || true; } \
  2>/dev/null | md5sum | cut -c1-12)
folder=$cache/precompiled-$key

# precompile CONFIGURATION SANITIZER: the file of the configuration, renamed once it is complete.
precompile() {
  local file=$folder/$1.pch
  [ ! -e "$file" ] || return 0
  echo "setup: precompiling headers for the configuration $1"
  # Bazel rejects a source that includes an undeclared file, unless it is a system header, so a file of our own cannot
  # include them all. The header that is named here has been included by then, and adds nothing.
  clang -x c++-header /usr/include/gtest/gtest.h "${headers[@]/#/-include}" "${options[@]}" "-fsanitize=$2" \
    -fpch-instantiate-templates -Xclang -fno-pch-timestamp -o "$file.$$" && mv "$file.$$" "$file"
}

rc=.bazel/precompiled.bazelrc
mkdir -p .bazel
if mkdir -p "$folder" && precompile asan address && precompile tsan thread; then
  for configuration in asan tsan; do
    echo "build:$configuration --cxxopt=-include-pch --cxxopt=$folder/$configuration.pch"
  done >$rc.$$ && mv $rc.$$ $rc
else
  echo "setup: cannot precompile headers; builds with sanitizers take twice as long" >&2
  rm -f $rc
fi
