#include "server/log/trace_context.h"

#include <algorithm>
#include <random>

#include "base/strings.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr size_t kMaxRequestIdBytes = 128;
constexpr size_t kRequestIdDigits = 16;

// VERSION-TRACE_ID-PARENT_ID-FLAGS
constexpr size_t kTraceIdAt = 3, kTraceIdDigits = 32;
constexpr size_t kParentIdAt = 36, kParentIdDigits = 16;
constexpr size_t kFlagsAt = 53;
constexpr size_t kTraceParentBytes = 55;

bool IsHex(std::string_view text) { return text.find_first_not_of(kHex) == std::string_view::npos; }
bool IsZero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

std::optional<TraceContext> ParseTraceParent(std::string_view value) {
  if (value.size() < kTraceParentBytes) return std::nullopt;
  const std::string_view version = value.substr(0, 2);
  const bool has_more = value.size() > kTraceParentBytes;
  if (!IsHex(version) || version == "ff") return std::nullopt;
  if (has_more && (version == "00" || value[kTraceParentBytes] != '-')) return std::nullopt;
  for (const size_t at : {kTraceIdAt, kParentIdAt, kFlagsAt}) {
    if (value[at - 1] != '-') return std::nullopt;
  }
  const std::string_view trace_id = value.substr(kTraceIdAt, kTraceIdDigits);
  const std::string_view parent_id = value.substr(kParentIdAt, kParentIdDigits);
  const std::string_view flags = value.substr(kFlagsAt, 2);
  if (!IsHex(trace_id) || !IsHex(parent_id) || !IsHex(flags)) return std::nullopt;
  if (IsZero(trace_id) || IsZero(parent_id)) return std::nullopt;
  const bool sampled = kHex.find(flags[1]) % 2 != 0;
  return TraceContext{.trace_id = std::string(trace_id),
                      .parent_id = std::string(parent_id),
                      .flags = sampled ? "01" : "00"};
}

std::string ChildTraceParent(const TraceContext& trace, std::string_view span_id) {
  return Concat("00-", trace.trace_id, "-", span_id, "-", trace.flags);
}

std::string RandomHex(size_t digits) {
  thread_local std::mt19937_64 random(std::random_device{}());
  std::string text(digits, '0');
  do {
    for (char& c : text) c = kHex[random() >> 60];
  } while (IsZero(text));
  return text;
}

std::string RequestIdOr(std::string_view client_value) {
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  const bool usable = !client_value.empty() && client_value.size() <= kMaxRequestIdBytes &&
                      std::all_of(client_value.begin(), client_value.end(), printable);
  return usable ? std::string(client_value) : RandomHex(kRequestIdDigits);
}

}  // namespace stagedoor::server
