#include "server/memory/memory_keeper.h"

#include <chrono>
#include <utility>

#include "base/memory_shortage.h"

namespace stagedoor::server {
namespace {

// How much can be allocated meanwhile does not matter: an allocation without room wakes the thread.
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

MemoryKeeper::MemoryKeeper(MemoryPressure& pressure, std::function<void(MemoryLevel)> on_change)
    : pressure_(pressure), on_change_(std::move(on_change)), thread_([this] { Run(); }) {
  SetMemoryReliefOffered(true);
}

MemoryKeeper::~MemoryKeeper() {
  SetMemoryReliefOffered(false);
  stopping_ = true;
  thread_.join();
}

void MemoryKeeper::Run() {
  while (!stopping_) {
    const bool wanted = AwaitMemoryShortage(kInterval);
    const MemoryLevel before = pressure_.level();
    pressure_.Check(wanted);
    if (wanted) EndMemoryShortage();
    if (pressure_.level() != before) on_change_(pressure_.level());
  }
}

}  // namespace stagedoor::server
