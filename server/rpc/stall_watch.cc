#include "server/rpc/stall_watch.h"

#include <algorithm>
#include <vector>

namespace stagedoor {

using Lock = std::lock_guard<std::recursive_mutex>;

void StallWatch::Sent(Sender& sender, Clock::time_point deadline) {
  const Clock::time_point until = std::min(deadline, now_() + patience_);
  const Lock lock(mu_);
  sender.place_ = senders_.insert(senders_.end(), &sender);
  sender.waiting_ = true;
  sender.until_ = until;
}

void StallWatch::Taken(Sender& sender) {
  const Lock lock(mu_);
  if (sender.waiting_) senders_.erase(sender.place_);
  sender.waiting_ = false;
}

void StallWatch::Sweep() {
  const Clock::time_point now = now_();
  const Lock lock(mu_);
  const auto overdue = [now](const Sender* sender) { return sender->until_ <= now; };
  // Begins anew each time, for other senders may be taken meanwhile.
  for (;;) {
    const auto found = std::find_if(senders_.begin(), senders_.end(), overdue);
    if (found == senders_.end()) return;
    Sender& sender = **found;
    Taken(sender);
    ++cut_off_;
    sender.CutOff(patience_);
  }
}

uint64_t StallWatch::cut_off() const {
  const Lock lock(mu_);
  return cut_off_;
}

size_t StallWatch::waiting() const {
  const Lock lock(mu_);
  return senders_.size();
}

}  // namespace stagedoor
