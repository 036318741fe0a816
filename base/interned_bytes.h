#ifndef STAGEDOOR_BASE_INTERNED_BYTES_H_
#define STAGEDOOR_BASE_INTERNED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

namespace stagedoor {

// Counts and bounds the bytes that are interned for the life of the process: names, as in OpenUSD's
// TfToken, and the paths that layers contain. Content with ever new names must not take the memory
// that everything else needs. Above the limit, work of requests that interns a new name fails with
// InternedBytesExhausted, while known names still work. Work that belongs to no request is only
// counted. Thread-safe.
class InternedBytes {
 public:
  // 0 means no limit.
  static void SetLimit(uint64_t bytes);
  static uint64_t limit();
  static uint64_t used();

  // Counts `bytes` that are about to be interned, or throws InternedBytesExhausted.
  static void Add(size_t bytes);

  // While it exists, the calling thread may use only half of the limit. For names that a client
  // sends or that content multiplies, so that they leave the other half to files. Nests.
  class ScopedHalfLimit {
   public:
    ScopedHalfLimit() : before_(std::exchange(only_half_, true)) {}
    ~ScopedHalfLimit() { only_half_ = before_; }
    ScopedHalfLimit(const ScopedHalfLimit&) = delete;
    ScopedHalfLimit& operator=(const ScopedHalfLimit&) = delete;

   private:
    const bool before_;
  };

 private:
  static inline constinit thread_local bool only_half_ = false;
};

// Thrown when the limit is exceeded. Derives from std::bad_alloc because work that cannot continue
// without memory cannot continue without the name either.
class InternedBytesExhausted : public std::bad_alloc {
 public:
  const char* what() const noexcept override;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_INTERNED_BYTES_H_
