#ifndef STAGEDOOR_SERVER_LOG_LOG_FIELDS_H_
#define STAGEDOOR_SERVER_LOG_LOG_FIELDS_H_

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace stagedoor::server {

// How the lines of the log are written.
enum class LogFormat {
  kText,  // [TIME] [LEVEL] MESSAGE KEY=VALUE…
  kJson,  // one JSON object a line: "time", "level", "message", and the fields
};

// A named value of a log line. Texts may hold anything; they are escaped.
struct LogField {
  std::string_view name;
  std::variant<std::string, int64_t, double> value;
};

// " name=value" for each field. Texts other than plain words are in double quotes, with the escapes
// of JSON, so that no text can pass for a field.
std::string FieldsAsText(std::span<const LogField> fields);

// A line of JSON with a newline at its end. `level` and the names of fields must be plain words.
// Bytes that are not valid UTF-8 are replaced.
std::string FormatJsonLine(std::chrono::system_clock::time_point time, std::string_view level,
                           std::string_view message, std::span<const LogField> fields);

// "2026-11-25T21:54:37.123Z". Async-signal-safe: writes kUtcTimeBytes characters to `out`.
inline constexpr size_t kUtcTimeBytes = 24;
void WriteUtcTime(std::chrono::system_clock::time_point time, char* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_LOG_FIELDS_H_
