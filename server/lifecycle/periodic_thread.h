#ifndef STAGEDOOR_SERVER_LIFECYCLE_PERIODIC_THREAD_H_
#define STAGEDOOR_SERVER_LIFECYCLE_PERIODIC_THREAD_H_

#include <chrono>
#include <functional>
#include <thread>

#include "base/mutex.h"

namespace stagedoor::server {

// A thread that calls a function again and again, an interval after its last call has ended.
class PeriodicThread {
 public:
  PeriodicThread(std::chrono::milliseconds interval, std::function<void()> fn);
  // Waits for a call in progress; one more may begin.
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;

 private:
  void Run();

  const std::chrono::milliseconds interval_;
  const std::function<void()> fn_;
  Mutex mu_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LIFECYCLE_PERIODIC_THREAD_H_
