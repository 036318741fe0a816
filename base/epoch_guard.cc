#include "base/epoch_guard.h"

#include <algorithm>

#include "base/request_scope.h"

namespace stagedoor {

// The readers of all threads. They are never freed; those of ended threads are reused by later
// ones.
struct EpochReaders {
  using Reader = EpochGuard::Reader;

  static Reader* Take() {
    for (Reader* reader = first.load(); reader != nullptr; reader = reader->next) {
      if (!reader->taken.exchange(true)) return reader;
    }
    const RequestMemoryExemption pause;  // may run in a destructor, which must not throw
    Reader* const reader = new Reader;
    reader->next = first.load();
    while (!first.compare_exchange_weak(reader->next, reader)) {
    }
    return reader;
  }

  // Returns the reader of a thread when the thread ends.
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
  // Destructors of other thread-local objects may run after the owner's, and need a reader again.
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
