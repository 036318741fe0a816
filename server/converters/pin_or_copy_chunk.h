#ifndef STAGEDOOR_SERVER_CONVERTERS_PIN_OR_COPY_CHUNK_H_
#define STAGEDOOR_SERVER_CONVERTERS_PIN_OR_COPY_CHUNK_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "scene/values/source_bytes.h"
#include "server/rpc/wire_writer.h"

namespace stagedoor::server {

// Returns bytes that gRPC can send from memory at any later time. If `source` is null, `bytes` are
// on the heap and are kept alive by `pin`. Otherwise they are in a mapped file, which may be
// overwritten before the socket takes them, so they are copied; DATA_LOSS if the file has changed
// by then.
absl::StatusOr<PinnedChunk> PinOrCopyChunk(std::string_view bytes, std::shared_ptr<const void> pin,
                                           const SourceBytes* source);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_PIN_OR_COPY_CHUNK_H_
