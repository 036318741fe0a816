#include "server/stages/source_check.h"

#include <string>
#include <unordered_set>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/stage/prim_range.h"

namespace stagedoor::server {
namespace {

std::unordered_set<std::string> SourcesOf(const Stage& stage) {
  std::unordered_set<std::string> names;
  for (const auto& layer : stage.UsedLayers()) {
    const Layer::Info& info = layer->info();
    if (!info.resolved_path.empty()) names.insert(SourceName(info.resolved_path, info.version));
  }
  return names;
}

// Clips are not layers of the stage, and we do not record which clip a value came from. A stage
// without clips does not depend on the clips that other stages read. Prims in prototypes are not
// visited, so instances count as having clips.
bool MayHaveClips(const Stage& stage) {
  for (const Prim& prim : stage.Traverse(PrimFlagsPredicate::All())) {
    if (prim.clips() != nullptr || prim.IsInstance()) return true;
  }
  return false;
}

}  // namespace

absl::Status SourceCheck::CheckLayers(const Stage& stage) const {
  return watch_ ? watch_->CheckNamed(SourcesOf(stage)) : absl::OkStatus();
}

absl::Status SourceCheck::CheckAll(const Stage& stage, bool known) const {
  SD_RETURN_IF_ERROR(watch_->CheckNamed(SourcesOf(stage), known));
  const absl::Status used = watch_->CheckUsed(since_, known);
  return used.ok() || !MayHaveClips(stage) ? absl::OkStatus() : used;
}

absl::Status SourceCheck::Check(const Stage& stage) const {
  return watch_ ? CheckAll(stage, false) : absl::OkStatus();
}

absl::Status SourceCheck::CheckKnownChanges(const Stage& stage) const {
  return watch_ && watch_->changes() != 0 ? CheckAll(stage, true) : absl::OkStatus();
}

absl::Status SourceCheck::TooManyChanges() {
  return DataLossError(
      "the files of the stage are overwritten faster than they can be read; reload the stage once "
      "they are complete");
}

}  // namespace stagedoor::server
