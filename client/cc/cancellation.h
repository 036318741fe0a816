#ifndef STAGEDOOR_CLIENT_CC_CANCELLATION_H_
#define STAGEDOOR_CLIENT_CC_CANCELLATION_H_

#include <cstdint>
#include <functional>
#include <memory>

namespace stagedoor {

// Cancels the calls that were started with it; they end with CANCELLED. Thread-safe.
//
//   auto cancellation = std::make_shared<stagedoor::Cancellation>();
//   client->BatchGetValuesAsync(request, callback, {.cancellation = cancellation});
//   …
//   cancellation->Cancel();
class Cancellation {
 public:
  Cancellation();
  ~Cancellation();
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Has no effect on calls that have ended. Calls that are started later end at once. The callbacks
  // of some calls run on the calling thread, so do not hold a lock that they need.
  void Cancel();
  bool cancelled() const;

 private:
  friend class CancellationHook;
  struct State;

  const std::unique_ptr<State> state_;
};

// Registers a function that a Cancellation runs, at once if it is cancelled already. The function
// may still be running after the hook was destroyed, so it must own what it uses.
class CancellationHook {
 public:
  // `cancellation` may be null.
  CancellationHook(std::shared_ptr<Cancellation> cancellation, std::function<void()> fn);
  ~CancellationHook();
  CancellationHook(const CancellationHook&) = delete;
  CancellationHook& operator=(const CancellationHook&) = delete;

 private:
  const std::shared_ptr<Cancellation> cancellation_;
  uint64_t id_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_CANCELLATION_H_
