#include "server/log/audit_log.h"

#include <fcntl.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMaxTextBytes = 2000;

// "2026-11-25T21:33:04.123Z"
std::string Timestamp(AuditLog::Clock::time_point time) {
  const std::time_t seconds = AuditLog::Clock::to_time_t(time);
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count() % 1000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  const size_t size = std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &utc);
  std::string fraction = Concat(milliseconds);
  fraction.insert(0, 3 - fraction.size(), '0');
  return Concat(std::string_view(text, size), ".", fraction, "Z");
}

}  // namespace

AuditLog::AuditLog(std::string path, std::function<Clock::time_point()> now)
    : path_(std::move(path)), now_(std::move(now)), writer_(-1) {}

AuditLog::~AuditLog() = default;

absl::StatusOr<std::unique_ptr<AuditLog>> AuditLog::Open(const std::string& path,
                                                         std::function<Clock::time_point()> now) {
  std::unique_ptr<AuditLog> log(new AuditLog(path, std::move(now)));
  SD_RETURN_IF_ERROR(log->Reopen());
  return log;
}

absl::Status AuditLog::Reopen() { return writer_.Open(path_); }

void AuditLog::Record(const Entry& entry) {
  nlohmann::ordered_json line = {{"time", Timestamp(now_())}};
  const auto add = [&line](const char* key, std::string_view text) {
    if (!text.empty()) line[key] = std::string(text.substr(0, kMaxTextBytes));
  };
  add("caller", entry.caller);
  add("role", entry.role);
  add("peer", entry.peer);
  add("method", entry.method);
  add("asset", entry.asset);
  add("action", entry.action);
  line["decision"] = entry.decision.ok() ? "allowed" : "denied";
  if (!entry.decision.ok()) add("reason", Message(entry.decision));
  writer_.Write(line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

}  // namespace stagedoor::server
