#include "server/handlers/frame_handler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/fingerprinter.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/frame/frame_clips.h"
#include "scene/frame/frame_plans.h"
#include "server/frame_memory/frame_digests.h"
#include "server/frame_memory/frame_token.h"
#include "server/frames/changed_parts.h"
#include "server/frames/frame_filter.h"
#include "server/frames/frame_header.h"
#include "server/frames/frame_job.h"
#include "server/frames/frame_request.h"
#include "server/frames/frame_walk.h"
#include "server/frames/frame_writer.h"
#include "server/frames/prim_batches.h"
#include "server/frames/sent_values.h"
#include "server/queries/motion_samples.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

constexpr std::string_view kFewerSamples = "request fewer samples";

// Prims that are planned before the first message.
constexpr size_t kFirstRowsOfPlan = 2 * kFirstRows;
// The size of the first message after the header. Each is twice as large as the one before it, up
// to the size that was asked for, so that the first prims come soon.
constexpr size_t kFirstBytes = size_t{64} << 10;

// Looks up what a request is about.
absl::StatusOr<FrameJob> MakeFrameJob(const FrameState& state, RequestContext& context,
                                      const FrameRequestFields& fields) {
  SD_ASSIGN_OR_RETURN(FrameRequest request, ParseFrameRequest(state.queries, context, fields));
  FrameJob job;
  job.executor = state.queries.stages.environment().executor;
  job.limits = state.queries.limits;
  job.request = std::make_shared<const FrameRequest>(std::move(request));
  return job;
}

// Finds the whole plan of the frames.
absl::Status FindPlan(RequestContext& context, FrameJob* job) {
  const FrameRequest& request = *job->request;
  SD_ASSIGN_OR_RETURN(job->plan,
                      FramePlans::Of(request.stage())
                          .Find(context, request.stage(), request.selection, request.plan_key));
  return absl::OkStatus();
}

// Finds the plan, or begins to make it if all of the frame is sent.
absl::Status BeginPlan(RequestContext& context, FrameJob* job) {
  if (job->only_varying) return FindPlan(context, job);
  const FrameRequest& request = *job->request;
  SD_ASSIGN_OR_RETURN(job->planning,
                      FramePlanning::Begin(context, request.stage(), request.selection,
                                           request.plan_key, kFirstRowsOfPlan));
  job->plan = job->planning->plan();
  if (job->planning->is_whole()) job->planning = nullptr;
  return absl::OkStatus();
}

// The frame that the client holds; nothing if `frame` cannot be sent as changes of it.
// INVALID_FIELD for a malformed token.
absl::StatusOr<std::optional<FrameToken>> ParseBase(const v1::ExtractFrameRequest& request,
                                                    const FrameToken& frame) {
  if (request.base_token().empty()) return std::nullopt;
  SD_ASSIGN_OR_RETURN(const std::optional<FrameToken> base,
                      FrameToken::Parse(request.base_token()));
  if (!base || base->key != frame.key) return std::nullopt;
  const bool has_shutter =
      !request.has_sample_policy() ||
      ParseSamplePolicy(request.sample_policy(), std::span(&base->time, 1)).ok();
  return has_shutter ? base : std::nullopt;
}

// Whether two frames can be compared by what varies: they are of one snapshot, and both at default
// time or both at finite times.
bool AreComparable(const FrameToken& a, const FrameToken& b) {
  return a.snapshot == b.snapshot && a.time.is_default() == b.time.is_default() &&
         std::isfinite(a.time.value()) && std::isfinite(b.time.value());
}

// Whether the clips that the client's frame was made from are those of now.
absl::StatusOr<bool> HasSameClips(RequestContext& context, const FrameToken& base,
                                  const FrameJob& job) {
  const Stage& stage = job.request->stage();
  SD_ASSIGN_OR_RETURN(const FrameToken::Words clips,
                      FrameClips::Of(stage).VersionsAt(
                          context, stage, {base.time, job.times().policy}, job.executor));
  return clips == base.clips;
}

// How a frame is sent, and how the daemon remembers that the client holds it.
struct FrameDelivery {
  FrameToken token;
  bool complete = true;                          // the client is to forget what it holds
  FrameMemory* memory = nullptr;                 // null if nothing is remembered
  std::unique_ptr<FrameDigestsBuilder> digests;  // likewise
  std::unique_ptr<FrameFilter> filter;
};

// Decides which parts of a frame are sent, and completes the job accordingly.
absl::StatusOr<FrameDelivery> MakeDelivery(const FrameState& state, RequestContext& context,
                                           const v1::ExtractFrameRequest& request, FrameJob* job) {
  const bool remembers = request.changes_between_snapshots();
  FrameDelivery delivery;
  delivery.token = {
      .key = FrameKeyOf(FrameRequestFields::Of(request), remembers),
      .snapshot = FrameToken::SnapshotWords(job->request->leased.snapshot->fingerprint()),
      .time = job->frame()};
  // First, so that a clip that changes while the frame is made is noticed with the next one.
  const Stage& stage = job->request->stage();
  SD_ASSIGN_OR_RETURN(delivery.token.clips, FrameClips::Of(stage).VersionsAt(
                                                context, stage, job->times(), job->executor));
  SD_ASSIGN_OR_RETURN(const auto base, ParseBase(request, delivery.token));
  if (base && AreComparable(*base, delivery.token)) {
    SD_ASSIGN_OR_RETURN(job->only_varying, HasSameClips(context, *base, *job));
  }
  if (job->only_varying) job->base = FrameTimes{base->time, job->times().policy};
  const FrameMemory::Pointer held = base && remembers ? state.memory.Find(*base) : nullptr;
  delivery.complete = !job->only_varying && held == nullptr;
  // Without what the client holds, the parts that vary do not say what it will hold.
  if (!remembers || (job->only_varying && held == nullptr)) {
    delivery.filter = std::make_unique<SendAllParts>();
    return delivery;
  }
  delivery.memory = &state.memory;
  delivery.digests = std::make_unique<FrameDigestsBuilder>(
      context, job->only_varying ? held : nullptr, state.memory.max_entry_bytes());
  delivery.filter = std::make_unique<ChangedParts>(
      context, state.memory, job->only_varying ? nullptr : held, *delivery.digests);
  return delivery;
}

// The messages of a frame. The first one of all of a frame has the header only, so that clients get
// it soon.
class FrameStream final : public ChunkedStream<v1::ExtractFrameResponse> {
 public:
  FrameStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
              FrameDelivery delivery, std::unique_ptr<FrameWalk> walk)
      : ChunkedStream(context, limits, chunk_bytes, kFewerSamples),
        delivery_(std::move(delivery)),
        walk_(std::move(walk)),
        sent_(context) {}

 private:
  absl::StatusOr<bool> Make(RequestContext& context, v1::ExtractFrameResponse* out) override {
    if (done_) return false;
    const FrameJob& job = walk_->job();
    const bool first = !std::exchange(started_, true);
    FrameWriter writer(budget(), *delivery_.filter,
                       {.most_bytes = std::min(most_bytes_, chunk_bytes()),
                        .with_members = job.request->selection.render_pass.valid(),
                        .sent = &sent_},
                       out);
    if (first) SD_RETURN_IF_ERROR(WriteHeader(writer));
    if (!first || job.only_varying) {
      SD_RETURN_IF_ERROR(walk_->Continue(writer));
      most_bytes_ = std::min(2 * most_bytes_, chunk_bytes());
    }
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(out->mutable_warnings()));
    // The message stands if nothing that was read has changed meanwhile.
    SD_RETURN_IF_ERROR(job.request->leased.CheckRead());
    if (walk_->AtEnd()) SD_RETURN_IF_ERROR(Finish(context, out));
    return true;
  }
  bool NoMoreItems() const override { return done_; }

  absl::Status WriteHeader(FrameWriter& writer) {
    counted_ = walk_->job().planning == nullptr;
    return WriteFrameHeader(walk_->job(), delivery_.complete, writer);
  }

  absl::Status Finish(RequestContext& context, v1::ExtractFrameResponse* out) {
    done_ = true;
    if (delivery_.memory != nullptr) {
      SD_RETURN_IF_ERROR(delivery_.memory->Keep(context, delivery_.token, delivery_.digests.get()));
    }
    if (!counted_) out->set_prim_count(walk_->job().plan->prims.size());
    out->set_token(delivery_.token.ToBytes());
    return context.Check();
  }

  const FrameDelivery delivery_;
  const std::unique_ptr<FrameWalk> walk_;
  SentValues sent_;
  size_t most_bytes_ = kFirstBytes;
  bool started_ = false;
  bool counted_ = false;  // whether the header has the number of prims
  bool done_ = false;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> ExtractFrame(const FrameState& state,
                                                           RequestContext& context,
                                                           const v1::ExtractFrameRequest& request) {
  // Look up the stage and the prims, and plan, or begin to.
  SD_ASSIGN_OR_RETURN(FrameJob job, MakeFrameJob(state, context, FrameRequestFields::Of(request)));
  SD_ASSIGN_OR_RETURN(FrameDelivery delivery, MakeDelivery(state, context, request, &job));
  SD_RETURN_IF_ERROR(BeginPlan(context, &job));
  SD_ASSIGN_OR_RETURN(auto walk, FrameWalk::Start(context, job, *delivery.filter));
  // The stream calls the engine, and fills the messages.
  const ServerLimits& limits = state.queries.limits;
  auto stream = std::make_unique<FrameStream>(context, limits, ChunkBytes(request, limits),
                                              std::move(delivery), std::move(walk));
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

absl::Status ComputeFrameFingerprint(const FrameState& state, RequestContext& context,
                                     const v1::ComputeFrameFingerprintRequest& request,
                                     v1::ComputeFrameFingerprintResponse* response) {
  // Look up the stage and the prims, and plan.
  const auto fields = FrameRequestFields::Of(request);
  SD_ASSIGN_OR_RETURN(FrameJob job, MakeFrameJob(state, context, fields));
  SD_RETURN_IF_ERROR(FindPlan(context, &job));
  job.only_varying = true;
  // The snapshot and the request determine all parts that do not vary.
  Fingerprinter fingerprinter;
  const std::string& snapshot = job.request->leased.snapshot->fingerprint();
  const FrameToken::Words key = FrameKeyOf(fields, /*changes_between_snapshots=*/false);
  fingerprinter.Add(Concat("frame ", snapshot, " ", key[0], " ", key[1]));
  fingerprinter.Add(job.frame().is_default() ? "default" : "");
  // Call the engine.
  FingerprintParts filter(fingerprinter);
  SD_ASSIGN_OR_RETURN(const auto walk, FrameWalk::Start(context, job, filter));
  ReplyBudget budget(context, job.limits.max_item_bytes(), kFewerSamples);
  v1::ExtractFrameResponse unsent;
  FrameWriter writer(budget, filter,
                     {.most_bytes = job.limits.message_bytes, .time_origin = job.frame().value()},
                     &unsent);
  SD_RETURN_IF_ERROR(WriteFrameHeader(job, /*complete=*/true, writer));
  while (!walk->AtEnd()) {
    budget.StartMessage();
    unsent.Clear();
    SD_RETURN_IF_ERROR(walk->Continue(writer));
  }
  // Fill the reply.
  response->set_snapshot(snapshot);
  response->set_fingerprint(fingerprinter.FinishBytes());
  SD_RETURN_IF_ERROR(context.Check());
  // The reply stands if nothing that was read has changed meanwhile.
  return job.request->leased.CheckRead();
}

}  // namespace stagedoor::server
