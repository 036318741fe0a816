#ifndef STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/mutex.h"
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
  // Counts a call until it is destroyed.
  class Place {
   public:
    Place(StageWatches& owner, std::string client) : owner_(owner), client_(std::move(client)) {}
    ~Place() { owner_.Remove(client_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    StageWatches& owner_;
    const std::string client_;
  };

  explicit StageWatches(Options options) : options_(std::move(options)), timer_(options_.timer) {}

  // Admits a call of a client, by the name that its share of the daemon has (Caller::share).
  // RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED) at a limit.
  absl::StatusOr<std::unique_ptr<Place>> Admit(std::string_view client);

  WakeTimer& timer() { return timer_; }
  size_t size() const;

 private:
  void Remove(const std::string& client);

  const Options options_;
  mutable Mutex mu_;
  std::map<std::string, size_t, std::less<>> counts_ ABSL_GUARDED_BY(mu_);  // by client
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;
  WakeTimer timer_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_WATCHES_H_
