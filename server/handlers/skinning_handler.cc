#include "server/handlers/skinning_handler.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "base/status_macros.h"
#include "scene/skel/pose_cache.h"
#include "server/converters/packed_values.h"
#include "server/converters/pin_or_copy_chunk.h"
#include "server/converters/reply_budget.h"
#include "server/converters/time_converter.h"
#include "server/queries/motion_samples.h"
#include "server/queries/skel_fields.h"
#include "server/queries/skin_item_fields.h"
#include "server/queries/skin_jobs.h"
#include "server/server_limits.h"
#include "server/sessions/leased_stage.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"
#include "server/streams/chunked_stream.h"

namespace stagedoor::server {
namespace {

struct SkinView {
  SkinOptions options;
  bool joints = false;
  bool sources = false;  // says which attributes have samples
};

// Writes a PackedValues field whose bytes are sent without being copied into the message.
absl::Status WriteArray(int field, const Array<Vec3f>& array, WireWriter* out) {
  v1::PackedValues header;
  FillPackedHeader(PackingOf(ValueType::kVec3f), array.size(), &header);
  WireWriter values;
  values.Fields(header);
  const std::string_view bytes(reinterpret_cast<const char*>(array.data()),
                               array.size() * sizeof(Vec3f));
  if (!bytes.empty()) {
    SD_ASSIGN_OR_RETURN(
        PinnedChunk chunk,
        PinOrCopyChunk(bytes, std::make_shared<Array<Vec3f>>(array), SourceOf(array)));
    values.Chunk(v1::PackedValues::kDataFieldNumber, std::move(chunk));
  }
  out->Message(field, std::move(values));
  return absl::OkStatus();
}

// A SkinnedPrim. Arrays that belong into the message are kept outside of it until it is written.
struct SkinItem {
  v1::SkinnedPrim message;
  std::optional<Array<Vec3f>> points, normals;
};

absl::Status WriteSkinItem(const SkinItem& item, WireWriter* out) {
  WireWriter skinned;
  skinned.Fields(item.message);
  if (item.points) {
    SD_RETURN_IF_ERROR(WriteArray(v1::SkinnedPrim::kPointsFieldNumber, *item.points, &skinned));
  }
  if (item.normals) {
    SD_RETURN_IF_ERROR(WriteArray(v1::SkinnedPrim::kNormalsFieldNumber, *item.normals, &skinned));
  }
  out->Message(v1::ComputeSkinnedPointsResponse::kItemsFieldNumber, std::move(skinned));
  return absl::OkStatus();
}

// Results of skins in instances of a shared prototype, which all deform alike: the next instance
// reuses them.
class SharedResults {
 public:
  // Holds the query, so that no other one gets its address.
  using Key = std::pair<std::shared_ptr<const SkinningQuery>, TimeKey>;
  static Key KeyOf(const SkinJob& job) { return {job.skin.skinned, server::KeyOf(job.at.time)}; }

  const SkinResult* Find(const SkinJob& job) const {
    const auto found = results_.find(KeyOf(job));
    return found == results_.end() ? nullptr : &found->second;
  }
  void Add(const SkinJob& job, const SkinResult& result) {
    bytes_ += ByteSize(result);
    if (bytes_ > kMaxBytes) {
      results_.clear();
      bytes_ = ByteSize(result);
    }
    results_.emplace(KeyOf(job), result);
  }

 private:
  static constexpr size_t kMaxBytes = size_t{64} << 20;
  static size_t ByteSize(const SkinResult& result) {
    const size_t points = result.points ? result.points->size() : 0;
    const size_t normals = result.normals ? result.normals->size() : 0;
    return sizeof(SkinResult) + (points + normals) * sizeof(Vec3f);
  }

  std::map<Key, SkinResult> results_;
  size_t bytes_ = 0;
};

// Deforms a batch of prims and times at once on the executor, and sends as many per message as fit.
// Points and normals are not copied into the message.
class SkinStream final : public ChunkedStream<WireWriter> {
 public:
  SkinStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
             LeasedStage leased, SkinJobs jobs, SkinView view)
      : ChunkedStream(context, limits, chunk_bytes, "leave with_normals and with_joints unset"),
        leased_(std::move(leased)),
        jobs_(std::move(jobs)),
        view_(view) {}

 private:
  static constexpr size_t kBatch = 16;
  static constexpr size_t kSpareTimes = 64;             // sample times whose poses are kept
  static constexpr size_t kMaxPosed = size_t{1} << 18;  // limit of cached prim transforms

  absl::StatusOr<bool> Make(RequestContext& context, WireWriter* out) override {
    if (NoMoreItems()) return false;
    if (!std::exchange(started_, true)) {
      out->Bytes(v1::ComputeSkinnedPointsResponse::kSnapshotFieldNumber,
                 leased_.snapshot->fingerprint());
    }
    while (!NoMoreItems() && HasRoom()) {
      SD_RETURN_IF_ERROR(context.Check());
      if (next_ == batch_.size()) {
        SD_RETURN_IF_ERROR(TakeBatch(context));
        Deform(context);
        SD_RETURN_IF_ERROR(context.Check());
      }
      for (; next_ < batch_.size() && HasRoom(); ++next_) {
        SD_RETURN_IF_ERROR(WriteNext(out));
      }
    }
    SD_RETURN_IF_ERROR(leased_.CheckRead());
    const bool any = budget().message_bytes() != 0;
    v1::ComputeSkinnedPointsResponse warnings;
    SD_RETURN_IF_ERROR(budget().AddStreamWarnings(warnings.mutable_warnings()));
    out->Fields(warnings);
    return any;
  }
  bool NoMoreItems() const override { return next_ == batch_.size() && jobs_.AtEnd(); }

  // Writes the next item of the batch. Fails only if the request is over.
  absl::Status WriteNext(WireWriter* out) {
    const SkinJob& job = batch_[next_];
    budget().StartItem();
    budget().Charge(sizeof(v1::SkinnedPrim));
    SkinItem item;
    if (job.skin.skinned == nullptr) {
      budget().FillError(NotSkinned(job), 0, item.message.mutable_error());
    } else {
      FillSkin(job, results_[next_], &item);
    }
    SD_RETURN_IF_ERROR(ReportIfTooLarge(budget(), 0, &item.message));
    if (item.message.has_error()) {
      item.message.set_path(budget().Text(PathOf(job.skin.prim)));
      item.points.reset();
      item.normals.reset();
    }
    SD_RETURN_IF_ERROR(WriteSkinItem(item, out));
    return absl::OkStatus();
  }

  PoseCache& PosesAt(TimeCode time) { return poses_.try_emplace(KeyOf(time), time).first->second; }

  // Fills batch_ with the next items, prim by prim. A prim that is not skinned gets a single item.
  absl::Status TakeBatch(RequestContext& context) {
    batch_.clear();
    next_ = 0;
    while (!jobs_.AtEnd() && batch_.size() < kBatch) {
      batch_.push_back(jobs_.job());
      SD_RETURN_IF_ERROR(jobs_.Next(context));
    }
    if (poses_.size() > 4 * jobs_.times().size() + kSpareTimes) poses_.clear();
    for (auto& [key, at] : poses_) {
      if (at.xforms().size() > kMaxPosed) at = PoseCache(at.time());
    }
    return absl::OkStatus();
  }

  bool IsShared(const SkinJob& job) const {
    return job.skin.deforms_as_others && !view_.options.world_space;
  }

  // Computes the results of the batch. Of the items that deform alike, only the first is deformed.
  void Deform(RequestContext& context) {
    results_.assign(batch_.size(), SkinResult());
    std::vector<size_t> todo;
    std::vector<SkinPose> at;
    std::map<SharedResults::Key, size_t> firsts;
    std::vector<std::pair<size_t, size_t>> same;  // job, and the first job that deforms alike
    for (size_t i = 0; i < batch_.size(); ++i) {
      const SkinJob& job = batch_[i];
      if (job.skin.skinned == nullptr) continue;
      if (IsShared(job)) {
        if (const SkinResult* known = shared_.Find(job)) {
          results_[i] = *known;
          continue;
        }
        const auto [first, fresh] = firsts.emplace(SharedResults::KeyOf(job), i);
        if (!fresh) {
          same.emplace_back(i, first->second);
          continue;
        }
      }
      todo.push_back(i);
      at.push_back(job.skin.PoseAt(context, PosesAt(job.at.time)));
    }
    DeformJobs(context, todo, at);
    for (const auto& [job, first] : same) results_[job] = results_[first];
    for (const auto& [key, first] : firsts) shared_.Add(batch_[first], results_[first]);
  }

  void DeformJobs(RequestContext& context, const std::vector<size_t>& jobs,
                  const std::vector<SkinPose>& at) {
    const auto deform = [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end && context.Check().ok(); ++i) {
        const SkinningQuery& skinned = *batch_[jobs[i]].skin.skinned;
        results_[jobs[i]] = skinned.Deform(context, at[i], view_.options);
      }
    };
    if (jobs.size() > 1) {
      ParallelFor(*view_.options.executor, jobs.size(), 1, deform);
    } else {
      deform(0, jobs.size());
    }
  }

  void FillSkin(const SkinJob& job, const SkinResult& result, SkinItem* item) {
    const SkinningQuery& skinned = *job.skin.skinned;
    v1::SkinnedPrim* out = &item->message;
    ReplyBudget& budget = this->budget();
    if (result.points && !TakeArray(*result.points, &item->points)) {
      FillPackedArray(ValueType::kVec3f, *result.points, budget, out->mutable_points());
    }
    if (result.normals && !TakeArray(*result.normals, &item->normals)) {
      FillPackedArray(ValueType::kVec3f, *result.normals, budget, out->mutable_normals());
    }
    FillSkinJob(job, view_.sources, budget, out);
    out->set_rigid(skinned.is_rigidly_deformed());
    if (view_.joints) budget.AddTokens(skinned.joint_order().span(), out->mutable_joint_order());
    if (view_.joints && result.joints) {
      FillPackedMatrices(*result.joints, budget, out->mutable_joint_transforms());
    }
    if (result.xform) FillPackedMatrix(*result.xform, budget, out->mutable_xform());
    WarnOfSkin(budget.context(), job.skin.prim, result.warnings);
  }

  // Keeps an array that belongs into the message; false if it follows in chunks.
  bool TakeArray(const Array<Vec3f>& array, std::optional<Array<Vec3f>>* out) {
    const size_t bytes = array.size() * sizeof(Vec3f);
    if (!budget().arrays()->Inlines(bytes, budget().message_bytes())) return false;
    if (budget().Charge(bytes)) *out = array;
    return true;
  }

  const LeasedStage leased_;
  SkinJobs jobs_;  // from the next item on
  const SkinView view_;
  bool started_ = false;
  std::map<TimeKey, PoseCache> poses_;
  std::vector<SkinJob> batch_;
  std::vector<SkinResult> results_;
  size_t next_ = 0;  // index into batch_
  SharedResults shared_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSkinnedPoints(
    const QueryState& state, RequestContext& context,
    const v1::ComputeSkinnedPointsRequest& request) {
  // Look up the stage, and parse.
  SD_ASSIGN_OR_RETURN(LeasedStage leased, AcquireStage(state, context, request.stage()));
  SD_ASSIGN_OR_RETURN(std::vector<TimeCode> times,
                      ParseTimes(context, request.times(), state.limits.max_times));
  SD_ASSIGN_OR_RETURN(const auto policy, ParseSamplePolicyOf(request, times));
  SD_RETURN_IF_ERROR(context.Reserve(times.size() * sizeof(PoseCache), "times of poses"));
  SD_ASSIGN_OR_RETURN(SkinQueue skins, FindSkins(state, context, leased.stage(), request.paths(),
                                                 {.everywhere = request.paths().empty()}));
  SkinView view;
  view.options.world_space = request.world_space();
  view.options.normals = request.with_normals();
  view.options.executor = state.stages.environment().executor;
  view.joints = request.with_joints();
  view.sources = request.sample_policy().with_sources();
  SkinJobs jobs(std::move(skins), std::move(times), policy, view.options);
  SD_RETURN_IF_ERROR(jobs.Start(context));
  // The stream calls the engine, and fills the messages.
  return std::make_unique<SkinStream>(context, state.limits, ChunkBytes(request, state.limits),
                                      std::move(leased), std::move(jobs), view);
}

}  // namespace stagedoor::server
