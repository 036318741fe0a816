#ifndef STAGEDOOR_SERVER_STAGES_REQUEST_ID_TABLE_H_
#define STAGEDOOR_SERVER_STAGES_REQUEST_ID_TABLE_H_

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace stagedoor::server {

// A request that a client may send again, for example after a lost connection.
struct RepeatableRequest {
  std::string id;           // empty: the request is not to be recognized
  std::string fingerprint;  // of its content
};

// The results of requests that were carried out, by their request_id, so that a repeated request
// returns its result instead of being carried out again. Thread-safe.
class RequestIdTable {
 public:
  using Clock = std::chrono::steady_clock;
  struct Options {
    Clock::duration ttl = std::chrono::minutes(10);
    size_t max_entries = 20000;  // the oldest are forgotten first
    std::function<Clock::time_point()> now = Clock::now;
  };

  explicit RequestIdTable(Options options) : options_(std::move(options)) {}

  // The result of `request` if it was carried out. INVALID_ARGUMENT (INVALID_FIELD) if another
  // request had its ID.
  absl::StatusOr<std::optional<std::string>> Find(const RepeatableRequest& request);

  // Remembers the result of a request, and returns it. If the same request was carried out at the
  // same time, returns that result instead.
  absl::StatusOr<std::string> Add(const RepeatableRequest& request, std::string result);

  // A request that was carried out.
  struct Done {
    RepeatableRequest request;
    std::string result;
  };
  // All that are remembered, oldest first.
  std::vector<Done> All() const;

  // Forgets a result that no client will ask for again.
  void Forget(const std::string& id);

  size_t size() const;

 private:
  struct Entry {
    std::string fingerprint;
    std::string result;
    Clock::time_point added;
  };

  // The entry of the request, or null.
  absl::StatusOr<const Entry*> Look(const RepeatableRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropOld() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const Options options_;
  mutable Mutex mu_;
  std::unordered_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mu_);
  // The IDs with the times at which they were added, oldest first; may name forgotten entries.
  std::deque<std::pair<Clock::time_point, std::string>> order_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_REQUEST_ID_TABLE_H_
