#ifndef STAGEDOOR_RESOLVER_REMOTE_REMOTE_WATCH_H_
#define STAGEDOOR_RESOLVER_REMOTE_REMOTE_WATCH_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace stagedoor {

class ServiceConnection;

// Listens to the changes that a resolver service reports, for as long as it exists. After a lost
// connection it connects again, with backoff, for ever. Uses the threads of gRPC.
class RemoteWatch {
 public:
  // Assets that may have another version now.
  struct Change {
    bool everything = false;         // all that is watched
    std::vector<std::string> paths;  // if not `everything`; only paths that are watched
  };
  // Called on any thread, for one change at a time. Must not block, and not destroy the watch. The
  // first connection is no change; after each later one everything may have changed.
  using Callback = std::function<void(const Change&)>;
  // The paths to watch: resolved paths, and all that begin with one of the prefixes ("asset://").
  struct Filter {
    std::vector<std::string> paths;
    std::vector<std::string> prefixes;
  };

  RemoteWatch(std::shared_ptr<const ServiceConnection> connection, Filter filter,
              Callback callback);
  // Waits until no callback runs; none is called afterwards.
  ~RemoteWatch();
  RemoteWatch(const RemoteWatch&) = delete;
  RemoteWatch& operator=(const RemoteWatch&) = delete;

  // Whether the service reports changes at the moment. False while it cannot be reached, and for
  // ever if it does not support watching: ask it for versions then.
  bool active() const;
  // Whether the service has answered that it does not support watching. Not asked again.
  bool unsupported() const;

 private:
  class State;
  const std::shared_ptr<State> state_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_RESOLVER_REMOTE_REMOTE_WATCH_H_
