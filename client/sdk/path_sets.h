#ifndef STAGEDOOR_CLIENT_SDK_PATH_SETS_H_
#define STAGEDOOR_CLIENT_SDK_PATH_SETS_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "client/cc/client.h"

namespace stagedoor::sdk {

// The lists of paths that were sent to a daemon, by their fingerprints. A long list is named when
// it is sent for the second time, because most lists are sent once, and referred to by its name
// from then on (QueryService.DefinePaths). Thread-safe.
class PathSets {
 public:
  using Paths = google::protobuf::RepeatedPtrField<std::string>;

  static constexpr int kMinPaths = 1000;  // shorter lists cost less than they would save
  static constexpr size_t kMaxLists = 10'000;

  // Calls `send`, which makes a call with the request that has `paths` and `path_set`: either of
  // them is set meanwhile. Afterwards the request is as before. If the daemon has forgotten the
  // list, it is named again. Errors: those of `send`.
  absl::Status Send(Client& client, const CallOptions& call, Paths* paths, std::string* path_set,
                    const std::function<absl::Status()>& send);

  // Calls `then` with the name of a list, or an empty one if its paths are to be sent. Does not
  // wait: a call that names the list comes first if necessary. The object must exist until then.
  void FindName(Client& client, const CallOptions& call, const Paths& paths,
                std::function<void(const std::string&)> then);
  // Takes note that the daemon has forgotten a list.
  void Forget(const Paths& paths);

 private:
  // The key that identifies a list; empty if it is not to be named.
  std::string KeyOf(const Paths& paths) const;
  // The name of a list; empty if it is to be sent.
  std::string NameOf(Client& client, const CallOptions& call, const std::string& key,
                     const Paths& paths);
  // The name of a list, empty if it is to be sent; nothing if it is to be named now.
  std::optional<std::string> Look(const std::string& key);
  // Takes note of the reply to a call that was to name a list. Returns the name.
  std::string Remember(const std::string& key,
                       const absl::StatusOr<v1::DefinePathsResponse>& reply);

  mutable Mutex mu_;
  bool supported_ ABSL_GUARDED_BY(mu_) = true;
  struct List {
    std::string name;         // empty if it has none yet
    bool is_refused = false;  // it is sent each time
  };
  std::unordered_map<std::string, List> lists_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_PATH_SETS_H_
