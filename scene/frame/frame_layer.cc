#include "scene/frame/frame_layer.h"

#include <utility>

#include "base/status_macros.h"
#include "scene/frame/frame_geometry_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/frame/frame_light_writer.h"
#include "scene/frame/frame_link_writer.h"
#include "scene/frame/frame_settings_writer.h"
#include "scene/frame/frame_shading_writer.h"

namespace stagedoor {

absl::StatusOr<FrameLayer> MakeFrameLayer(RequestContext& context, const FrameLayerSource& source,
                                          Layer::Info info, Executor* executor) {
  FrameLayerWork work(context, source, executor);
  FrameLinkWriter links(work);
  FrameSettingsWriter settings(work, links);
  FrameLightWriter lights(work, links);
  // A prim is written once, by the first that has more to say about it.
  SD_RETURN_IF_ERROR(FrameGeometryWriter(work).Write());
  SD_RETURN_IF_ERROR(lights.Write());
  SD_RETURN_IF_ERROR(FrameShadingWriter(work).Write());
  SD_RETURN_IF_ERROR(settings.WriteCameras());
  SD_RETURN_IF_ERROR(settings.WriteSettings());
  // Connections and collections add to prims that others have written.
  SD_RETURN_IF_ERROR(links.Write());
  SD_RETURN_IF_ERROR(lights.WriteLinks());
  SD_RETURN_IF_ERROR(settings.WriteCollections());
  SD_RETURN_IF_ERROR(settings.WriteMetadata());
  FrameLayer result;
  SD_ASSIGN_OR_RETURN(result.layer, work.specs.Build(std::move(info)));
  result.problems = std::move(work.problems);
  result.reserved = work.specs.TakeReservation();
  return result;
}

}  // namespace stagedoor
