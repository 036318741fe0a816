// Links what the guide does not use, so that a symbol that is missing in the library is noticed,
// and includes all headers.
#include <stagedoor.h>
#include <stagedoor/array.h>
#include <stagedoor/attribute.h>
#include <stagedoor/call_options.h>
#include <stagedoor/cancellation.h>
#include <stagedoor/change_subscription.h>
#include <stagedoor/client.h>
#include <stagedoor/client_options.h>
#include <stagedoor/connection.h>
#include <stagedoor/connection_options.h>
#include <stagedoor/error.h>
#include <stagedoor/error_reason.h>
#include <stagedoor/frame.h>
#include <stagedoor/frame_contents.h>
#include <stagedoor/frame_objects.h>
#include <stagedoor/frame_options.h>
#include <stagedoor/futures.h>
#include <stagedoor/geometry.h>
#include <stagedoor/imaging.h>
#include <stagedoor/item_error.h>
#include <stagedoor/outcome.h>
#include <stagedoor/packed_numbers.h>
#include <stagedoor/prim.h>
#include <stagedoor/sample_assembler.h>
#include <stagedoor/samples.h>
#include <stagedoor/security_options.h>
#include <stagedoor/skinning.h>
#include <stagedoor/stage.h>
#include <stagedoor/stage_changes.h>
#include <stagedoor/stage_options.h>
#include <stagedoor/stage_view.h>
#include <stagedoor/times.h>
#include <stagedoor/value.h>
#include <stagedoor/value_batch.h>
#include <stagedoor/value_getter.h>
#include <stagedoor/value_types.h>
#include <stagedoor/values.h>
#include <stagedoor/watch.h>
#include <stagedoor/watch_options.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace sdk = stagedoor::sdk;
namespace v1 = stagedoor::v1;

namespace {

int failures = 0;

void Check(bool condition, const char* what) {
  if (condition) return;
  std::cerr << "surface: " << what << '\n';
  ++failures;
}

// The helpers beside Client, without a daemon.
void CheckMessages() {
  v1::ItemStatus error;
  error.set_code(5);
  error.set_reason(v1::ERROR_REASON_PRIM_NOT_FOUND);
  Check(stagedoor::ErrorReason(stagedoor::ItemError(error)) == "PRIM_NOT_FOUND", "ItemError");
  const absl::Status at = stagedoor::ItemErrorAt("/A", error);
  Check(stagedoor::ErrorMetadata(at).at("path") == "/A", "ErrorMetadata");
  Check(!stagedoor::UnknownStateError(v1::ITEM_STATE_UNSPECIFIED).ok(), "UnknownStateError");
  Check(stagedoor::ReasonName(v1::ERROR_REASON_WRONG_KIND) == "WRONG_KIND", "ReasonName");
  Check(!sdk::IsUnreachable(at) && !sdk::IsLostLease(at), "IsUnreachable");

  v1::BatchGetValuesResponse reply;
  reply.set_path_count(1);
  reply.set_time_count(1);
  reply.add_columns()->add_doubles(2);
  const stagedoor::ValueBatch batch(reply);
  Check(batch.GetDouble(0, 0) == 2 && batch.GetNumbers<float>(0, 0).empty(), "ValueBatch");
  Check(batch.FindValue(0, 0) == nullptr && batch.GetValue(0, 0).double_value() == 2, "GetValue");
  Check(batch.type_name(0, 0).empty() && !batch.GetString(0, 0).has_value(), "type_name");

  stagedoor::SampleAssembler assembler([](const auto&) { return absl::OkStatus(); });
  Check(assembler.Add({}).ok() && assembler.Finish().ok(), "SampleAssembler");
  Check(sizeof(stagedoor::Client) > 0 && !std::is_copy_constructible_v<stagedoor::Client>,
        "Client");
}

void CheckFrames(const sdk::Stage& stage) {
  sdk::Frame frame = stage.Frame({.camera = "/Shot/Camera"});
  size_t prims = 0;
  const absl::Status status = frame.NextInParts(1, [&](const sdk::FrameChanges& changes) {
    prims += changes.prims.size();
    return absl::OkStatus();
  });
  Check(status.ok() && prims > 0 && prims == frame->prims().size(), "NextInParts");
  Check(frame->camera().samples.size() == 1, "one sample without a shutter");
  Check(!frame.NextAsync(2).get().value().complete, "NextAsync");
  std::promise<absl::Status> ended;
  frame.NextAsync(
      3, [](const sdk::FrameChanges&) { return absl::OkStatus(); },
      [&](absl::Status end) { ended.set_value(std::move(end)); });
  Check(ended.get_future().get().ok() && frame.contents().header().time() == 3, "NextAsync");
  Check(frame.GetFingerprint(3).value().size() == 32, "GetFingerprint");
}

// Every method of Stage, Prim and Attribute that the guide leaves out.
void CheckHandles(const std::string& root) {
  sdk::ConnectionOptions options;
  options.client_name = "surface";
  const auto connection = sdk::Connection::Connect(options);
  sdk::Stage stage = sdk::Stage::Open(connection, root).value();
  const sdk::Prim prim = stage.GetDefaultPrim();
  Check(prim.Exists().value(), "Exists");
  Check(!prim.GetChild("Nobody").Exists().value(), "Exists of nothing");
  Check(prim.GetTypeName().ok() && prim.GetParent().path() == "/", "GetTypeName");
  const auto attributes = stage.GetPrimAtPath("/Shot/Camera").GetAttributes().value();
  Check(!attributes.empty() && attributes[0].prim_path() == "/Shot/Camera", "GetAttributes");
  const sdk::Attribute wind = stage.GetAttributeAtPath("/Shot/Curtain/Cloth.wind");
  Check(wind.GetTimeSamples().value().size() > 2 && wind.name() == "wind", "GetTimeSamples");
  Check(wind.Get<double>(sdk::TimeCode::PreTime(5)).ok(), "PreTime");
  Check(wind.Get<std::optional<double>>(sdk::TimeCode::Earliest()).ok(), "Earliest");
  Check(wind.Get<std::optional<double>>(sdk::TimeCode::Default()).ok(), "Default");
  Check(stage.AtSnapshot(stage.snapshot()).GetAttributeAtPath(wind.path()).GetValue(1).ok(),
        "AtSnapshot");

  const std::string paths[] = {"/Shot"};
  Check(stage.GetTransforms(paths, {1, 2}).value().Get(0, 1).ok(), "GetTransforms");
  Check(stage.GetBounds(paths, 1).value().Get(0, 0).ok(), "GetBounds");
  const sdk::BoundMaterials bound = stage.GetBoundMaterials(paths).value();
  Check(bound.Get(0).value().empty() && bound.distinct().empty(), "GetBoundMaterials");
  Check(stage.GetLights().value().size() > 2, "GetLights");
  Check(stage.GetLightSets(paths, v1::LIGHT_LINK_SHADOW).value().sets.chosen()[0] == 1,
        "GetLightSets");
  Check(!prim.GetCamera(1).ok() && prim.GetBoundMaterial("full").value().empty(),
        "GetCamera of another prim");
  Check(stage.Unload(paths).ok() && stage.Load(paths).ok() && stage.Reload().ok(), "Load");
  const std::string layers[] = {"/nothing.usda"};
  Check(stage.MuteLayers(layers).ok() && stage.MuteLayers({}, layers).ok(), "MuteLayers");

  const std::string points[] = {"/Shot/Theatre/Floor.points"};
  Check(stage.GetSamples(points, 1, 2).ok(), "GetSamples");
  const sdk::Value value = stage.GetValues(points, 1).value().Get(0, 0).value();
  Check(value.Get<std::vector<sdk::Vec3f>>().ok() && value.type_name() == "point3f[]", "vector");
  Check(value.message().has_array_value(), "message");
  Check(connection->array_cache_statistics().held_bytes == 0, "no array is large enough to keep");
  Check(stage.GetValuesAsync(points, 1).get().ok(), "GetValuesAsync");
  std::promise<bool> explained;
  v1::ExplainRequest request;
  request.set_path(wind.path());
  request.mutable_times()->add_frames(1);
  stage.CallAsync(&stagedoor::Client::ExplainAsync, request,
                  [&](const auto& reply) { explained.set_value(reply.ok()); });
  Check(explained.get_future().get(), "CallAsync");
  std::promise<absl::Status> ended;
  stage.GetSkinnedPointsAsync(
      {}, 1, [](const sdk::SkinnedPrim&) { return absl::OkStatus(); },
      [&](absl::Status status) { ended.set_value(std::move(status)); }, {});
  Check(ended.get_future().get().ok(), "GetSkinnedPointsAsync");

  const std::vector<sdk::Skinning> skinned = stage.GetSkinning({}, {1, 2}).value();
  Check(skinned.size() == 1 && skinned[0].poses.size() == 2, "GetSkinning");
  Check(!prim.GetSkinning(1).ok(), "GetSkinning of another prim");

  CheckFrames(stage);

  sdk::Watch watch = stage.Watch();
  Check(watch.Next(std::chrono::milliseconds(1)).status().code() ==
            absl::StatusCode::kDeadlineExceeded,
        "Watch::Next");
  watch.Stop();
  sdk::Watch moved = std::move(watch);
  Check(!moved.Next().value().has_value(), "Watch::Stop");
  sdk::ChangeSubscription subscription = stage.OnChange({}, [](const sdk::StageChanges&) {});
  Check(subscription.active() && subscription.Stop().ok() && !subscription.active(), "OnChange");
  Check(!sdk::StageChanges().Affects("/A"), "Affects");
  Check(stage.Close().ok() && !wind.GetValue(1).ok(), "Close");
}

}  // namespace

int main() {
  CheckMessages();
  CheckHandles(std::string(std::getenv("SCENES")) + "/stage_door/root.usda");
  Check(sd_abi_version() == SD_ABI_VERSION, "sd_abi_version");
  return failures == 0 ? 0 : 1;
}
