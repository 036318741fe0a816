#include "server/handlers/frame_export_handler.h"

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status_macros.h"
#include "scene/frame/frame_layer.h"
#include "scene/frame/frame_plans.h"
#include "server/converters/reply_budget.h"
#include "server/frames/frame_request.h"
#include "server/sessions/layer_files.h"
#include "server/sessions/source_state.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/data_stream.h"

namespace stagedoor::server {
namespace {

// The most bytes of problems in the first message, which has no part of the file if there are any.
constexpr size_t kMostProblemBytes = size_t{1} << 20;
constexpr std::string_view kFewerPrims = "request fewer prims";

// Streams the file of a frame's layer, after what could not be computed.
class FrameExportStream final : public ResponseStream<v1::ExportFrameResponse> {
 public:
  FrameExportStream(FrameLayer frame, LeasedStage leased, ByteSourcePtr bytes, size_t chunk_bytes)
      : frame_(std::move(frame)),
        leased_(std::move(leased)),
        file_(std::move(bytes), chunk_bytes,
              {leased_.snapshot->fingerprint(), [this] { return leased_.CheckRead(); }}) {}

  absl::StatusOr<bool> Next(RequestContext& context, v1::ExportFrameResponse* response) override {
    if (frame_.problems.empty()) return file_.Next(context, response);
    ReplyBudget budget(context, kMostProblemBytes, kFewerPrims);
    FillProblems(budget, response);
    response->set_snapshot(leased_.snapshot->fingerprint());
    frame_.problems.clear();
    SD_RETURN_IF_ERROR(context.Check());
    return true;
  }

 private:
  // Fills as many problems as fit.
  void FillProblems(ReplyBudget& budget, v1::ExportFrameResponse* response) const {
    size_t bytes = 0;
    for (const FrameLayerProblem& problem : frame_.problems) {
      constexpr size_t kMostMessageBytes = 2000;  // see ItemStatus.message
      bytes += problem.path.size() + kMostMessageBytes;
      if (bytes > kMostProblemBytes / 2) return;
      const auto item = static_cast<uint32_t>(response->error_paths_size());
      budget.AddText(problem.path, response->mutable_error_paths());
      budget.FillError(problem.status, item, response->add_path_errors());
    }
  }

  FrameLayer frame_;
  const LeasedStage leased_;
  DataStream<v1::ExportFrameResponse> file_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<v1::ExportFrameResponse>> ExportFrame(
    const SourceState& state, RequestContext& context, const v1::ExportFrameRequest& request) {
  // Look up the stage and the prims, and plan.
  SD_ASSIGN_OR_RETURN(FrameRequest frame,
                      ParseFrameRequest(state.queries, context, FrameRequestFields::Of(request)));
  SD_ASSIGN_OR_RETURN(
      const auto plan,
      FramePlans::Of(frame.stage()).Find(context, frame.stage(), frame.selection, frame.plan_key));
  // Call the engine.
  const FrameLayerSource source{.stage = frame.stage(),
                                .plan = *plan,
                                .selection = frame.selection,
                                .times = frame.times,
                                .camera = frame.camera,
                                .settings = frame.settings,
                                .without_invisible = frame.without_invisible};
  SD_ASSIGN_OR_RETURN(
      FrameLayer layer,
      MakeFrameLayer(context, source,
                     {.identifier = "anon:frame", .format = "usda", .anonymous = true},
                     state.queries.stages.environment().executor));
  SD_ASSIGN_OR_RETURN(ByteSourcePtr bytes, MakeLayerByteSource(state.assets.layers.formats(),
                                                               layer.layer, request.format()));
  // The stream fills the messages.
  return std::make_unique<FrameExportStream>(std::move(layer), std::move(frame.leased),
                                             std::move(bytes),
                                             ChunkBytes(request, state.assets.limits));
}

}  // namespace stagedoor::server
