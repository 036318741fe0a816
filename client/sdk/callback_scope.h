#ifndef STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_
#define STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_

#include <thread>
#include <utility>

namespace stagedoor::sdk {

// Marks a thread while it runs callbacks of asynchronous calls. A client waits for its calls when it
// is destroyed, so a callback must not destroy it: that takes place on another thread then.
class CallbackScope {
 public:
  CallbackScope() { ++depth_; }
  ~CallbackScope() { --depth_; }
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  // Deletes an object outside of callbacks.
  template <typename T>
  static void Delete(T* object) {
    if (depth_ == 0) {
      delete object;
    } else {
      std::thread([object] { delete object; }).detach();
    }
  }

 private:
  static inline thread_local int depth_ = 0;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_
