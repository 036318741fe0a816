#include "client/cc/stream_assembler.h"

#include <algorithm>

namespace stagedoor {

absl::StatusOr<bool> FragmentAssembler::Add(const v1::MessageFragment& fragment,
                                            std::string* bytes) {
  if (!begun()) total_ = fragment.total_bytes();
  const size_t size = fragment.data().size();
  if (total_ > max_bytes_) {
    return ResourceExhaustedError("a message of ", total_, " bytes exceeds the limit of ",
                                  max_bytes_, "; request less, or raise max_assembled_bytes");
  }
  if (size == 0 || size > total_ - bytes_.size()) {
    return DataLossError("the daemon's reply is inconsistent: a fragment has the wrong size");
  }
  bytes_.append(fragment.data());
  if (bytes_.size() < total_) return false;
  *bytes = std::exchange(bytes_, std::string());
  return true;
}

}  // namespace stagedoor
