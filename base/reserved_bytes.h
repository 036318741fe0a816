#ifndef STAGEDOOR_BASE_RESERVED_BYTES_H_
#define STAGEDOOR_BASE_RESERVED_BYTES_H_

#include <cstddef>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/request_context.h"

namespace stagedoor {

// The scratch memory of a request: reserved in its context as it grows, and released on
// destruction. Move-only. The context must outlive it. Not thread-safe.
class ReservedBytes {
 public:
  explicit ReservedBytes(RequestContext& context) : context_(&context) {}
  ReservedBytes(ReservedBytes&& other) noexcept
      : context_(other.context_), bytes_(std::exchange(other.bytes_, 0)) {}
  ReservedBytes& operator=(ReservedBytes&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~ReservedBytes() {
    if (bytes_ != 0) context_->Release(bytes_);
  }

  // Errors: those of RequestContext::Reserve, in which case nothing is added.
  absl::Status Grow(size_t bytes, std::string_view what) {
    absl::Status status = context_->Reserve(bytes, what);
    if (status.ok()) bytes_ += bytes;
    return status;
  }
  size_t bytes() const { return bytes_; }

 private:
  RequestContext* context_;
  size_t bytes_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_RESERVED_BYTES_H_
