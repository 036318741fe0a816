#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/item_error.h"
#include "client/cc/packed_numbers.h"
#include "client/cli/commands.h"
#include "client/cli/packed_cell.h"
#include "client/cli/record_printer.h"
#include "client/cli/safe_text.h"
#include "client/cli/stage_options.h"
#include "client/cli/timed_request.h"
#include "client/cli/value_json.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

// The in-betweens of a shape: "two, in-betweens at 0.25, 0.5".
std::string ShapeText(const std::string& name, const v1::SkinningBlendShape& shape) {
  std::string inbetweens;
  for (const v1::SkinningSubShape& sub : shape.sub_shapes()) {
    if (sub.inbetween().empty()) continue;
    inbetweens +=
        Concat(inbetweens.empty() ? ", in-betweens at " : ", ", FormatNumber(sub.weight()));
  }
  const size_t points = PackedElementCount(shape.point_indices());
  return Concat(name, ": ", points == 0 ? std::string("all points") : Concat(points, " points"),
                inbetweens);
}

// Prints the items of a stream.
class SkinningPrinter {
 public:
  SkinningPrinter(const v1::ComputeSkinningRequest& request, RecordFormat format, Output& output)
      : request_(request),
        output_(output),
        records_(format,
                 {{"path"},
                  {"time", true},
                  {"skeleton"},
                  {"animation", false, false},
                  {"method"},
                  {"rigid"},
                  {"influences", true},
                  {"joints", false, false},
                  {"blend_shapes"},
                  {"weights"},
                  {"geom_bind_transform", false, false},
                  {"skinning_transforms", false, false}},
                 output) {}

  absl::Status Take(const v1::ComputeSkinningResponse& part) {
    if (part.starts_over()) {
      skeletons_.clear();
      bindings_.clear();
      poses_.clear();
    }
    for (const v1::SkinningSkeleton& skeleton : part.skeletons()) {
      skeletons_[skeleton.number()] = skeleton;
    }
    for (const v1::SkinningBinding& binding : part.bindings()) {
      bindings_[binding.number()] = binding;
    }
    for (const v1::SkinningPose& pose : part.poses()) poses_[pose.number()] = pose;
    for (const v1::SkinningItem& item : part.items()) {
      if (item.has_error()) return ItemErrorAt(item.path(), item.error());
      SD_RETURN_IF_ERROR(Print(item));
    }
    return absl::OkStatus();
  }
  void Finish() { records_.Finish(); }

 private:
  absl::Status Print(const v1::SkinningItem& item) {
    const auto binding = bindings_.find(item.binding());
    const auto pose = poses_.find(item.pose());
    if (binding == bindings_.end() || !skeletons_.contains(binding->second.skeleton()) ||
        (item.pose() != 0 && pose == poses_.end()) ||
        item.time_index() >= static_cast<uint32_t>(request_.times().times_size())) {
      return DataLossError("the daemon's reply is inconsistent");
    }
    const v1::PackedValues joints =
        item.pose() == 0 ? v1::PackedValues() : pose->second.skinning_transforms();
    if (records_.is_text()) {
      if (std::exchange(last_path_, item.path()) != item.path()) PrintPrim(item, binding->second);
      PrintTime(item, binding->second, joints);
    } else {
      AddRecord(item, binding->second, joints);
    }
    return absl::OkStatus();
  }

  const v1::TimeCode& TimeOf(const v1::SkinningItem& item) const {
    return request_.times().times(static_cast<int>(item.time_index()));
  }
  static const v1::JointInfluences& InfluencesOf(const v1::SkinningItem& item,
                                                 const v1::SkinningBinding& binding) {
    return item.has_influences() ? item.influences() : binding.influences();
  }
  const google::protobuf::RepeatedPtrField<std::string>& JointsOf(
      const v1::SkinningBinding& binding) const {
    return binding.has_joint_mapping() ? binding.joint_order()
                                       : skeletons_.at(binding.skeleton()).joint_order();
  }

  void Line(const std::string& text) { output_.Line(Concat("  ", SafeText(text))); }

  void PrintPrim(const v1::SkinningItem& item, const v1::SkinningBinding& binding) {
    output_.Line(Concat(SafeText(item.path()), " by ", SafeText(item.skeleton())));
    if (!item.animation_source().empty()) Line(Concat("animation: ", item.animation_source()));
    Line(Concat("method: ", binding.skinning_method(), binding.rigid() ? ", rigid" : ""));
    const v1::JointInfluences& influences = InfluencesOf(item, binding);
    const size_t size = influences.influences_per_component();
    const size_t count = PackedElementCount(influences.indices());
    Line(size == 0 ? "influences: none that can be used"
                   : Concat("influences: ", size, " for each of ", count / size, " points",
                            influences.out_of_range() ? ", some of joints that do not exist" : ""));
    int missing = 0;
    for (const int joint : PackedNumbers<int>(binding.joint_mapping())) missing += joint < 0;
    Line(Concat("joints: ", JointsOf(binding).size(),
                binding.has_joint_mapping() ? " of its own" : " of the skeleton",
                missing == 0 ? std::string() : Concat(", ", missing, " unknown to the skeleton")));
    for (int i = 0; i < binding.blend_shapes_size(); ++i) {
      const bool named = i < binding.blend_shape_order_size();
      Line(Concat("blend shape ",
                  ShapeText(named ? binding.blend_shape_order(i) : "", binding.blend_shapes(i))));
    }
  }

  void PrintTime(const v1::SkinningItem& item, const v1::SkinningBinding& binding,
                 const v1::PackedValues& joints) {
    std::string text = Concat("at ", TimeText(TimeOf(item)), ": ");
    text += item.pose() == 0 ? std::string("no pose")
                             : Concat(PackedElementCount(joints), " joint transforms");
    const std::span<const float> weights = PackedNumbers<float>(item.blend_shape_weights());
    for (size_t i = 0; i < weights.size(); ++i) {
      const bool named = i < static_cast<size_t>(binding.blend_shape_order_size());
      text += Concat(", ", named ? binding.blend_shape_order(static_cast<int>(i)) : "", " ",
                     FormatNumber(weights[i]));
    }
    Line(text);
  }

  void AddRecord(const v1::SkinningItem& item, const v1::SkinningBinding& binding,
                 const v1::PackedValues& joints) {
    const v1::PackedValues& bind =
        item.has_geom_bind_transform() ? item.geom_bind_transform() : binding.geom_bind_transform();
    records_.Add(
        "", {item.path(), TimeCell(TimeOf(item)), item.skeleton(),
             Cell::TextIfAny(item.animation_source()), binding.skinning_method(), binding.rigid(),
             InfluencesOf(item, binding).influences_per_component(), Cell::List(JointsOf(binding)),
             Cell::List(binding.blend_shape_order()), PackedCell(item.blend_shape_weights()),
             PackedCell(bind), PackedCell(joints)});
  }

  const v1::ComputeSkinningRequest& request_;
  Output& output_;
  std::map<uint32_t, v1::SkinningSkeleton> skeletons_;
  std::map<uint32_t, v1::SkinningBinding> bindings_;
  std::map<uint32_t, v1::SkinningPose> poses_;
  std::string last_path_;
  RecordPrinter records_;
};

}  // namespace

absl::Status RunSkinning(Client& client, const CommandLine& line, Output& output) {
  SD_ASSIGN_OR_RETURN(const RecordFormat format, RecordFormatOf(line));
  SD_ASSIGN_OR_RETURN(auto request, TimedRequest<v1::ComputeSkinningRequest>(line));
  SD_ASSIGN_OR_RETURN(const StageLease stage, OpenStage(client, line));
  *request.mutable_stage() = stage.ref();
  SkinningPrinter printer(request, format, output);
  SD_RETURN_IF_ERROR(client.ComputeSkinning(
      request, [&](const v1::ComputeSkinningResponse& part) { return printer.Take(part); }));
  printer.Finish();
  return absl::OkStatus();
}

}  // namespace stagedoor
