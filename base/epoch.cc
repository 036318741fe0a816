#include "base/epoch.h"

#include <algorithm>

#include "base/memory_guard.h"

namespace stagedoor {

// The readers of all threads; never freed, taken over by later threads.
struct EpochReaders {
  using Reader = EpochGuard::Reader;

  static Reader* Take() {
    for (Reader* reader = first.load(); reader != nullptr; reader = reader->next) {
      if (!reader->taken.exchange(true)) return reader;
    }
    const RequestMemoryPause pause;  // a destructor may be the first to need one
    Reader* const reader = new Reader;
    reader->next = first.load();
    while (!first.compare_exchange_weak(reader->next, reader)) {
    }
    return reader;
  }

  // Gives the reader of a thread back when that ends.
  struct Owner {
    Owner() { EpochGuard::reader_ = Take(); }
    ~Owner() {
      EpochGuard::reader_->epoch.store(0);
      EpochGuard::reader_->taken.store(false);
      EpochGuard::reader_ = nullptr;
    }
  };

  static inline std::atomic<Reader*> first{nullptr};
};

void EpochGuard::Register() {
  thread_local const EpochReaders::Owner owner;
  // Destructors of other thread-local objects may come after the owner's.
  if (reader_ == nullptr) reader_ = EpochReaders::Take();
}

uint64_t CurrentEpoch() { return EpochGuard::now_.load(); }

uint64_t AdvanceEpoch() {
  uint64_t oldest = EpochGuard::now_.fetch_add(1) + 1;
  for (const EpochReaders::Reader* reader = EpochReaders::first.load(); reader != nullptr;
       reader = reader->next) {
    const uint64_t epoch = reader->epoch.load();
    if (epoch != 0) oldest = std::min(oldest, epoch);
  }
  return oldest;
}

}  // namespace stagedoor
