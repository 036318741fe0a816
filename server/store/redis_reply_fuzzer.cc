#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/store/redis_reply.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxReplyBytes = 4096;

size_t CountElements(const RedisReply& reply) {
  size_t count = reply.elements.size();
  for (const RedisReply& element : reply.elements) count += CountElements(element);
  return count;
}

// All replies in `bytes`, which arrive in parts, in a form that can be compared.
std::string ReadAll(std::string_view bytes, size_t part) {
  RedisReplyReader reader(kMaxReplyBytes);
  std::string found;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(part, bytes.size()))) {
    reader.Feed(bytes.substr(0, part));
    for (;;) {
      const auto reply = reader.Next();
      if (!reply.ok()) return found;
      if (!reply->has_value()) break;
      if (CountElements(**reply) > RedisReplyReader::kMaxElements) abort();
      if ((*reply)->text.size() > kMaxReplyBytes) abort();
      found += std::to_string(static_cast<int>((*reply)->type)) + (*reply)->text + ",";
    }
  }
  return found;
}

}  // namespace
}  // namespace stagedoor::server

// Reads any bytes as replies: within the limits, and the same however they arrive.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stagedoor::server::ReadAll;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (ReadAll(bytes, 1) != ReadAll(bytes, size == 0 ? 1 : size)) abort();
  return 0;
}
