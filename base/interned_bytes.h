#ifndef STAGEDOOR_BASE_INTERNED_BYTES_H_
#define STAGEDOOR_BASE_INTERNED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace stagedoor {

// Counts what is interned for the life of the process (names, and the paths that layers name), and
// bounds it: content with ever new names must not take the memory that everything else needs.
// Beyond the limit, work of requests that brings a new name ends with InternedBytesExhausted; names
// that are known already go on as before. Other work (that of no request) is only counted.
// Thread-safe.
class InternedBytes {
 public:
  // 0: no limit.
  static void Limit(uint64_t bytes);
  static uint64_t limit();
  static uint64_t used();

  // Counts bytes that are about to be interned, or throws.
  static void Add(size_t bytes);

  // While it lives, the calling thread may fill half of what the limit allows: for names that a
  // client sends, or that content multiplies, so that they leave the other half to files. Nests.
  class OnlyHalf {
   public:
    OnlyHalf() : before_(std::exchange(only_half_, true)) {}
    ~OnlyHalf() { only_half_ = before_; }
    OnlyHalf(const OnlyHalf&) = delete;
    OnlyHalf& operator=(const OnlyHalf&) = delete;

   private:
    const bool before_;
  };

 private:
  static inline constinit thread_local bool only_half_ = false;
};

// Beyond the limit. A bad_alloc: what can't go on without memory can't go on without the name.
class InternedBytesExhausted : public std::bad_alloc {
 public:
  const char* what() const noexcept override;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_INTERNED_BYTES_H_
