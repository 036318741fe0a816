#include "server/rpc/stall_watchdog.h"

#include <algorithm>
#include <vector>

namespace stagedoor::server {

using Lock = std::lock_guard<std::recursive_mutex>;

void StallWatchdog::WriteStarted(Writer& writer, Clock::time_point deadline) {
  const Clock::time_point until = std::min(deadline, now_() + timeout_);
  const Lock lock(mu_);
  writer.place_ = writers_.insert(writers_.end(), &writer);
  writer.waiting_ = true;
  writer.until_ = until;
}

void StallWatchdog::WriteDone(Writer& writer) {
  const Lock lock(mu_);
  if (writer.waiting_) writers_.erase(writer.place_);
  writer.waiting_ = false;
}

void StallWatchdog::Sweep() {
  const Clock::time_point now = now_();
  const Lock lock(mu_);
  const auto overdue = [now](const Writer* writer) { return writer->until_ <= now; };
  // Starts over each time, because AbortStalled may remove other writers.
  for (;;) {
    const auto found = std::find_if(writers_.begin(), writers_.end(), overdue);
    if (found == writers_.end()) return;
    Writer& writer = **found;
    WriteDone(writer);
    ++aborted_calls_;
    writer.AbortStalled(timeout_);
  }
}

uint64_t StallWatchdog::aborted_calls() const {
  const Lock lock(mu_);
  return aborted_calls_;
}

size_t StallWatchdog::waiting() const {
  const Lock lock(mu_);
  return writers_.size();
}

}  // namespace stagedoor::server
