#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "resolver/http/http_message.h"

// Reads any bytes as the header of a response: one field a line.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  stagedoor::HttpHeaders headers;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(line.size() + (line.size() < text.size() ? 1 : 0));
    if (!headers.AddLine(line)) break;
  }
  if (headers.size() > stagedoor::HttpHeaders::kMaxFields) abort();
  if (const auto value = headers.Find("Content-Range")) {
    const auto range = stagedoor::ParseContentRange(*value);
    if (range && range->satisfied && range->first > range->last) abort();
    if (range && range->satisfied && range->total && range->last >= *range->total) abort();
  }
  if (const auto value = headers.Find("ETag")) {
    const auto tag = stagedoor::ParseEntityTag(*value);
    if (tag && tag->quoted.size() > stagedoor::kMaxEntityTagBytes) abort();
  }
  if (const auto value = headers.Find("Last-Modified")) (void)stagedoor::ParseHttpDate(*value);
  if (const auto value = headers.Find("Retry-After")) {
    const auto wait = stagedoor::ParseRetryAfter(*value, std::chrono::sys_seconds());
    if (wait && (wait->count() < 0 || *wait > std::chrono::hours(24))) abort();
  }
  return 0;
}
