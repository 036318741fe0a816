#ifndef STAGEDOOR_SERVER_HANDLERS_PIN_OR_COPY_CHUNK_H_
#define STAGEDOOR_SERVER_HANDLERS_PIN_OR_COPY_CHUNK_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "scene/values/source_bytes.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor {

// Bytes that may be sent from where they are, at any later time. Our own (`source` null) are
// pinned; those of a mapped file, which may change or go until the socket takes them, are copied.
// DATA_LOSS if they were changed.
absl::StatusOr<PinnedChunk> PinOrCopyChunk(std::string_view bytes, std::shared_ptr<const void> pin,
                                           const SourceBytes* source);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_HANDLERS_PIN_OR_COPY_CHUNK_H_
