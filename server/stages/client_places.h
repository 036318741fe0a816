#ifndef STAGEDOOR_SERVER_STAGES_CLIENT_PLACES_H_
#define STAGEDOOR_SERVER_STAGES_CLIENT_PLACES_H_

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/mutex.h"

namespace stagedoor::server {

// Counts calls that last long, such as those of WatchStage, against a limit for all of them and one
// for each client. They do not count as calls in flight while they wait. Thread-safe; outlives the
// calls.
class ClientPlaces {
 public:
  struct Options {
    std::string_view calls;   // their name in error messages: "calls of WatchStage"
    std::string_view budget;  // their name in the details of errors: "watches"
    size_t max = 10000;
    size_t max_per_client = 1000;
  };
  // Counts a call until it is destroyed.
  class Place {
   public:
    Place(ClientPlaces& owner, std::string client) : owner_(owner), client_(std::move(client)) {}
    ~Place() { owner_.Remove(client_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    ClientPlaces& owner_;
    const std::string client_;
  };

  explicit ClientPlaces(const Options& options) : options_(options) {}

  // Admits a call of a client, by the name that its share of the daemon has (Caller::share).
  // RESOURCE_EXHAUSTED (BUDGET_EXHAUSTED) at a limit.
  absl::StatusOr<std::unique_ptr<Place>> Admit(std::string_view client);

  size_t size() const;

 private:
  void Remove(const std::string& client);

  const Options options_;
  mutable Mutex mu_;
  std::map<std::string, size_t, std::less<>> counts_ ABSL_GUARDED_BY(mu_);  // by client
  size_t count_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_CLIENT_PLACES_H_
