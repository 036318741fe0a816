#ifndef STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_
#define STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_

#include <thread>

namespace stagedoor::sdk {

// Marks a thread while it runs callbacks of asynchronous calls. A client waits for its calls when
// it is destroyed, so a callback must not destroy it: that takes place on another thread then.
class CallbackScope {
 public:
  CallbackScope();
  ~CallbackScope();
  CallbackScope(const CallbackScope&) = delete;
  CallbackScope& operator=(const CallbackScope&) = delete;

  // Whether the calling thread is marked.
  static bool active();

  // Deletes an object outside of callbacks.
  template <typename T>
  static void Delete(T* object) {
    if (active()) {
      std::thread([object] { delete object; }).detach();
    } else {
      delete object;
    }
  }
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_CALLBACK_SCOPE_H_
