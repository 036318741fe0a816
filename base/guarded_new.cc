// The operators new of a process with a memory limit (base/memory_guard.h), which replace those of
// the standard library. Sanitizers have their own, which are kept.
#include "base/guarded_new.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/memory_guard.h"
#include "base/request_scope.h"

#if STAGEDOOR_GUARDS_NEW

namespace {

using stagedoor::RequestAllocations;
using stagedoor::RequestScope;

// Returns the result of `allocate`, after the new-handler, if there is one, has made room for it.
// Work of a request fails instead of waiting for the handler.
template <typename Allocate>
void* AllocateGuarded(std::size_t bytes, const Allocate& allocate) {
  const bool limited = RequestScope::Current().limits_memory;
  if (limited && !RequestAllocations::Allow(bytes)) throw std::bad_alloc();
  for (;;) {
    if (void* memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr || limited) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

void* operator new(std::size_t bytes) {
  return AllocateGuarded(bytes, [bytes] { return std::malloc(bytes != 0 ? bytes : 1); });
}

void* operator new(std::size_t bytes, std::align_val_t align) {
  return AllocateGuarded(bytes, [bytes, align]() -> void* {
    void* memory = nullptr;
    const auto alignment = std::max(static_cast<std::size_t>(align), sizeof(void*));
    return ::posix_memalign(&memory, alignment, bytes != 0 ? bytes : 1) == 0 ? memory : nullptr;
  });
}

void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

#endif
