// The functions of the C interface for watches.
#include <chrono>

#include "base/status.h"
#include "base/status_macros.h"
#include "client/sdk/c_objects.h"

namespace stagedoor::sdk {
namespace {

absl::StatusOr<sd_changes> NextOf(Watch& watch, std::chrono::milliseconds timeout) {
  SD_ASSIGN_OR_RETURN(std::optional<StageChanges> next, watch.Next(timeout));
  if (!next.has_value()) return CancelledError("the watch was stopped, or its stage was closed");
  std::vector<std::string> paths = next->resynced_paths;
  for (const auto& [path, fields] : next->changed_info) paths.push_back(path);
  return sd_changes{*std::move(next), std::move(paths)};
}

}  // namespace
}  // namespace stagedoor::sdk

namespace sdk = stagedoor::sdk;

sd_code sd_watch_open(sd_stage* stage, const char* const* paths, size_t path_count, sd_watch** out,
                      sd_error** error) {
  if (stage == nullptr) return sdk::ReportNull("stage", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  absl::StatusOr<std::vector<std::string>> wanted = sdk::TextsOf(paths, path_count);
  if (!wanted.ok()) return sdk::Report(wanted.status(), error);
  *out = new sd_watch{stage->stage.Watch({.paths = *std::move(wanted)})};
  return SD_OK;
}

sd_code sd_watch_next(sd_watch* watch, uint32_t timeout_ms, sd_changes** out, sd_error** error) {
  if (watch == nullptr) return sdk::ReportNull("watch", error);
  if (out == nullptr) return sdk::ReportNull("out", error);
  return sdk::Return(sdk::NextOf(watch->watch, std::chrono::milliseconds(timeout_ms)), out, error);
}

void sd_watch_stop(sd_watch* watch) {
  if (watch != nullptr) watch->watch.Stop();
}

const char* sd_changes_snapshot(const sd_changes* changes) {
  return changes == nullptr ? "" : changes->changes.snapshot.c_str();
}

int32_t sd_changes_affect(const sd_changes* changes, const char* path) {
  return changes != nullptr && path != nullptr && changes->changes.Affects(path) ? 1 : 0;
}

size_t sd_changes_count(const sd_changes* changes) {
  return changes == nullptr ? 0 : changes->paths.size();
}

const char* sd_changes_path(const sd_changes* changes, size_t index) {
  return index < sd_changes_count(changes) ? changes->paths[index].c_str() : nullptr;
}

int32_t sd_changes_resynced(const sd_changes* changes, size_t index) {
  return changes != nullptr && index < changes->changes.resynced_paths.size() ? 1 : 0;
}
