#ifndef STAGEDOOR_SERVER_FRAMES_FRAME_WRITER_H_
#define STAGEDOOR_SERVER_FRAMES_FRAME_WRITER_H_

#include <google/protobuf/repeated_field.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/frame/frame_plan.h"
#include "scene/values/matrix.h"
#include "server/converters/reply_budget.h"
#include "server/frames/frame_filter.h"
#include "server/frames/frame_part.h"
#include "server/frames/sent_values.h"
#include "stagedoor/v1/frame.pb.h"

namespace stagedoor::server {

// Adds parts of a frame to a message, as far as the filter wants them. For one message and one
// thread. The functions that return a status fail only if the request is over.
class FrameWriter {
 public:
  struct Options {
    size_t most_bytes = 0;       // of the message; from then on there is no room
    double time_origin = 0;      // subtracted from the times of samples
    bool with_members = false;   // of a render pass
    SentValues* sent = nullptr;  // of the messages before; null if nothing is sent
  };

  FrameWriter(ReplyBudget& budget, FrameFilter& filter, const Options& options,
              v1::ExtractFrameResponse* out)
      : budget_(budget), filter_(filter), options_(options), out_(*out) {}

  RequestContext& context() { return budget_.context(); }
  ReplyBudget& budget() { return budget_; }
  FrameFilter& filter() { return filter_; }
  // The values that geometry was sent with; null if values are not shared.
  SentValues* sent() { return options_.sent; }
  v1::ExtractFrameResponse& out() { return out_; }

  // Whether the message gets further parts.
  bool HasRoom() const {
    const ArrayOutbox* arrays = budget_.arrays();
    const size_t pending = arrays == nullptr ? 0 : arrays->pending_bytes();
    return budget_.message_bytes() + pending < options_.most_bytes;
  }

  absl::StatusOr<bool> Wants(const FramePart& part) { return filter_.Wants(context(), part); }

  // A row of a plan, as a new object.
  absl::Status AddRow(const FramePlan& plan, const FramePrim& row);
  absl::Status AddVisibility(FrameId object, bool visible);
  // As many matrices as times.
  absl::Status AddTransform(FrameId object, std::span<const double> times,
                            std::span<const Matrix4d> matrices);
  // Something of the prim at a path could not be computed.
  absl::Status AddError(std::string_view path, const absl::Status& failure);

  // Adds the times of samples, if there are several. Stops when the budget is used up.
  void FillTimes(std::span<const double> times, google::protobuf::RepeatedField<double>* out);
  // Makes the times of samples relative to the origin.
  void ShiftTimes(google::protobuf::RepeatedField<double>* times) const {
    for (double& time : *times) time -= options_.time_origin;
  }

 private:
  using TypeNumbers = std::unordered_map<Token, uint32_t>;

  void FillRow(const FramePlan& plan, const FramePrim& row, TypeNumbers* types,
               v1::FramePrims* out);
  void FillDrawMode(Token draw_mode, v1::FramePrims* out);
  void FillTransform(FrameId object, std::span<const double> times,
                     std::span<const Matrix4d> matrices, v1::FrameTransforms* out);
  // Whether a part is wanted that `fill` adds to an empty message of type `Columns`.
  template <typename Columns, typename Fill>
  absl::StatusOr<bool> WantsRow(const FramePartId& id, const Fill& fill);

  ReplyBudget& budget_;
  FrameFilter& filter_;
  const Options options_;
  v1::ExtractFrameResponse& out_;
  TypeNumbers types_;  // of the rows of the message
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_FRAMES_FRAME_WRITER_H_
