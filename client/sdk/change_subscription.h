#ifndef STAGEDOOR_CLIENT_SDK_CHANGE_SUBSCRIPTION_H_
#define STAGEDOOR_CLIENT_SDK_CHANGE_SUBSCRIPTION_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "client/sdk/stage_changes.h"  // IWYU pragma: export
#include "client/sdk/watch_options.h"  // IWYU pragma: export

namespace stagedoor::sdk {

class StageSession;
class WatchListener;

// Calls a function for the changes of a stage, on a thread of its own, until it is stopped or
// destroyed. Continues as Watch does. To be used by one thread; the function may stop or destroy it
// as well.
class ChangeSubscription {
 public:
  // May block and use the stage: then what changes meanwhile is reported together.
  using Callback = std::function<void(const StageChanges&)>;

  ~ChangeSubscription();
  ChangeSubscription(ChangeSubscription&&) noexcept;
  ChangeSubscription& operator=(ChangeSubscription&&) = delete;

  // Whether the function may still be called.
  bool active() const;
  // Ends the subscription. Afterwards the function is not called any more, and is not running,
  // except if it called Stop itself. Returns the error that ended the subscription before, if any.
  absl::Status Stop();

 private:
  friend class Stage;
  ChangeSubscription(std::shared_ptr<StageSession> session, std::string since,
                     const WatchOptions& options, Callback callback);

  std::shared_ptr<WatchListener> listener_;  // null after a move
  std::thread thread_;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CHANGE_SUBSCRIPTION_H_
