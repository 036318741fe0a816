#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/frame_reader.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxMessageBytes = 4096;

// All frames in `bytes`, which arrive in parts, in a form that can be compared.
std::string ReadAll(std::string_view bytes, size_t part) {
  FrameReader reader(kMaxMessageBytes);
  std::string found;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(part, bytes.size()))) {
    reader.Feed(bytes.substr(0, part));
    for (;;) {
      const auto frame = reader.Next();
      if (!frame.ok()) return found;
      if (!frame->has_value()) break;
      if ((*frame)->size() > kMaxMessageBytes) abort();
      found += std::to_string((*frame)->size()) + ":" + std::string(**frame) + ",";
    }
    // At most an incomplete message is held, or the bytes that arrived in this part.
    if (reader.held() > kMaxMessageBytes + part) abort();
  }
  return found;
}

}  // namespace
}  // namespace stagedoor

// Reads any bytes as messages: within the limits, and the same frames however they arrive.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using stagedoor::ReadAll;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (ReadAll(bytes, 1) != ReadAll(bytes, size == 0 ? 1 : size)) abort();
  return 0;
}
