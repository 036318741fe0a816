#include "server/handlers/admin_handlers.h"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"
#include "server/handlers/admin_state.h"
#include "server/lifecycle/admin_control.h"
#include "server/rpc/call_admission.h"
#include "server/sessions/audit.h"

namespace stagedoor::server {
namespace {

// By the number of v1::LogLevel.
constexpr std::array<std::string_view, 7> kLevelNames = {"",     "trace", "debug", "info",
                                                         "warn", "error", "off"};

v1::LogLevel LevelNamed(std::string_view name) {
  for (size_t number = 1; number < kLevelNames.size(); ++number) {
    if (kLevelNames[number] == name) return static_cast<v1::LogLevel>(number);
  }
  return v1::LOG_LEVEL_UNSPECIFIED;
}

// Whether there is a process to be controlled, which some action needs.
absl::Status CheckControl(const AdminState& state, std::string_view action) {
  if (state.control.controls_process()) return absl::OkStatus();
  return WithReason(FailedPreconditionError("cannot ", action,
                                            ": the server is not a daemon but runs inside another "
                                            "program"),
                    v1::ERROR_REASON_UNSUPPORTED);
}

void AddTexts(const std::vector<std::string>& texts,
              google::protobuf::RepeatedPtrField<std::string>* out) {
  for (const std::string& text : texts) *out->Add() = CoerceToUtf8(text);
}

}  // namespace

absl::Status Drain(const AdminState& state, RequestContext& context, const v1::DrainRequest&,
                   v1::DrainResponse* response) {
  SD_RETURN_IF_ERROR(CheckControl(state, "drain"));
  SD_RETURN_IF_ERROR(context.Check());
  AuditAction(state.audit, "Drain", "drain the daemon", absl::OkStatus());
  response->set_already_draining(state.control.Drain());
  response->set_calls_in_flight(state.admission.calls_in_flight());
  return absl::OkStatus();
}

absl::Status SetLogLevel(const AdminState& state, RequestContext& context,
                         const v1::SetLogLevelRequest& request, v1::SetLogLevelResponse* response) {
  SD_RETURN_IF_ERROR(CheckControl(state, "set the log level"));
  SD_RETURN_IF_ERROR(context.Check());
  const std::string level(kLevelNames.at(static_cast<size_t>(request.level())));
  // Logged while the less severe of both levels applies, so that the line is seen if possible.
  const bool hides_info = request.level() > v1::LOG_LEVEL_INFO;
  const auto audit = [&] {
    if (level.empty()) return;
    AuditAction(state.audit, "SetLogLevel", Concat("set the log level to ", level),
                absl::OkStatus());
  };
  if (hides_info) audit();
  response->set_previous_level(LevelNamed(state.control.SetLogLevel(level)));
  if (!hides_info) audit();
  return absl::OkStatus();
}

absl::Status ReloadConfig(const AdminState& state, RequestContext& context,
                          const v1::ReloadConfigRequest&, v1::ReloadConfigResponse* response) {
  SD_RETURN_IF_ERROR(CheckControl(state, "reload the configuration"));
  SD_RETURN_IF_ERROR(context.Check());
  const absl::StatusOr<ReloadReport> report = state.control.ReloadConfig();
  AuditAction(state.audit, "ReloadConfig", "reload the configuration", report.status());
  SD_RETURN_IF_ERROR(report.status());
  AddTexts(report->errors, response->mutable_errors());
  AddTexts(report->changed, response->mutable_changed());
  AddTexts(report->needs_restart, response->mutable_needs_restart());
  return absl::OkStatus();
}

absl::Status GetConfig(const AdminState& state, RequestContext& context,
                       const v1::GetConfigRequest&, v1::GetConfigResponse* response) {
  SD_RETURN_IF_ERROR(CheckControl(state, "return the configuration"));
  SD_RETURN_IF_ERROR(context.Check());
  response->set_yaml(CoerceToUtf8(state.control.Config()));
  return absl::OkStatus();
}

}  // namespace stagedoor::server
