#ifndef STAGEDOOR_SERVER_LOG_LOGGING_H_
#define STAGEDOOR_SERVER_LOG_LOGGING_H_

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "server/log/log_fields.h"

namespace stagedoor::server {

// The daemon's log: spdlog's default logger on top of a LogWriter, to standard error or a file.
// Control characters and invalid UTF-8 in messages are escaped, so that each message is one line.
//
// Messages of gRPC, Protobuf and Abseil go to the same log, marked with the library's name. Each
// library is limited to a burst of 20 messages and then one per second.

// Sets up the log. Call it once, before other threads start. Logs to standard error if `path` is
// empty. Errors name the file.
absl::Status InitializeLog(const std::string& level, const std::string& path,
                           LogFormat format = LogFormat::kText);

// Changes the least severity that is logged. Thread-safe.
void SetLogLevel(const std::string& level);

// The least severity that is logged, as a name that SetLogLevel knows. Thread-safe.
std::string CurrentLogLevel();

// Whether InitializeLog and SetLogLevel know `level`: trace, debug, info, warn, error or off.
bool IsLogLevel(std::string_view level);

// Whether InitializeLog knows the format `name`: text or json.
std::optional<LogFormat> ParseLogFormat(std::string_view name);

// Logs a message with fields at an spdlog level.
void LogWithFields(int level, std::string_view message, std::span<const LogField> fields);

// The descriptor that the log is written to now, and the format of its lines. Async-signal-safe.
int LogDescriptor();
LogFormat CurrentLogFormat();

// Reopens the log file after its rotation. Does nothing when logging to standard error.
absl::Status ReopenLog();

// Waits until all messages logged so far are written, for at most `timeout`.
void FlushLog(std::chrono::milliseconds timeout);

// Logs a library's message at an spdlog level, subject to the rate limit of that library.
enum class LogLibrary { kGrpc, kProtobuf, kAbseil };
void LogLibraryMessage(LogLibrary source, int level, std::string_view message);

// `message` as one line of valid UTF-8, truncated if it is very long.
std::string SanitizeLogMessage(std::string_view message);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_LOG_LOGGING_H_
