#ifndef STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_

#include <cstddef>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/stages/client_places.h"
#include "server/stages/wake_timer.h"

namespace stagedoor::server {

// The limits of WatchStage calls, which last long and do not count as calls in flight while they
// wait, and the timer that keeps the least time between their messages. Thread-safe; outlives the
// calls.
class StageWatches {
 public:
  struct Options {
    size_t max_watches = 10000;
    size_t max_per_client = 1000;
    WakeTimer::Options timer;
  };
  using Place = ClientPlaces::Place;

  explicit StageWatches(const Options& options)
      : places_({.calls = "calls of WatchStage",
                 .budget = "watches",
                 .max = options.max_watches,
                 .max_per_client = options.max_per_client}),
        timer_(options.timer) {}

  // See ClientPlaces::Admit.
  absl::StatusOr<std::unique_ptr<Place>> Admit(std::string_view client) {
    return places_.Admit(client);
  }

  WakeTimer& timer() { return timer_; }
  size_t size() const { return places_.size(); }

 private:
  ClientPlaces places_;
  WakeTimer timer_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_
