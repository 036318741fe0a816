#include "base/freed_memory.h"

#include <malloc.h>

#include <cstddef>

// Defined by jemalloc; null in programs that are not linked with it.
extern "C" int mallctl(const char* name, void* old_value, size_t* old_length, void* new_value,
                       size_t new_length) __attribute__((weak));

namespace stagedoor {

void ReturnFreedMemory() {
  if (&mallctl != nullptr) {
    mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0);  // MALLCTL_ARENAS_ALL
  } else {
    ::malloc_trim(0);
  }
}

}  // namespace stagedoor
