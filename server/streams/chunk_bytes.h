#ifndef STAGEDOOR_SERVER_STREAMS_CHUNK_BYTES_H_
#define STAGEDOOR_SERVER_STREAMS_CHUNK_BYTES_H_

#include <algorithm>
#include <cstddef>

#include "server/server_limits.h"

namespace stagedoor::server {

inline constexpr size_t kMinChunkBytes = size_t{64} << 10;
inline constexpr size_t kMaxChunkBytes = size_t{3584} << 10;

// The chunk_bytes that a streaming request asks for.
template <typename Request>
size_t ChunkBytes(const Request& request, const ServerLimits& limits) {
  const size_t wanted = request.stream_options().chunk_bytes();
  return wanted == 0 ? limits.message_bytes : std::clamp(wanted, kMinChunkBytes, kMaxChunkBytes);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STREAMS_CHUNK_BYTES_H_
