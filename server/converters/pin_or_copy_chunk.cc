#include "server/converters/pin_or_copy_chunk.h"

#include <cstring>
#include <utility>

#include "base/status_macros.h"

namespace stagedoor::server {

absl::StatusOr<PinnedChunk> PinOrCopyChunk(std::string_view bytes, std::shared_ptr<const void> pin,
                                           const SourceBytes* source) {
  if (source == nullptr) return PinnedChunk{bytes, std::move(pin)};
  const std::shared_ptr<char[]> copy(new char[bytes.size()]);
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  SD_RETURN_IF_ERROR(source->Check());
  return PinnedChunk{{copy.get(), bytes.size()}, copy};
}

}  // namespace stagedoor::server
