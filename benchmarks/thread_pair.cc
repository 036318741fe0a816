#include "benchmarks/thread_pair.h"

namespace stagedoor::bench {

ThreadPair::~ThreadPair() {
  if (!other_.joinable()) return;
  work_ = nullptr;
  begin_.release();
  other_.join();
}

void ThreadPair::Run(const std::function<void(int half)>& work) {
  if (!other_.joinable()) other_ = std::thread([this] { Serve(); });
  work_ = &work;
  asleep_ = 2;
  begin_.release();
  BeginTogether(0);
  ended_.acquire();
}

void ThreadPair::Serve() {
  for (;;) {
    begin_.acquire();
    if (work_ == nullptr) return;
    BeginTogether(1);
    ended_.release();
  }
}

void ThreadPair::BeginTogether(int half) {
  --asleep_;
  while (asleep_ > 0) std::this_thread::yield();
  (*work_)(half);
}

}  // namespace stagedoor::bench
