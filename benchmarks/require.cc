#include "benchmarks/require.h"

#include <cstdio>
#include <cstdlib>

namespace stagedoor::bench {

void Require(bool holds, std::string_view what) {
  if (holds) return;
  std::fprintf(stderr, "bench: %.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}

}  // namespace stagedoor::bench
