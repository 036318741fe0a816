#include "server/stages/client_places.h"

#include <utility>

#include "base/request_scope.h"
#include "base/status.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

absl::Status Refusal(const absl::Status& status, std::string_view budget) {
  return WithReason(status, v1::ERROR_REASON_BUDGET_EXHAUSTED, {{"budget", budget}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<ClientPlaces::Place>> ClientPlaces::Admit(std::string_view client) {
  std::string name(client);
  MutexLock lock(mu_);
  if (count_ >= options_.max) {
    return Refusal(ResourceExhaustedError("the daemon already serves its limit of ", options_.max,
                                          " ", options_.calls, " (--max-watches); try again later"),
                   options_.budget);
  }
  const auto known = counts_.find(name);
  if (known != counts_.end() && known->second >= options_.max_per_client) {
    return Refusal(
        ResourceExhaustedError("the client already has its limit of ", options_.max_per_client, " ",
                               options_.calls, " (--max-watches-per-client); end some first"),
        Concat(options_.budget, " of the client"));
  }
  const RequestMemoryExemption exempt;  // what is counted must have a place, and vice versa
  auto place = std::make_unique<Place>(*this, name);
  ++counts_[std::move(name)];
  ++count_;
  return place;
}

void ClientPlaces::Remove(const std::string& client) {
  MutexLock lock(mu_);
  --count_;
  const auto count = counts_.find(client);
  if (--count->second == 0) counts_.erase(count);
}

size_t ClientPlaces::size() const {
  MutexLock lock(mu_);
  return count_;
}

}  // namespace stagedoor::server
