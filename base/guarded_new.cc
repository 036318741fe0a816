// The operators new of a process that has a limit on memory (base/memory_guard.h); they replace the
// standard library's. Where sanitizers bring their own, those stay.
#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/memory_guard.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {

using stagedoor::RequestMemoryScope;

// What `allocate` returns, once the new-handler, if there is one, has made room for it. Work of a
// request does not wait for that.
template <typename Allocate>
void* AllocateGuarded(std::size_t bytes, const Allocate& allocate) {
  if (!RequestMemoryScope::Allow(bytes)) throw std::bad_alloc();
  for (;;) {
    if (void* memory = allocate()) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr || RequestMemoryScope::active()) throw std::bad_alloc();
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
