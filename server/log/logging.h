#ifndef STAGEDOOR_SERVER_LOG_LOGGING_H_
#define STAGEDOOR_SERVER_LOG_LOGGING_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace stagedoor {

// The daemon's log: spdlog's default logger over a LogWriter, to standard error or a file. Control
// characters and invalid UTF-8 in messages are escaped, so that one message is one line.
//
// What gRPC, Protobuf and Abseil have to say comes through it too, marked with their name; of each
// at most a burst of 20 and then one a second.

// Sets it up; called once, before other threads start. `path` empty: standard error. The error
// names the file.
absl::Status InitializeLog(const std::string& level, const std::string& path);

// The levels that InitializeLog knows: trace, debug, info, warn, error, off.
bool IsLogLevel(std::string_view level);

// Opens the file anew, after its rotation. Does nothing where there is none.
absl::Status ReopenLog();

// Waits until what was logged is written; not longer than `timeout`.
void FlushLog(std::chrono::milliseconds timeout);

// What a library said at a level of spdlog's (an int here), through its rate limit.
enum class LogLibrary { kGrpc, kProtobuf, kAbseil };
void LogLibraryMessage(LogLibrary source, int level, std::string_view message);

// `message` on one line of valid UTF-8.
std::string SanitizeLogMessage(std::string_view message);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_LOG_LOGGING_H_
