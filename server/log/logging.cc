#include "server/log/logging.h"

#include <absl/base/internal/raw_logging.h>
#include <google/protobuf/stubs/logging.h>
#include <grpc/support/log.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "base/status.h"
#include "server/log/log_writer.h"
#include "server/log/rate_limiter.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxMessageBytes = 4000;
constexpr int kBurst = 20;
constexpr std::chrono::seconds kInterval{1};
constexpr std::array<std::string_view, 6> kLevels = {"trace", "debug", "info",
                                                     "warn",  "error", "off"};

// Passes messages that spdlog has formatted to the writer.
class WriterSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  WriterSink(std::unique_ptr<LogWriter> writer, std::string path, LogFormat format)
      : writer_(std::move(writer)), path_(std::move(path)), format_(format) {}

  LogWriter& writer() { return *writer_; }
  const std::string& path() const { return path_; }

  void LogWithFields(const spdlog::details::log_msg& message, std::span<const LogField> fields) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Write(message, fields);
  }

 private:
  void sink_it_(const spdlog::details::log_msg& message) override { Write(message, {}); }
  void flush_() override {}

  void Write(const spdlog::details::log_msg& message, std::span<const LogField> fields) {
    const std::string_view payload(message.payload.data(), message.payload.size());
    if (format_ == LogFormat::kJson) {
      const auto level = spdlog::level::to_string_view(message.level);
      const bool fits = payload.size() <= kMaxMessageBytes;
      return writer_->Write(FormatJsonLine(
          message.time, {level.data(), level.size()},
          fits ? payload : Concat(payload.substr(0, kMaxMessageBytes), "..."), fields));
    }
    spdlog::details::log_msg clean = message;
    const std::string text = SanitizeLogMessage(payload) + FieldsAsText(fields);
    clean.payload = text;
    spdlog::memory_buf_t line;
    formatter_->format(clean, line);
    writer_->Write(std::string_view(line.data(), line.size()));
  }

  const std::unique_ptr<LogWriter> writer_;
  const std::string path_;
  const LogFormat format_;
};

// For LogDescriptor and CurrentLogFormat, which a signal handler may call.
std::atomic<const LogWriter*> the_writer{nullptr};
std::atomic<LogFormat> the_format{LogFormat::kText};

// The log of the process. Never destroyed, because libraries may log until the process ends.
std::shared_ptr<WriterSink>& TheSink() {
  static auto* sink = new std::shared_ptr<WriterSink>();
  return *sink;
}

spdlog::level::level_enum LevelOf(absl::LogSeverity severity) {
  if (severity == absl::LogSeverity::kInfo) return spdlog::level::info;
  if (severity == absl::LogSeverity::kWarning) return spdlog::level::warn;
  return spdlog::level::err;
}

void FromGrpc(gpr_log_func_args* args) {
  const auto level = args->severity == GPR_LOG_SEVERITY_DEBUG  ? spdlog::level::debug
                     : args->severity == GPR_LOG_SEVERITY_INFO ? spdlog::level::info
                                                               : spdlog::level::err;
  LogLibraryMessage(LogLibrary::kGrpc, level, args->message);
}

void FromProtobuf(google::protobuf::LogLevel level, const char*, int, const std::string& message) {
  const auto ours = level == google::protobuf::LOGLEVEL_INFO      ? spdlog::level::info
                    : level == google::protobuf::LOGLEVEL_WARNING ? spdlog::level::warn
                                                                  : spdlog::level::err;
  LogLibraryMessage(LogLibrary::kProtobuf, ours, message);
}

void FromAbseil(absl::LogSeverity severity, const char*, int, const std::string& message) {
  LogLibraryMessage(LogLibrary::kAbseil, LevelOf(severity), message);
}

// Abseil writes raw log messages to standard error itself; this only decides whether it may. Fatal
// messages, after which Abseil aborts the process, are always written.
bool MayAbseilWrite(absl::LogSeverity severity, const char*, int, char**, int*) {
  static auto* limiter = new RateLimiter(kBurst, kInterval);
  return severity == absl::LogSeverity::kFatal ||
         limiter->Admit(RateLimiter::Clock::now()).has_value();
}

void TakeForeignLogs() {
  gpr_log_verbosity_init();
  gpr_set_log_function(FromGrpc);
  google::protobuf::SetLogHandler(FromProtobuf);
  absl::raw_logging_internal::RegisterInternalLogFunction(FromAbseil);
  absl::raw_logging_internal::RegisterLogFilterAndPrefixHook(MayAbseilWrite);
}

RateLimiter& LimiterOf(LogLibrary source) {
  static auto* limiters =
      new std::array<RateLimiter, 3>{RateLimiter(kBurst, kInterval), RateLimiter(kBurst, kInterval),
                                     RateLimiter(kBurst, kInterval)};
  return (*limiters)[static_cast<size_t>(source)];
}

std::string_view NameOf(LogLibrary source) {
  switch (source) {
    case LogLibrary::kGrpc:
      return "grpc";
    case LogLibrary::kProtobuf:
      return "protobuf";
    case LogLibrary::kAbseil:
      return "abseil";
  }
  return "";
}

}  // namespace

absl::Status InitializeLog(const std::string& level, const std::string& path, LogFormat format) {
  auto writer = std::make_unique<LogWriter>(STDERR_FILENO);
  if (!path.empty()) {
    const absl::Status opened = writer->Open(path);
    if (!opened.ok()) return opened;
  }
  the_writer = writer.get();
  the_format = format;
  TheSink() = std::make_shared<WriterSink>(std::move(writer), path, format);
  auto logger = std::make_shared<spdlog::logger>("", TheSink());
  logger->set_level(spdlog::level::from_str(level));
  // The default handler would print formatting errors to standard error.
  logger->set_error_handler([](const std::string&) {});
  spdlog::set_default_logger(std::move(logger));
  TakeForeignLogs();
  return absl::OkStatus();
}

void SetLogLevel(const std::string& level) {
  spdlog::default_logger_raw()->set_level(spdlog::level::from_str(level));
}

std::string CurrentLogLevel() {
  const auto level = static_cast<size_t>(spdlog::default_logger_raw()->level());
  // spdlog knows one more, "critical", which nobody sets.
  return std::string(kLevels[std::min(level, kLevels.size() - 1)]);
}

bool IsLogLevel(std::string_view level) {
  for (const std::string_view known : kLevels) {
    if (known == level) return true;
  }
  return false;
}

std::optional<LogFormat> ParseLogFormat(std::string_view name) {
  if (name == "text") return LogFormat::kText;
  if (name == "json") return LogFormat::kJson;
  return std::nullopt;
}

void LogWithFields(int level, std::string_view message, std::span<const LogField> fields) {
  const auto ours = static_cast<spdlog::level::level_enum>(level);
  if (TheSink() == nullptr || !spdlog::should_log(ours)) return;
  TheSink()->LogWithFields(
      spdlog::details::log_msg({}, ours, spdlog::string_view_t(message.data(), message.size())),
      fields);
}

int LogDescriptor() {
  const LogWriter* const writer = the_writer.load(std::memory_order_acquire);
  return writer == nullptr ? STDERR_FILENO : writer->descriptor();
}

LogFormat CurrentLogFormat() { return the_format.load(std::memory_order_relaxed); }

absl::Status ReopenLog() {
  if (TheSink() == nullptr || TheSink()->path().empty()) return absl::OkStatus();
  return TheSink()->writer().Open(TheSink()->path());
}

void FlushLog(std::chrono::milliseconds timeout) {
  if (TheSink() != nullptr) TheSink()->writer().Flush(timeout);
}

void LogLibraryMessage(LogLibrary source, int level, std::string_view message) {
  const auto ours = static_cast<spdlog::level::level_enum>(level);
  if (!spdlog::should_log(ours)) return;
  const auto held_back = LimiterOf(source).Admit(RateLimiter::Clock::now());
  if (!held_back.has_value()) return;
  if (*held_back != 0) {
    spdlog::log(ours, "[{}] {} messages were suppressed", NameOf(source), *held_back);
  }
  spdlog::log(ours, "[{}] {}", NameOf(source), message);
}

std::string SanitizeLogMessage(std::string_view message) {
  std::string quoted = Quoted(message, kMaxMessageBytes);
  // Remove the quotes. The mark of truncated text follows the closing quote.
  quoted.erase(quoted.rfind('\''), 1);
  quoted.erase(0, 1);
  return quoted;
}

}  // namespace stagedoor::server
