#ifndef STAGEDOOR_SERVER_MEMORY_MEMORY_KEEPER_H_
#define STAGEDOOR_SERVER_MEMORY_MEMORY_KEEPER_H_

#include <atomic>
#include <functional>
#include <thread>

#include "server/memory/memory_pressure.h"

namespace stagedoor::server {

// The thread that checks a MemoryPressure: regularly, and at once when an allocation of a request
// finds no room (base/memory_shortage.h). There should be one in a process at a time.
class MemoryKeeper {
 public:
  // `on_change` is called with each new level, on that thread. `pressure` must outlive the keeper.
  MemoryKeeper(MemoryPressure& pressure, std::function<void(MemoryLevel)> on_change);
  ~MemoryKeeper();
  MemoryKeeper(const MemoryKeeper&) = delete;
  MemoryKeeper& operator=(const MemoryKeeper&) = delete;

 private:
  void Run();

  MemoryPressure& pressure_;
  const std::function<void(MemoryLevel)> on_change_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MEMORY_MEMORY_KEEPER_H_
