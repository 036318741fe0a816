// The methods of StageView that compute what renderers do.
#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "client/sdk/imaging_reply.h"
#include "client/sdk/path_parts.h"
#include "client/sdk/stage_view.h"

namespace stagedoor::sdk {

absl::StatusOr<BoundMaterials> StageView::GetBoundMaterials(std::span<const std::string> paths,
                                                            std::span<const std::string> purposes,
                                                            const CallOptions& call) const {
  const size_t width = std::max<size_t>(purposes.size(), 1);
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<BoundMaterials>> {
    v1::ComputeBoundMaterialsRequest request;
    request.mutable_paths()->Add(part.begin(), part.end());
    request.mutable_purposes()->Add(purposes.begin(), purposes.end());
    SD_ASSIGN_OR_RETURN(const v1::ComputeBoundMaterialsResponse reply,
                        At(pin).Call(&Client::ComputeBoundMaterials, std::move(request), call));
    SD_ASSIGN_OR_RETURN(BoundMaterials materials, BoundMaterialsIn(reply, part, width));
    return OfSnapshot<BoundMaterials>{std::move(materials), reply.snapshot()};
  };
  SD_ASSIGN_OR_RETURN(const std::vector<BoundMaterials> parts,
                      AskInParts<BoundMaterials>(paths, pin_, ask));
  return JoinMaterials(parts, width);
}

absl::StatusOr<std::vector<v1::Light>> StageView::GetLights(const std::string& root,
                                                            const CallOptions& call) const {
  v1::ListLightsRequest request;
  request.set_root(root);
  SD_ASSIGN_OR_RETURN(v1::ListLightsResponse reply,
                      Call(&Client::ListLights, std::move(request), call));
  auto* const lights = reply.mutable_lights();
  return std::vector<v1::Light>(std::make_move_iterator(lights->begin()),
                                std::make_move_iterator(lights->end()));
}

absl::StatusOr<LightSets> StageView::GetLightSets(std::span<const std::string> paths,
                                                  v1::LightLink link,
                                                  const CallOptions& call) const {
  const auto ask = [&](PathParts::Paths part,
                       const std::string& pin) -> absl::StatusOr<OfSnapshot<LightSets>> {
    v1::ComputeLightSetsRequest request;
    request.mutable_paths()->Add(part.begin(), part.end());
    request.set_link(link);
    SD_ASSIGN_OR_RETURN(const v1::ComputeLightSetsResponse reply,
                        At(pin).Call(&Client::ComputeLightSets, std::move(request), call));
    SD_ASSIGN_OR_RETURN(LightSets sets, LightSetsIn(reply, part));
    return OfSnapshot<LightSets>{std::move(sets), reply.snapshot()};
  };
  SD_ASSIGN_OR_RETURN(std::vector<LightSets> parts, AskInParts<LightSets>(paths, pin_, ask));
  return JoinLightSets(std::move(parts));
}

absl::StatusOr<Camera> StageView::GetCamera(const std::string& path, const TimeCode& time,
                                            const CameraOptions& options,
                                            const CallOptions& call) const {
  v1::ComputeCamerasRequest request;
  request.add_paths(path);
  *request.mutable_times() = Times(time).message();
  request.set_aspect_ratio(options.aspect_ratio);
  request.set_conform_policy(options.conform_policy);
  SD_ASSIGN_OR_RETURN(v1::ComputeCamerasResponse reply,
                      Call(&Client::ComputeCameras, std::move(request), call));
  return CameraIn(std::move(reply), path);
}

}  // namespace stagedoor::sdk
