#ifndef STAGEDOOR_SERVER_LOG_TRACE_CONTEXT_H_
#define STAGEDOOR_SERVER_LOG_TRACE_CONTEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace stagedoor::server {

// The position of a call in a distributed trace (W3C Trace Context, level 1).
struct TraceContext {
  std::string trace_id;   // 32 digits
  std::string parent_id;  // 16 digits: the span of the client
  std::string flags;      // 2 digits, of which only "sampled" is kept
};

// Parses the value of "traceparent". Nothing for a malformed or invalid one. Accepts later versions
// as the specification requires: by their first four fields.
std::optional<TraceContext> ParseTraceParent(std::string_view value);

// The value of "traceparent" for calls that a span of ours makes.
std::string ChildTraceParent(const TraceContext& trace, std::string_view span_id);

// Random hexadecimal digits, not all of them 0.
std::string RandomHex(size_t digits);

// `client_value` if it can be used as an ID in logs: 1 to 128 printable ASCII characters. Otherwise
// a new one.
std::string RequestIdOr(std::string_view client_value);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_TRACE_CONTEXT_H_
