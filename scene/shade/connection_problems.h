#ifndef STAGEDOOR_SCENE_SHADE_CONNECTION_PROBLEMS_H_
#define STAGEDOOR_SCENE_SHADE_CONNECTION_PROBLEMS_H_

#include <cstddef>
#include <set>
#include <utility>
#include <vector>

#include "base/request_context.h"
#include "base/reservation.h"
#include "scene/paths/path.h"

namespace stagedoor {

// A connection that leads nowhere.
struct ConnectionProblem {
  enum class Reason {
    kNoSource,  // `source` is missing, or neither an input nor an output
    kCycle,     // the connections from `attribute` lead back to it
    kTooLarge,  // more connections than are followed lead to `attribute`
  };
  Path attribute;
  Path source;  // empty unless kNoSource
  Reason reason;
};

// Collects the first kMax problems of a network, each once.
class ConnectionProblems {
 public:
  static constexpr size_t kMax = 1000;

  explicit ConnectionProblems(RequestContext& context) : reserved_(context) {}

  void Add(const ConnectionProblem& problem) {
    constexpr size_t kBytes = sizeof(ConnectionProblem) + 96;  // with a node of the set
    if (all_.size() == kMax || known_.count({problem.attribute, problem.source}) != 0) return;
    if (!reserved_.Grow(kBytes, "broken connections").ok()) return;
    known_.emplace(problem.attribute, problem.source);
    all_.push_back(problem);
  }

  const std::vector<ConnectionProblem>& all() const { return all_; }

 private:
  Reservation reserved_;
  std::set<std::pair<Path, Path>> known_;
  std::vector<ConnectionProblem> all_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_CONNECTION_PROBLEMS_H_
