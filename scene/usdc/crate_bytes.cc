#include "scene/usdc/crate_bytes.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/request_context.h"
#include "base/request_scope.h"
#include "resolver/fail_if_outage.h"

namespace stagedoor {
namespace {

using Slot = std::atomic<std::byte*>;
static_assert(sizeof(Slot) == sizeof(void*), "zeroed memory is null pointers");

size_t BlockCount(size_t bytes) { return (bytes + CrateBytes::kBlock - 1) / CrateBytes::kBlock; }

// calloc gets large blocks from the system, which zeroes pages only when they are touched.
Slot* NewSlots(size_t count) {
  void* memory = std::calloc(std::max<size_t>(count, 1), sizeof(Slot));
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<Slot*>(memory);
}

}  // namespace

void CrateBytes::Free::operator()(void* memory) const { std::free(memory); }

CrateBytes::CrateBytes(std::span<const std::byte> bytes, RefPtr<const RefCounted> owner)
    : bytes_(bytes),
      owner_(std::move(owner)),
      source_(dynamic_cast<const SourceBytes*>(owner_.get())),
      sparse_(dynamic_cast<const SparseSource*>(owner_.get())),
      blocks_(source_ ? NewSlots(BlockCount(bytes.size())) : nullptr) {}

CrateBytes::~CrateBytes() {
  if (blocks_ == nullptr || byte_size() == 0) return;
  for (size_t i = 0; i < BlockCount(size()); ++i) {
    delete[] blocks_[i].load(std::memory_order_relaxed);
  }
}

absl::Status CrateBytes::Fetch(std::vector<ByteRange> ranges) const {
  if (sparse_ == nullptr) return absl::OkStatus();
  for (ByteRange& range : ranges) {
    range.offset = std::min<uint64_t>(range.offset, size());
    range.size = std::min<uint64_t>(range.size, size() - range.offset);
  }
  RequestContext nobody;
  RequestContext* const current = RequestScope::Current().context;
  return sparse_->view().Ensure(current != nullptr ? *current : nobody, std::move(ranges));
}

bool CrateBytes::FetchFor(uint64_t offset, uint64_t size) const {
  absl::Status fetched = Fetch({{offset, size}});
  if (fetched.ok()) return true;
  failures_.fetch_add(1, std::memory_order_relaxed);
  if (RequestContext* const current = RequestScope::Current().context) {
    current->Fail(std::move(fetched));
  }
  return false;
}

absl::Status CrateBytes::CheckSource() const {
  absl::Status status = source_->Check();
  RequestContext* const current = RequestScope::Current().context;
  return status.ok() || current == nullptr ? status : FailIfOutage(*current, status);
}

bool CrateBytes::CopyUncached(uint64_t offset, void* out, size_t size) const {
  auto* to = static_cast<std::byte*>(out);
  while (size > 0) {
    const uint64_t at = offset % kBlock;
    const size_t count = std::min<size_t>(size, kBlock - at);
    const std::byte* block = Hold(offset / kBlock);
    if (block == nullptr) return false;
    std::memcpy(to, block + at, count);
    offset += count;
    to += count;
    size -= count;
  }
  return true;
}

const std::byte* CrateBytes::Hold(uint64_t block) const {
  Slot& slot = blocks_[block];
  if (std::byte* held = slot.load(std::memory_order_acquire)) return held;
  const auto from =
      bytes_.subspan(block * kBlock).first(std::min<size_t>(kBlock, size() - block * kBlock));
  auto copy = std::make_unique_for_overwrite<std::byte[]>(from.size());
  std::memcpy(copy.get(), from.data(), from.size());
  if (source_->changed() || !CheckSource().ok()) {
    source_->NoteUse();
    return nullptr;
  }
  std::byte* held = nullptr;
  if (!slot.compare_exchange_strong(held, copy.get(), std::memory_order_acq_rel)) return held;
  held_.fetch_add(from.size(), std::memory_order_relaxed);
  return copy.release();
}

}  // namespace stagedoor
