#include "base/out_of_memory.h"

#include "base/interned_bytes.h"
#include "base/request_scope.h"
#include "base/status.h"

namespace stagedoor {
namespace {

absl::Status Exhausted(const char* message) {
  const RequestMemoryExemption pause;
  try {
    return ResourceExhaustedError(message);
  } catch (const std::bad_alloc&) {
    return absl::Status(absl::StatusCode::kResourceExhausted, "");  // does not allocate
  }
}

}  // namespace

absl::Status OutOfMemoryError(const std::bad_alloc& failure) {
  const auto* interned = dynamic_cast<const InternedBytesExhausted*>(&failure);
  if (interned != nullptr) return Exhausted(interned->what());
  return Exhausted("out of memory for this request; request less at once, or raise --memory-limit");
}

absl::Status TooLongError() {
  return Exhausted("the request needs a longer list than memory can hold; request less at once");
}

}  // namespace stagedoor
