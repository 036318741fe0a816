#include "resolver/file/mapped_region.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/status.h"
#include "resolver/file/open_error.h"

namespace stagedoor {

struct MappedRegion::Slot {
  std::atomic<uintptr_t> begin{0};  // 0 if the slot is free
  std::atomic<uintptr_t> end{0};
  std::atomic<bool> damaged{false};
  std::atomic<uintptr_t> damaged_at{0};  // an address
};

// All live regions of the process. Slots are assigned under a lock, but never move or disappear, so
// the signal handler reads them without a lock.
class RegionTable {
 public:
  using Slot = MappedRegion::Slot;

  static RegionTable& Get() {
    static RegionTable* const table = new RegionTable;  // never destroyed: the handler uses it
    return *table;
  }

  // Null if all slots are taken.
  Slot* Acquire(uintptr_t begin, uintptr_t end) {
    MutexLock lock(mu_);
    if (free_.empty() && !Grow()) return nullptr;
    Slot* slot = free_.back();
    free_.pop_back();
    slot->damaged.store(false, std::memory_order_relaxed);
    slot->end.store(end, std::memory_order_relaxed);
    slot->begin.store(begin, std::memory_order_release);
    return slot;
  }

  void Release(Slot* slot) {
    slot->begin.store(0, std::memory_order_release);
    MutexLock lock(mu_);
    free_.push_back(slot);
  }

  // Async-signal-safe. Null if no region contains `address`.
  Slot* Find(uintptr_t address) const {
    const size_t blocks = block_count_.load(std::memory_order_acquire);
    for (size_t b = 0; b < blocks; ++b) {
      Slot* block = blocks_[b].load(std::memory_order_relaxed);
      for (size_t i = 0; i < kBlockSize; ++i) {
        const uintptr_t begin = block[i].begin.load(std::memory_order_acquire);
        if (begin == 0 || address < begin) continue;
        if (address < block[i].end.load(std::memory_order_relaxed)) return &block[i];
      }
    }
    return nullptr;
  }

  uintptr_t page_size() const { return page_size_; }
  const struct sigaction& previous() const { return previous_; }

 private:
  static constexpr size_t kBlockSize = 512;
  static constexpr size_t kMaxBlocks = 128;  // 65536 regions, about vm.max_map_count

  RegionTable() : page_size_(static_cast<uintptr_t>(sysconf(_SC_PAGESIZE))) {}

  bool Grow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    const size_t count = block_count_.load(std::memory_order_relaxed);
    if (count == kMaxBlocks) return false;
    if (count == 0) Install();
    // Room for all slots, because returning one must not fail.
    free_.reserve((count + 1) * kBlockSize);
    Slot* block = new Slot[kBlockSize];
    for (size_t i = kBlockSize; i-- > 0;) free_.push_back(&block[i]);
    blocks_[count].store(block, std::memory_order_relaxed);
    block_count_.store(count + 1, std::memory_order_release);
    return true;
  }

  void Install();

  const uintptr_t page_size_;
  struct sigaction previous_ = {};  // written once, before the first region exists
  std::array<std::atomic<Slot*>, kMaxBlocks> blocks_{};
  std::atomic<size_t> block_count_{0};

  Mutex mu_;
  std::vector<Slot*> free_ ABSL_GUARDED_BY(mu_);
};

namespace {

void PassOn(const struct sigaction& previous, int signal, siginfo_t* info, void* context) {
  if ((previous.sa_flags & SA_SIGINFO) != 0 && previous.sa_sigaction != nullptr) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  } else {
    // The faulting instruction is executed again and now ends the process as it should.
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  }
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const RegionTable& table = RegionTable::Get();
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  RegionTable::Slot* slot = table.Find(address);
  bool repaired = false;
  if (slot != nullptr) {
    slot->damaged_at.store(address, std::memory_order_relaxed);
    slot->damaged.store(true, std::memory_order_release);
    // Replace all pages from here on: behind the end of the file every one of them would fault.
    const uintptr_t page = address & ~(table.page_size() - 1);
    const uintptr_t end = slot->end.load(std::memory_order_relaxed);
    // A direct system call, because libc's mmap is not guaranteed to be async-signal-safe, and
    // sanitizers would take it for a write that races with other readers. The kernel exchanges the
    // pages atomically.
    repaired = syscall(SYS_mmap, page, end - page, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == static_cast<long>(page);
  }
  if (!repaired) PassOn(table.previous(), signal, info, context);
  errno = saved_errno;
}

}  // namespace

void RegionTable::Install() {
  struct sigaction action = {};
  action.sa_sigaction = OnBusError;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, &previous_);
}

absl::StatusOr<std::shared_ptr<const MappedRegion>> MappedRegion::Map(int fd, size_t size) {
  std::shared_ptr<MappedRegion> region(new MappedRegion(size));
  void* data = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) {
    const int error = errno;
    const std::string text = Concat("cannot map ", size, " bytes into memory: ", ErrorText(error));
    if (error == ENODEV || error == EOPNOTSUPP) return UnimplementedError(text);
    return error == ENOMEM ? ResourceExhaustedError(text) : UnavailableError(text);
  }
  region->data_ = static_cast<const std::byte*>(data);
  const auto begin = reinterpret_cast<uintptr_t>(data);
  const uintptr_t page = RegionTable::Get().page_size();
  region->slot_ = RegionTable::Get().Acquire(begin, begin + (size + page - 1) / page * page);
  if (region->slot_ == nullptr)
    return ResourceExhaustedError("too many files are mapped; close stages that are not in use");
  return region;
}

MappedRegion::~MappedRegion() {
  // Leave the table first: another thread may get these addresses as soon as they are unmapped.
  if (slot_ != nullptr) RegionTable::Get().Release(slot_);
  if (data_ != nullptr) munmap(const_cast<std::byte*>(data_), size_);
}

bool MappedRegion::damaged() const { return slot_->damaged.load(std::memory_order_acquire); }

size_t MappedRegion::damaged_at() const {
  if (!damaged()) return 0;
  return slot_->damaged_at.load(std::memory_order_relaxed) - reinterpret_cast<uintptr_t>(data_);
}

}  // namespace stagedoor
