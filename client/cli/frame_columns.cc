#include "client/cli/frame_columns.h"

#include <algorithm>
#include <cstddef>

#include "base/status.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

bool FitTogether(const v1::FramePrims& prims) {
  const int count = prims.ids_size();
  for (const int size : {prims.paths_size(), prims.types_size(), prims.purposes_size(),
                         prims.materials_size(), prims.light_sets_size(), prims.shadow_sets_size(),
                         prims.geometry_size(), prims.prototypes_size()}) {
    if (size != count) return false;
  }
  const auto is_type = [&](uint32_t type) {
    return type < static_cast<uint32_t>(prims.type_names_size());
  };
  return (prims.draw_modes().empty() || prims.draw_modes_size() == count) &&
         (prims.pass_members().empty() ||
          prims.pass_members().size() == static_cast<size_t>(count)) &&
         std::all_of(prims.types().begin(), prims.types().end(), is_type);
}

bool FitTogether(const v1::FrameTransforms& transforms) {
  if (transforms.counts_size() != transforms.ids_size()) return false;
  size_t samples = 0, times = 0;
  for (const uint32_t count : transforms.counts()) {
    samples += count;
    times += count > 1 ? count : 0;
  }
  return PackedElementCount(transforms.matrices()) == samples &&
         static_cast<size_t>(transforms.times_size()) == times;
}

bool FitTogether(const v1::FrameMaterials& materials) {
  return materials.paths_size() == materials.ids_size() &&
         materials.networks_size() == materials.ids_size();
}

bool FitTogether(const v1::FrameVisibility& visibility) {
  return visibility.visible().size() == static_cast<size_t>(visibility.ids_size());
}

}  // namespace

std::string FrameIdText(uint64_t id) {
  if (id == 0) return "";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) {
    text.push_back("0123456789abcdef"[id >> shift & 15]);
  }
  return text;
}

absl::Status CheckFrameColumns(const v1::ExtractFrameResponse& message) {
  const auto has_path = [&](const v1::ItemStatus& error) {
    return error.item() < static_cast<uint32_t>(message.error_paths_size());
  };
  const bool fits =
      FitTogether(message.prims()) && FitTogether(message.transforms()) &&
      FitTogether(message.materials()) && FitTogether(message.visibility()) &&
      std::all_of(message.path_errors().begin(), message.path_errors().end(), has_path);
  return fits ? absl::OkStatus() : DataLossError("the daemon's reply is inconsistent");
}

}  // namespace stagedoor
