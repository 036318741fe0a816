// Replaces all operators new and delete, so that those of sanitizers are not mixed with these.
#include "base/testing/failing_new.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

#include "base/request_scope.h"

namespace stagedoor {
namespace {

constexpr uint64_t kNever = UINT64_MAX;

std::atomic<uint64_t> first_failure{kNever};
std::atomic<uint64_t> last_failure{0};
std::atomic<uint64_t> allocations{0};

bool Fails() {
  const uint64_t first = first_failure.load(std::memory_order_acquire);
  if (first == kNever || !RequestScope::Current().limits_memory) return false;
  const uint64_t number = allocations.fetch_add(1, std::memory_order_relaxed) + 1;
  return number >= first && number <= last_failure.load(std::memory_order_relaxed);
}

void* Allocate(std::size_t bytes) noexcept {
  return Fails() ? nullptr : std::malloc(bytes != 0 ? bytes : 1);
}

void* Allocate(std::size_t bytes, std::align_val_t align) noexcept {
  void* memory = nullptr;
  const auto alignment = std::max(static_cast<std::size_t>(align), sizeof(void*));
  if (Fails() || ::posix_memalign(&memory, alignment, bytes != 0 ? bytes : 1) != 0) return nullptr;
  return memory;
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

void FailAllocations(uint64_t first, bool all) {
  allocations.store(0, std::memory_order_relaxed);
  last_failure.store(all ? kNever : first, std::memory_order_relaxed);
  first_failure.store(first, std::memory_order_release);
}

uint64_t StopFailingAllocations() {
  first_failure.store(kNever, std::memory_order_release);
  return allocations.load(std::memory_order_relaxed);
}

}  // namespace stagedoor

using stagedoor::Allocate;
using stagedoor::OrThrow;

void* operator new(std::size_t bytes) { return OrThrow(Allocate(bytes)); }
void* operator new[](std::size_t bytes) { return OrThrow(Allocate(bytes)); }
void* operator new(std::size_t bytes, std::align_val_t align) {
  return OrThrow(Allocate(bytes, align));
}
void* operator new[](std::size_t bytes, std::align_val_t align) {
  return OrThrow(Allocate(bytes, align));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept { return Allocate(bytes); }
void* operator new(std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
  return Allocate(bytes, align);
}
void* operator new[](std::size_t bytes, std::align_val_t align, const std::nothrow_t&) noexcept {
  return Allocate(bytes, align);
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}
