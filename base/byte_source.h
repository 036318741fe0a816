#ifndef STAGEDOOR_BASE_BYTE_SOURCE_H_
#define STAGEDOOR_BASE_BYTE_SOURCE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "base/request_context.h"

namespace stagedoor {

// The bytes of a file that is made while it is read, so that what nobody has read yet takes no
// memory. For one thread at a time; what it is made from it keeps or outlives it, as its maker
// says.
class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Appends the next bytes: about `bytes` (more where something small cannot be cut), at least one
  // as long as there are any. False: there are none left. After an error it is of no use.
  virtual absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) = 0;
};

using ByteSourcePtr = std::unique_ptr<ByteSource>;

// A file of a set. What it is made from is opened when its turn comes; opened again, it gives the
// same bytes.
struct SourceFile {
  std::string name;
  std::function<absl::StatusOr<ByteSourcePtr>(RequestContext&)> open;
};

// Bytes that are there already.
class FixedBytes final : public ByteSource {
 public:
  explicit FixedBytes(std::string bytes)
      : owned_(std::make_shared<const std::string>(std::move(bytes))), left_(*owned_) {}
  // Kept by `pin`.
  FixedBytes(std::string_view bytes, std::shared_ptr<const void> pin)
      : pin_(std::move(pin)), left_(bytes) {}

  absl::StatusOr<bool> Next(RequestContext&, size_t bytes, std::string* out) override {
    if (left_.empty()) return false;
    const std::string_view piece = left_.substr(0, bytes);
    out->append(piece);
    left_.remove_prefix(piece.size());
    return true;
  }

 private:
  const std::shared_ptr<const std::string> owned_;
  const std::shared_ptr<const void> pin_;
  std::string_view left_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_BYTE_SOURCE_H_
