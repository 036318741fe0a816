#include "server/lifecycle/periodic_thread.h"

#include <utility>

namespace stagedoor::server {

PeriodicThread::PeriodicThread(std::chrono::milliseconds interval, std::function<void()> fn)
    : interval_(interval), fn_(std::move(fn)), thread_([this] { Run(); }) {}

PeriodicThread::~PeriodicThread() {
  {
    MutexLock lock(mu_);
    stopping_ = true;
    wake_.NotifyAll();
  }
  thread_.join();
}

void PeriodicThread::Run() {
  MutexLock lock(mu_);
  while (!stopping_) {
    wake_.WaitUntil(mu_, std::chrono::steady_clock::now() + interval_);
    fn_();
  }
}

}  // namespace stagedoor::server
