#include "client/sdk/path_sets.h"

#include <utility>

#include "base/fingerprinter.h"
#include "client/cc/error_reason.h"

namespace stagedoor::sdk {

std::string PathSets::KeyOf(const Paths& paths) const {
  if (paths.size() < kMinPaths) return {};
  {
    MutexLock lock(mu_);
    if (!supported_) return {};
  }
  Fingerprinter fingerprinter;
  for (const std::string& path : paths) fingerprinter.Add(path);
  return fingerprinter.Finish();
}

std::optional<std::string> PathSets::Look(const std::string& key) {
  MutexLock lock(mu_);
  const auto known = lists_.find(key);
  if (known == lists_.end()) {
    if (lists_.size() >= kMaxLists) lists_.clear();
    lists_.emplace(key, List());
    return std::string();
  }
  const List& list = known->second;
  if (list.is_refused || !list.name.empty()) return list.name;
  return std::nullopt;
}

std::string PathSets::Remember(const std::string& key,
                               const absl::StatusOr<v1::DefinePathsResponse>& reply) {
  MutexLock lock(mu_);
  if (absl::IsUnimplemented(reply.status())) supported_ = false;
  List& list = lists_[key];
  list.name = reply.ok() ? reply->path_set() : std::string();
  // If the daemon cannot be reached, the call that follows says so.
  list.is_refused = !reply.ok() && !absl::IsUnavailable(reply.status()) &&
                    !absl::IsDeadlineExceeded(reply.status()) && !absl::IsCancelled(reply.status());
  return list.name;
}

std::string PathSets::NameOf(Client& client, const CallOptions& call, const std::string& key,
                             const Paths& paths) {
  if (std::optional<std::string> known = Look(key)) return *std::move(known);
  v1::DefinePathsRequest request;
  *request.mutable_paths() = paths;
  return Remember(key, client.DefinePaths(request, call));
}

void PathSets::FindName(Client& client, const CallOptions& call, const Paths& paths,
                        std::function<void(const std::string&)> then) {
  const std::string key = KeyOf(paths);
  if (key.empty()) return then("");
  if (const std::optional<std::string> known = Look(key)) return then(*known);
  v1::DefinePathsRequest request;
  *request.mutable_paths() = paths;
  client.DefinePathsAsync(
      request,
      [this, key, then = std::move(then)](const absl::StatusOr<v1::DefinePathsResponse>& reply) {
        then(Remember(key, reply));
      },
      call);
}

void PathSets::Forget(const Paths& paths) {
  const std::string key = KeyOf(paths);
  MutexLock lock(mu_);
  if (const auto known = lists_.find(key); known != lists_.end()) known->second.name.clear();
}

absl::Status PathSets::Send(Client& client, const CallOptions& call, Paths* paths,
                            std::string* path_set, const std::function<absl::Status()>& send) {
  constexpr int kAttempts = 3;
  const std::string key = KeyOf(*paths);
  for (int i = 0; i < kAttempts && !key.empty(); ++i) {
    *path_set = NameOf(client, call, key, *paths);
    if (path_set->empty()) break;
    Paths kept;
    kept.Swap(paths);
    absl::Status status = send();
    paths->Swap(&kept);
    path_set->clear();
    if (ErrorReason(status) != "PATH_SET_UNKNOWN") return status;
    MutexLock lock(mu_);
    lists_[key].name.clear();
  }
  return send();
}

}  // namespace stagedoor::sdk
