#include "server/lifecycle/idle_watch.h"

#include <utility>

namespace stagedoor::server {

bool IdleWatch::Observe(Time now, const Use& use) {
  const bool called = std::exchange(calls_, use.calls) != use.calls;
  if (!std::exchange(looked_, true) || called || use.open != 0) used_ = now;
  return limit_.count() != 0 && now - used_ >= limit_;
}

}  // namespace stagedoor::server
