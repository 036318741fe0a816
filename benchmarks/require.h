#ifndef STAGEDOOR_BENCHMARKS_REQUIRE_H_
#define STAGEDOOR_BENCHMARKS_REQUIRE_H_

#include <string_view>

namespace stagedoor::bench {

// Exits with status 1 and the message `what` unless `holds`, since wrong answers are not worth
// timing.
void Require(bool holds, std::string_view what);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_REQUIRE_H_
